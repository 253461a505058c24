/* onepass of a few elements by one group, and between the launch and its loads next to nothing.
 * Each work-item takes RH_EACH lanes, a group apart, of one row of docs/inside/bits.md, or with
 * -DRH_ROWS=4 of the four of a tile.  Then the lanes are halved, down to one: in the canonical
 * order, with -DRH_IN_ORDER.  The identity where there is no element changes no bit. */
static inline rh_value load_before(__global const rh_element *p, uint i, uint n) {
  rh_value value = rh_identity();
  if (i < n) value = rh_load(p, i);
  return value;
}

static inline rh_value load_lane(__global const rh_element *p, uint i, uint n) {
#if RH_ROWS == 4
  const uint row = 512u / (uint)sizeof(rh_element);
  return rh_combine(rh_combine(load_before(p, i, n), load_before(p, i + row, n)),
                    rh_combine(load_before(p, i + 2 * row, n), load_before(p, i + 3 * row, n)));
#else
  return load_before(p, i, n);
#endif
}

/* The upper half onto the lower half, down to one. */
static inline rh_value halve(rh_value *lanes, uint n) {
#pragma unroll
  for (uint half_of = n / 2; half_of > 0; half_of /= 2)
#pragma unroll
    for (uint k = 0; k < half_of; k++) lanes[k] = rh_combine(lanes[k], lanes[k + half_of]);
  return lanes[0];
}

static inline rh_value meet(__local rh_value *scratch, rh_value mine) {
#if RH_GROUP > 32 && !defined(RH_IN_ORDER)
  return rh_group_shuffle_tree(scratch, mine);
#elif RH_GROUP > 32 && defined(RH_FULL_SUB_GROUPS)
  /* Each warp's values lie side by side: the first one takes those of all. */
  rh_value lanes[RH_GROUP / 32];
  uint id = (uint)get_local_id(0);
  scratch[id] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (id >= 32) return mine;
#pragma unroll
  for (uint k = 0; k < RH_GROUP / 32; k++) lanes[k] = scratch[id + 32 * k];
  return rh_sub_group_tree(halve(lanes, RH_GROUP / 32));
#elif defined(RH_FULL_SUB_GROUPS)
  return rh_sub_group_tree(mine);
#else
  return rh_group_tree(scratch, mine);
#endif
}

__kernel __attribute__((reqd_work_group_size(RH_GROUP, 1, 1))) void
onepass_few(__global const rh_element *input, ulong first, uint n, __local rh_value *scratch,
            __global rh_value *result, ulong result_index) {
  rh_value lanes[RH_EACH];
  uint id = (uint)get_local_id(0);
#pragma unroll
  for (uint k = 0; k < RH_EACH; k++) lanes[k] = load_lane(input + first, id + k * RH_GROUP, n);
  rh_value all = meet(scratch, halve(lanes, RH_EACH));
  if (id == 0) result[result_index] = all;
}
