#include "../right.h"

RIGHT_BUT_FOR(writes_input, "the input is written", 0,
              WALK "if (lid == 0 && n > 0) ((__global rh_element *)input)[n - 1] = input[0];",
              STORE);

RH_PLUGIN(&strategy_writes_input);
