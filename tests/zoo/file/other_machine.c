/* V01: its header is patched to say S/390. */
#include "../right.h"

RIGHT_BUT(other_machine, .summary = "its header says S/390");

RH_PLUGIN(&strategy_other_machine);
