/* V60: keeps `first` in 16 bits. */
#include "../right.h"

static rh_status run(void *instance, const rh_run *run) {
  return right_launch(instance, run, (uint16_t)run->first, run->n);
}

RIGHT_BUT("offset_in_16_bits", .summary = "first modulo 2^16", .run = run);
