#include "operation.h"

typedef unsigned long long number; /* as %llu takes it */

rh_layout rh_layout_axis(uint64_t outer, uint64_t length, uint64_t inner) {
  return (rh_layout){.struct_size = sizeof(rh_layout),
                     .kind = RH_LAYOUT_AXIS,
                     .segments = outer * inner,
                     .longest = length,
                     .elements = outer * inner * length,
                     .length = length,
                     .inner = inner ? inner : 1};
}

rh_layout rh_layout_offsets(const uint64_t *starts, const uint64_t *stops, uint64_t n) {
  rh_layout layout = {.struct_size = sizeof layout,
                      .kind = RH_LAYOUT_OFFSETS,
                      .segments = n,
                      .starts = starts,
                      .stops = stops,
                      .is_back_to_back = stops == starts + 1};
  for (uint64_t s = 0; s < n; s++) {
    uint64_t length = stops[s] > starts[s] ? stops[s] - starts[s] : 0;
    layout.elements += length;
    if (length > layout.longest) layout.longest = length;
  }
  return layout;
}

/* Segment s of those that offsets describe, or of equal ones. */
static rh_status check_segment(const rh_layout *layout, uint64_t s, const rh_operator *op,
                               uint64_t n, rh_error *error) {
  int has_offsets = layout->kind == RH_LAYOUT_OFFSETS;
  uint64_t start = has_offsets ? layout->starts[s] : 0, stop = has_offsets ? layout->stops[s] : 0;
  if (stop < start)
    return rh_fail(error, RH_E_USAGE, "segment %llu ends before it begins: elements %llu to %llu",
                   (number)s, (number)start, (number)stop);
  if (stop > n)
    return rh_fail(error, RH_E_USAGE,
                   "segment %llu ends at element %llu, beyond the last of %llu elements", (number)s,
                   (number)stop, (number)n);
  if (!op->needs_an_element || rh_layout_length(layout, s) > 0) return RH_OK;
  return rh_fail(error, RH_E_USAGE, "segment %llu is empty, and %s of no elements is undefined",
                 (number)s, op->name);
}

rh_status rh_layout_check(const rh_layout *layout, const rh_operator *op, uint64_t n,
                          rh_error *error) {
  int has_offsets = layout->kind == RH_LAYOUT_OFFSETS;
  uint64_t looked_at = has_offsets ? layout->segments : layout->segments > 0;
  for (uint64_t s = 0; s < looked_at; s++) RH_TRY(check_segment(layout, s, op, n, error));
  if (has_offsets || layout->segments * layout->length <= n) return RH_OK;
  return rh_fail(error, RH_E_USAGE, "%llu segments of %llu elements are more than the %llu there",
                 (number)layout->segments, (number)layout->length, (number)n);
}
