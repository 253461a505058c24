/* V43, V61, V62: faults of host code. */
#define RH_PLUGIN_MIN_HOST_MINOR 2 /* RH_ROUNDS_ONCE */
#include "../right.h"

/* V62 crash: reads the byte after the range. */
ON_HOST(host_reads_ahead) {
  const volatile char *input = run->host_input;
  (void)input[(run->first + run->n) * ((const right *)instance)->op->element_size];
  return on_host_fold(instance, run, run->host_result, run->first, run->n);
}

/* V61: n modulo 2^32. */
ON_HOST(n_in_32_bits) {
  return on_host_fold(instance, run, run->host_result, run->first, (uint32_t)run->n);
}

/* V61: first modulo 2^32. */
ON_HOST(offset_in_32_bits) {
  return on_host_fold(instance, run, run->host_result, (uint32_t)run->first, run->n);
}

/* V43: rounds after each addition. */
ON_HOST(rounds_often, .promises = RH_ROUNDS_ONCE, .determinism = RH_BITS_SAME_EVERYWHERE) {
  return on_host_fold(instance, run, run->host_result, run->first, run->n);
}

RIGHT_PLUGIN;
