/* OpenCL C's built-in work-group reduction: over one element per work-item, then, in a single
 * group, over the groups' results. */
__kernel void builtin_elements(__global const rh_element *input, ulong first, ulong n,
                               __global rh_value *partials) {
  ulong i = get_global_id(0);
  rh_value all = rh_group_builtin(i < n ? rh_load(input + first, i) : rh_identity());
  if (get_local_id(0) == 0) partials[get_group_id(0)] = all;
}

__kernel void builtin_partials(__global const rh_value *partials, ulong count,
                               __global rh_value *result, ulong result_index) {
  rh_value mine = rh_identity();
  for (ulong i = get_local_id(0); i < count; i += get_local_size(0))
    mine = rh_combine(mine, partials[i]);
  rh_value all = rh_group_builtin(mine);
  if (get_local_id(0) == 0) result[result_index] = all;
}
