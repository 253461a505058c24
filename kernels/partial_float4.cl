/* partial_scalar on vectors of 4 elements.  The tree combines whole vectors, and only the group's
 * last vector is folded to a scalar.  The first vector starts at an aligned address; the first
 * work-item of the first group also takes the few elements before the first vector and after the
 * last one. */
__kernel void partial_float4(RH_OPERANDS_PARAMETERS, ulong first, ulong n,
                             __local rh_vector *partial_sums, __global rh_value *output) {
  rh_operands input = rh_operands_at(RH_OPERANDS, first);
  ulong head = min(rh_vector_head(input), n), vectors = (n - head) / RH_WIDTH, v = get_global_id(0);
  rh_vector mine = rh_vector_identity();
  if (v < vectors) mine = rh_vector_load(input, head + v * RH_WIDTH);

  rh_vector lanes = rh_vector_group_tree(partial_sums, mine);
  if (get_local_id(0) != 0) return;
  rh_value all = rh_vector_fold(lanes);
  ulong inside = vectors * RH_WIDTH;
  if (get_group_id(0) == 0)
    for (ulong i = 0; i < n - inside; i++)
      all = rh_combine(all, rh_load(input, i < head ? i : i + inside));
  output[get_group_id(0)] = all;
}
