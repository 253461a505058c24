/* One launch of the lower levels: each work-item loads one element, or one value of the previous
 * launch, and each group runs its levels of the tree in local memory. */
__kernel void hybrid_tree_elements(RH_OPERANDS_PARAMETERS, ulong first, ulong n,
                                   __local rh_value *scratch, __global rh_value *to, ulong at) {
  ulong i = get_global_id(0);
  rh_value all = rh_group_tree(scratch, i < n ? rh_load(rh_operands_at(RH_OPERANDS, first), i)
                                              : rh_identity());
  if (get_local_id(0) == 0) to[at + get_group_id(0)] = all;
}

__kernel void hybrid_tree_values(__global const rh_value *from, ulong first, ulong n,
                                 __local rh_value *scratch, __global rh_value *to, ulong at) {
  ulong i = get_global_id(0);
  rh_value all = rh_group_tree(scratch, i < n ? from[first + i] : rh_identity());
  if (get_local_id(0) == 0) to[at + get_group_id(0)] = all;
}
