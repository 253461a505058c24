/* One group of many.  With `blocks`, each group reads one contiguous block of the input, its work-items side by side in
 * it; otherwise all groups stride over the input together.  Then the group's values meet in a tree. */
__kernel void reduce(__global const rh_element *input, ulong first, ulong n, uint blocks,
                     __local rh_value *scratch, __global rh_value *partials) {
  input += first;
  ulong block = (n + get_num_groups(0) - 1) / get_num_groups(0);
  ulong begin = blocks ? min(get_group_id(0) * block, n) : 0;
  ulong end = blocks ? min(begin + block, n) : n;
  ulong at = blocks ? get_local_id(0) : get_global_id(0);
  ulong stride = blocks ? get_local_size(0) : get_global_size(0);

  rh_value mine = rh_identity();
  for (ulong i = begin + at; i < end; i += stride)
    mine = rh_combine(mine, rh_load(input, i));

  rh_value all = rh_group_tree(scratch, mine);
  if (get_local_id(0) == 0) partials[get_group_id(0)] = all;
}
