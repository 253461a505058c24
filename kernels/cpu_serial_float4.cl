#define RH_PAGE_BYTES 4096
/* Each group is a single work-item, which reduces one contiguous block of vectors.  RH_ACCUMULATORS
 * accumulators take the vectors in turn, so that no addition waits for the one before.  A row of
 * RH_ACCUMULATORS vectors is read from each of RH_PAGES pages in turn: a processor prefetches in
 * several pages at a time, but not past the end of one.  The remaining vectors are read in order.
 * The first vector starts at an aligned address; the first group also takes the few elements before
 * the first vector and after the last one. */
__kernel void cpu_serial_float4(RH_OPERANDS_PARAMETERS, ulong first, ulong n,
                                __global rh_value *partials) {
  rh_operands input = rh_operands_at(RH_OPERANDS, first);
  ulong head = min(rh_vector_head(input), n), vectors = (n - head) / RH_WIDTH;
  ulong block = (vectors + get_num_groups(0) - 1) / get_num_groups(0);
  ulong v = min(get_group_id(0) * block, vectors), end = min(v + block, vectors);
  rh_rows rows = rh_rows_identity();
  ulong left = (end - v) / RH_ACCUMULATORS, turns, pages;
  for (; left > 0; left -= turns * pages) {
    turns =
        max((ulong)1, (ulong)(RH_PAGE_BYTES / (RH_ACCUMULATORS * RH_WIDTH * sizeof(rh_element))));
    pages = min(left / turns, (ulong)RH_PAGES);
    if (pages < 2) turns = min(left, RH_MOST_ROWS), pages = 1;
    for (ulong turn = 0; turn < turns; turn++)
      for (ulong page = 0; page < pages; page++)
        rh_rows_take(&rows, input, head + (v + (page * turns + turn) * RH_ACCUMULATORS) * RH_WIDTH);
    rh_rows_end(&rows, head + v * RH_WIDTH);
    v += turns * pages * RH_ACCUMULATORS;
  }
  if (v < end) {
    ulong first = head + v * RH_WIDTH;
    for (; v < end; v++) rh_rows_take_vector(&rows, input, head + v * RH_WIDTH);
    rh_rows_end(&rows, first);
  }
  rh_value accumulator = rh_rows_value(&rows, input);

  ulong inside = vectors * RH_WIDTH, outside = get_group_id(0) == 0 ? n - inside : 0;
  for (ulong i = 0; i < outside; i++)
    accumulator = rh_combine(accumulator, rh_load(input, i < head ? i : i + inside));
  if (n == 0) accumulator = rh_identity(); /* ranks have none */
  partials[get_group_id(0)] = accumulator;
}
