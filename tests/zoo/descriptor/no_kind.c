/* V20: runs on no kind of device. */
#include "../right.h"

RIGHT_BUT(no_kind, .summary = "runs nowhere", .device_kinds = 0);

RH_PLUGIN(&strategy_no_kind);
