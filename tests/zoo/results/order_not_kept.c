#include "wrong.h"

WRONG("order_not_kept", "promises to keep the order, but strides", RH_KEEPS_ORDER, WALK, STORE);
