/* V60: keeps result_index in a byte. */
#include "../right.h"

static rh_status run(void *instance, const rh_run *run) {
  rh_run shorter = *run;
  shorter.result_index = (uint8_t)run->result_index;
  return right_launch(instance, &shorter, run->first, run->n);
}

RIGHT_BUT("index_in_a_byte", .summary = "result_index modulo 2^8", .run = run);
