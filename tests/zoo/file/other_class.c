/* V01: its header is patched to say 32 bits. */
#include "../right.h"

RIGHT_BUT(other_class, .summary = "its header says ELFCLASS32");

RH_PLUGIN(&strategy_other_class);
