/* First stage: each group owns one contiguous chunk and goes through it tile by tile.  A tile is loaded with neighbours
 * reading neighbours, and turned in local memory: work-item k then reduces the RH_ITEMS elements from k*RH_ITEMS on,
 * which stand side by side in the input.  An ordered tree closes the tile, and work-item 0 carries its result on to the
 * next.  Nothing is ever reordered.  (An odd RH_ITEMS spreads the second read over all banks.) */
static inline rh_value two_stage_ordered_run(__local const rh_value *tile) {
  __local const rh_value *run = tile + get_local_id(0) * RH_ITEMS;
  rh_value mine = run[0];
  for (uint k = 1; k < RH_ITEMS; k++) mine = rh_combine(mine, run[k]);
  return mine;
}

__kernel void two_stage_ordered(__global const rh_element *input, ulong first, ulong n, ulong chunk,
                                __local rh_value *tile, __global rh_value *partials) {
  input += first;
  uint lid = get_local_id(0), size = get_local_size(0);
  ulong begin = min(get_group_id(0) * chunk, n), end = min(begin + chunk, n);
  rh_value carried = rh_identity();
  for (ulong base = begin; base < end; base += size * RH_ITEMS) {
    if (end - base >= size * RH_ITEMS)
      for (uint k = 0; k < RH_ITEMS; k++) tile[k * size + lid] = rh_load(input, base + k * size + lid);
    else
      for (uint k = lid; k < size * RH_ITEMS; k += size)
        tile[k] = base + k < end ? rh_load(input, base + k) : rh_identity();
    barrier(CLK_LOCAL_MEM_FENCE);
    rh_value mine = two_stage_ordered_run(tile);
    barrier(CLK_LOCAL_MEM_FENCE); /* everything is read: the tree may have the memory */
    rh_value all = rh_group_tree_ordered(tile, mine);
    if (lid == 0) carried = rh_combine(carried, all);
    barrier(CLK_LOCAL_MEM_FENCE); /* tile[0] is read: the next tile may have it */
  }
  if (lid == 0) partials[get_group_id(0)] = carried;
}
