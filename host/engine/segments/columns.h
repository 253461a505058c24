/* Results of segments as columns of a table: fields of the operator's own, an index, or a value. */
#pragma once

#include "../io/npy.h"
#include "segments.h"

typedef struct rh_columns {
  uint32_t n;
  rh_npy_field list[RH_MOST_RESULTS]; /* a single one has no name */
  rh_result names;                    /* which they point into */
} rh_columns;

/* Of the operator.  *columns must not be moved. */
void rh_columns_find(rh_columns *columns, const rh_operator *op);

/* Column k of a result, as rh_element_store() takes it. */
const void *rh_columns_word(const rh_result *result, uint32_t k);

/* Has the only result the bytes of the value that it is made of, so that it can take its place? */
int rh_columns_fit_values(const rh_columns *columns, const rh_segments *segments);

/* to[s] = column k of segment s, in the column's type.  k: RH_COLUMN_VALUE for the element at an
 * index, in the result's type.  `to` may be where the values are, if they fit. */
#define RH_COLUMN_VALUE UINT32_MAX
void rh_columns_store(const rh_columns *columns, uint32_t k, const rh_segments *segments, void *to);
