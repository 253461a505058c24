/* V06: requests an executable stack (-z execstack), as assembler objects often do by accident. */
#include "../right.h"

RIGHT_BUT(executable_stack, .summary = "makes the stacks executable");

RH_PLUGIN(&strategy_executable_stack);
