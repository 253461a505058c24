/* partial_scalar on vectors of 4 elements: they stay vectors through the tree, and only what is
 * left of the group's is folded.  The vectors start where a vector load may; the few elements
 * before the first and behind the last vector are for the first group's first work-item. */
__kernel void partial_float4(__global const rh_element *input, ulong first, ulong n,
                             __local rh_vector *partial_sums, __global rh_value *output) {
  input += first;
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
