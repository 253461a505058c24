/* Binary counters of values, as of the tiles of the canonical order, of which each piece that is
 * appended is a node: pieces of as many elements each, but for the last. */
#ifndef NATIVE_COUNTERS_H
#define NATIVE_COUNTERS_H

#include <redhost/plugin.h>

/* One for each column, all of as many pieces. */
typedef struct rh_native_counters {
  const rh_op *op;
  uint64_t count;       /* of pieces: the caller counts them */
  uint64_t levels;      /* at most 2^levels - 1 pieces */
  unsigned char *nodes; /* columns * levels values; nodes of level k where bit k of count is set */
} rh_native_counters;

/* Both change *value: the first for what it carries, the second to the whole column's. */
void rh_native_append(const rh_native_counters *to, uint64_t column, unsigned char *value);
void rh_native_join(const rh_native_counters *all, uint64_t column, unsigned char *value);

#endif
