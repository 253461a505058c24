/* V01: a file for S/390, its header says; patched after linking. */
#include "../right.h"

RIGHT_BUT("other_machine", .summary = "its header says S/390");
