#include "counters.h"

#include <string.h>

static unsigned char *node_of(const rh_native_counters *of, uint64_t column, uint64_t level) {
  return of->nodes + (column * of->levels + level) * of->op->value_size;
}

void rh_native_append(const rh_native_counters *to, uint64_t column, unsigned char *value) {
  uint64_t k = 0;
  for (; to->count >> k & 1; k++) {
    rh_op_combine(to->op, node_of(to, column, k), value);
    memcpy(value, node_of(to, column, k), to->op->value_size);
  }
  memcpy(node_of(to, column, k), value, to->op->value_size);
}

void rh_native_join(const rh_native_counters *all, uint64_t column, unsigned char *value) {
  uint64_t k = 0;
  while (!(all->count >> k & 1)) k++;
  memcpy(value, node_of(all, column, k), all->op->value_size);
  for (k++; all->count >> k; k++) {
    if (!(all->count >> k & 1)) continue;
    rh_op_combine(all->op, node_of(all, column, k), value);
    memcpy(value, node_of(all, column, k), all->op->value_size);
  }
}
