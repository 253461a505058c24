#include "../right.h"

RIGHT_BUT_FOR(order_not_kept, "promises to keep the order, but strides", RH_KEEPS_ORDER, WALK,
              STORE);

RH_PLUGIN(&strategy_order_not_kept);
