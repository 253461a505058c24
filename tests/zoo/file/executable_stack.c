/* V06: asks for executable stacks (-z execstack), as objects from assembler do by accident. */
#include "../right.h"

RIGHT_BUT("executable_stack", .summary = "makes the stacks executable");
