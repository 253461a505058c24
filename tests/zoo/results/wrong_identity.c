#include "../right.h"

/* The identity of sum, for every operator. */
RIGHT_BUT_FOR(wrong_identity, "work-items without an element start from 0", 0,
              WALK "if (lid >= n) { rh_value zero = {0}; mine = zero; }", STORE);

RH_PLUGIN(&strategy_wrong_identity);
