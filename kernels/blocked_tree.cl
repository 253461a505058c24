/* Blocked access, then a tree in local memory. */
__kernel void blocked_tree(RH_OPERANDS_PARAMETERS, ulong first, ulong n, ulong width, ulong each,
                           __local rh_value *scratch, __global rh_value *partials) {
  rh_value all =
      rh_group_tree(scratch, rh_take_blocked(rh_operands_at(RH_OPERANDS, first), n, width, each));
  if (get_local_id(0) == 0) partials[get_group_id(0)] = all;
}
