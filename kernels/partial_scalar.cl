/* Each work-item stores one element in local memory, a tree halves them, and each group writes one
 * value.  The host combines the groups' values. */
__kernel void partial_scalar(RH_OPERANDS_PARAMETERS, ulong first, ulong n,
                             __local rh_value *partial_sums, __global rh_value *output) {
  ulong i = get_global_id(0);
  rh_value all = rh_group_tree(partial_sums, i < n ? rh_load(rh_operands_at(RH_OPERANDS, first), i)
                                                   : rh_identity());
  if (get_local_id(0) == 0) output[get_group_id(0)] = all;
}
