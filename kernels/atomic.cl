/* Each work-item loads one element, each group reduces in local memory by a tree, and then combines
 * its value into the result with one atomic operation. */
__kernel void atomic_tree(__global const rh_element *input, ulong first, ulong n,
                          __local rh_value *scratch, volatile __global rh_value *result,
                          ulong result_index) {
  ulong i = get_global_id(0);
  rh_value all = rh_group_tree(scratch, i < n ? rh_load(input + first, i) : rh_identity());
  if (get_local_id(0) == 0) rh_atomic_combine(result + result_index, all);
}
