/* Trees over the values of a work-group, in local memory.  `scratch` holds one value for each
 * work-item.  Work-item 0 gets the result; what the others get is unspecified.  Every work-item of
 * the group must call, and only once per kernel (or with a barrier between two calls, since a call
 * ends by reading scratch[0]).  Any group size works: if a level has an odd number of values, the
 * middle one waits for the next level. */

/* Halving: consecutive work-items combine values half a group apart, at consecutive addresses.
 * Reorders. */
static inline rh_value rh_group_tree(__local rh_value *scratch, rh_value mine) {
  uint i = get_local_id(0);
  scratch[i] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint active = get_local_size(0); active > 1;) {
    uint half_up = (active + 1) / 2;
    if (i + half_up < active) scratch[i] = rh_combine(scratch[i], scratch[i + half_up]);
    barrier(CLK_LOCAL_MEM_FENCE);
    active = half_up;
  }
  return scratch[0];
}

/* Doubling: neighbours first. Regroups but never reorders. */
static inline rh_value rh_group_tree_ordered(__local rh_value *scratch, rh_value mine) {
  uint i = get_local_id(0), size = get_local_size(0);
  scratch[i] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint offset = 1; offset < size; offset *= 2) {
    if (i % (2 * offset) == 0 && i + offset < size)
      scratch[i] = rh_combine(scratch[i], scratch[i + offset]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  return scratch[0];
}
