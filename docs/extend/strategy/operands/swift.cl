/* As the third step, for operators of several operands and values of any size: only the
 * parameters, and what `input` is, are others. */
__kernel void reduce(RH_OPERANDS_PARAMETERS, ulong first, ulong n, uint blocks,
                     __local rh_value *scratch, __global rh_value *partials) {
  rh_operands input = rh_operands_at(RH_OPERANDS, first);
  ulong head = min(rh_vector_head(input), n), vectors = (n - head) / RH_WIDTH;
  ulong block = (vectors + get_num_groups(0) - 1) / get_num_groups(0);
  ulong begin = blocks ? min(get_group_id(0) * block, vectors) : 0;
  ulong end = blocks ? min(begin + block, vectors) : vectors;
  ulong at = blocks ? get_local_id(0) : get_global_id(0);
  ulong stride = blocks ? get_local_size(0) : get_global_size(0);

  rh_vector lanes = rh_vector_identity();
  for (ulong v = begin + at; v < end; v += stride)
    lanes = rh_vector_combine(lanes, rh_vector_load(input, head + v * RH_WIDTH));
  rh_value mine = rh_vector_fold(lanes);

  ulong inside = vectors * RH_WIDTH;
  for (ulong i = get_global_id(0); i < n - inside; i += get_global_size(0))
    mine = rh_combine(mine, rh_load(input, i < head ? i : i + inside));

  rh_value all = rh_group_tree(scratch, mine);
  if (get_local_id(0) == 0) partials[get_group_id(0)] = all;
}
