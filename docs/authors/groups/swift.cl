/* One group of many: its work-items walk over the input with a stride of all work-items of all groups, so that neighbours
 * read neighbours; then the group's values meet in a tree. */
__kernel void reduce(__global const rh_element *input, ulong first, ulong n,
                     __local rh_value *scratch, __global rh_value *partials) {
  input += first;
  rh_value mine = rh_identity();
  for (ulong i = get_global_id(0); i < n; i += get_global_size(0))
    mine = rh_combine(mine, rh_load(input, i));

  rh_value all = rh_group_tree(scratch, mine);
  if (get_local_id(0) == 0) partials[get_group_id(0)] = all;
}
