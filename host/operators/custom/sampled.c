#include "sampled.h"
#include "../../core/base/random.h"

#include <string.h>

/* Pieces of random lengths, each in a tree of its own, one after the other. */
static void in_pieces(const rh_custom *custom, const rh_arrays *arrays, uint64_t n, uint64_t *seed,
                      unsigned char *value) {
  _Alignas(16) unsigned char piece[RH_ANY_VALUE_BYTES] = {0};
  memcpy(value, custom->op.identity, custom->op.value_size);
  for (uint64_t at = 0; at < n;) {
    uint64_t length = 1 + rh_random_next(seed) % (n / 8 + 1);
    if (length > n - at) length = n - at;
    rh_custom_reduce(custom, arrays, at, length, piece);
    rh_custom_combine(custom, value, piece);
    at += length;
  }
}

uint32_t rh_sampled_orders(const rh_custom *custom) {
  for (uint32_t k = 0; k < custom->n_fields; k++)
    if (custom->fields[k].kind == RH_FIELD_ANY) return RH_SAMPLED_ORDERS;
  return 1;
}

void rh_sample_orders(rh_sampled *sampled, const rh_custom *custom, const rh_arrays *arrays,
                      uint64_t n) {
  uint64_t seed = 1;
  *sampled = (rh_sampled){.by_device = custom->code != NULL};
  sampled->n_orders = rh_sampled_orders(custom);
  rh_custom_reduce(custom, arrays, 0, n, sampled->values[0]);
  for (uint32_t order = 1; order < sampled->n_orders; order++)
    in_pieces(custom, arrays, n, &seed, sampled->values[order]);
}

void rh_sample_serial(const rh_operator *op, const rh_arrays *arrays, uint64_t n,
                      rh_reference *reference) {
  const rh_custom *custom = rh_custom_of(op);
  rh_sampled *sampled = &reference->sampled;
  if (sampled->n_orders != RH_SAMPLED_ORDERS || custom->code) return;
  unsigned char *value = sampled->values[sampled->n_orders++];
  memcpy(value, custom->op.identity, custom->op.value_size);
  rh_custom_fold(custom, value, arrays, 0, n);
}
