#include "wrong.h"

/* The identity of sum, for every operator. */
WRONG("wrong_identity", "work-items without an element start from 0", 0,
      WALK "if (lid >= n) { rh_value zero = {0}; mine = zero; }", STORE);
