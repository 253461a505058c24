/* The first stage of two_stage on vectors of 4 elements, with groups that reduce by shuffles.  The
 * first vector starts at an aligned address; the few elements before it and after the last vector
 * are taken one by one.  OpenCL C has a function `shuffle`, and PoCL 5 finds no kernel of that
 * name. */
__kernel void shuffle_partials(RH_OPERANDS_PARAMETERS, ulong first, ulong n,
                               __local rh_value *scratch, __global rh_value *partials) {
  rh_operands input = rh_operands_at(RH_OPERANDS, first);
  ulong head = min(rh_vector_head(input), n), vectors = (n - head) / RH_WIDTH;
  rh_vector lanes = rh_vector_identity();
  for (ulong v = get_global_id(0); v < vectors; v += get_global_size(0))
    lanes = rh_vector_combine(lanes, rh_vector_load(input, head + v * RH_WIDTH));
  rh_value mine = rh_vector_fold(lanes);

  ulong inside = vectors * RH_WIDTH;
  for (ulong i = get_global_id(0); i < n - inside; i += get_global_size(0))
    mine = rh_combine(mine, rh_load(input, i < head ? i : i + inside));

  rh_value all = rh_group_shuffle_tree(scratch, mine);
  if (get_local_id(0) == 0) partials[get_group_id(0)] = all;
}

/* The second stage: one group combines the partial results in index order. */
__kernel void shuffle_finish(__global const rh_value *partials, ulong count,
                             __local rh_value *scratch, __global rh_value *result,
                             ulong result_index) {
  rh_value mine = rh_identity();
  for (ulong i = get_local_id(0); i < count; i += get_local_size(0))
    mine = rh_combine(mine, partials[i]);
  rh_value all = rh_group_shuffle_tree(scratch, mine);
  if (get_local_id(0) == 0) result[result_index] = all;
}
