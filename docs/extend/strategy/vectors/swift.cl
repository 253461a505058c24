/* As the second step, on vectors.  A vector load needs an aligned address, so the few elements in front of the first
 * vector and behind the last one are loaded one by one. */
__kernel void reduce(__global const rh_element *input, ulong first, ulong n, uint blocks,
                     __local rh_value *scratch, __global rh_value *partials) {
  input += first;
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
