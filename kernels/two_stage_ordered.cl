/* First stage: each group owns one contiguous chunk and reduces it tile by tile.  Coalesced loads
 * bring a tile into local memory, where it is transposed: work-item k reduces the RH_ITEMS elements
 * from k*RH_ITEMS on, which are contiguous in the input (an odd RH_ITEMS spreads these reads over
 * all banks).  A few work-items reduce the results of these runs, segment by segment, while the
 * next tile is loaded; one barrier later work-item 0 combines the segments into the running result.
 * That is two barriers per tile, and nothing is ever reordered. */
#define SEGMENTS 16u

static inline rh_value two_stage_ordered_fold(__local const rh_value *values, uint begin,
                                              uint end) {
  rh_value all = rh_identity();
  for (uint k = begin; k < end; k++) all = rh_combine(all, values[k]);
  return all;
}

__kernel void two_stage_ordered(RH_OPERANDS_PARAMETERS, ulong first, ulong n, ulong chunk,
                                __local rh_value *tile, __global rh_value *partials) {
  rh_operands input = rh_operands_at(RH_OPERANDS, first);
  const uint lid = get_local_id(0), size = RH_GROUP;
  uint count = min(size, SEGMENTS), width = (size + count - 1) / count;
  __local rh_value *runs = tile + size * RH_ITEMS, *segments = runs + size;
  ulong begin = min(get_group_id(0) * chunk, n), end = min(begin + chunk, n);
  rh_value carried = rh_identity();
  if (lid < count) segments[lid] = rh_identity();
  for (ulong base = begin; base < end; base += size * RH_ITEMS) {
    if (end - base >= size * RH_ITEMS)
      for (uint k = 0; k < RH_ITEMS; k++)
        tile[k * size + lid] = rh_load(input, base + k * size + lid);
    else
      for (uint k = lid; k < size * RH_ITEMS; k += size)
        tile[k] = base + k < end ? rh_load(input, base + k) : rh_identity();
    /* the tile is loaded; the previous tile's segments are written */
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0) carried = rh_combine(carried, two_stage_ordered_fold(segments, 0, count));
    runs[lid] = two_stage_ordered_fold(tile, lid * RH_ITEMS, (lid + 1) * RH_ITEMS);
    barrier(CLK_LOCAL_MEM_FENCE); /* the runs are written; tile and segments have been read */
    if (lid < count)
      segments[lid] =
          two_stage_ordered_fold(runs, min(lid * width, size), min((lid + 1) * width, size));
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lid == 0)
    partials[get_group_id(0)] = rh_combine(carried, two_stage_ordered_fold(segments, 0, count));
}
