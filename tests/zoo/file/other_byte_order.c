/* V01: its header is patched to say big-endian. */
#include "../right.h"

RIGHT_BUT(other_byte_order, .summary = "its header says big endian");

RH_PLUGIN(&strategy_other_byte_order);
