/* Which elements make a segment, of a reduction of many (RH_LAYOUT_*, redhost/plugin.h). */
#pragma once

#include "operator.h"

/* Segments along the middle axis of an array of the shape (outer, length, inner). */
rh_layout rh_layout_axis(uint64_t outer, uint64_t length, uint64_t inner);
/* n of them; borrows the offsets, which rh_layout_check() looks at. */
rh_layout rh_layout_offsets(const uint64_t *starts, const uint64_t *stops, uint64_t n);

/* Do the elements of a segment lie back to back? */
static inline int rh_layout_is_in_rows(const rh_layout *layout) {
  return layout->kind == RH_LAYOUT_OFFSETS || layout->inner == 1 || layout->length < 2;
}

/* RH_E_USAGE, with the segment's number, if a segment ends before it begins or beyond the n
 * elements, or has none although `op` is undefined for no elements. */
rh_status rh_layout_check(const rh_layout *layout, const rh_operator *op, uint64_t n,
                          rh_error *error);
