#define RH_PAGE_BYTES 4096
/* One work-item alone in its group reduces one contiguous block of vectors, which RH_ACCUMULATORS
 * take in turn, so that one need not wait for the other.  A row of as many is read from each of
 * RH_PAGES pages of memory in turn, since a processor fetches ahead in several pages at a time but
 * not beyond the end of one; what is left is read in order.  The vectors start where a vector load
 * may; the few elements before the first and behind the last one go to the first group. */
__kernel void cpu_serial_float4(__global const rh_element *input, ulong first, ulong n,
                                __global rh_value *partials) {
  input += first;
  ulong head = min(rh_vector_head(input), n), vectors = (n - head) / RH_WIDTH;
  ulong block = (vectors + get_num_groups(0) - 1) / get_num_groups(0);
  ulong v = min(get_group_id(0) * block, vectors), end = min(v + block, vectors);
  rh_vector lanes[RH_ACCUMULATORS];
  for (uint k = 0; k < RH_ACCUMULATORS; k++) lanes[k] = rh_vector_identity();
  ulong rows = (end - v) / RH_ACCUMULATORS, turns, pages;
  for (; rows > 0; rows -= turns * pages) {
    turns =
        max((ulong)1, (ulong)(RH_PAGE_BYTES / (RH_ACCUMULATORS * RH_WIDTH * sizeof(rh_element))));
    pages = min(rows / turns, (ulong)RH_PAGES);
    if (pages < 2) turns = rows, pages = 1;
    for (ulong turn = 0; turn < turns; turn++)
      for (ulong page = 0; page < pages; page++) {
        ulong at = v + (page * turns + turn) * RH_ACCUMULATORS;
#pragma unroll
        for (uint k = 0; k < RH_ACCUMULATORS; k++)
          lanes[k] = rh_vector_combine(lanes[k], rh_vector_load(input, head + (at + k) * RH_WIDTH));
      }
    v += turns * pages * RH_ACCUMULATORS;
  }
  for (; v < end; v++)
    lanes[0] = rh_vector_combine(lanes[0], rh_vector_load(input, head + v * RH_WIDTH));
  for (uint k = 1; k < RH_ACCUMULATORS; k++) lanes[0] = rh_vector_combine(lanes[0], lanes[k]);
  rh_value accumulator = rh_vector_fold(lanes[0]);

  ulong inside = vectors * RH_WIDTH, outside = get_group_id(0) == 0 ? n - inside : 0;
  for (ulong i = 0; i < outside; i++)
    accumulator = rh_combine(accumulator, rh_load(input, i < head ? i : i + inside));
  partials[get_group_id(0)] = accumulator;
}
