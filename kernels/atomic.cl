/* A tree in local memory over one element for each work-item, then one atomic for each group on the
 * result. */
__kernel void atomic_tree(__global const rh_element *input, ulong first, ulong n,
                          __local rh_value *scratch, volatile __global rh_value *result,
                          ulong result_index) {
  ulong i = get_global_id(0);
  rh_value all = rh_group_tree(scratch, i < n ? rh_load(input + first, i) : rh_identity());
  if (get_local_id(0) == 0) rh_atomic_combine(result + result_index, all);
}
