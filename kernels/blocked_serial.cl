/* Blocked access; then one work-item of the group combines, serially, the values that the others
 * stored in local memory. */
__kernel void blocked_serial(RH_OPERANDS_PARAMETERS, ulong first, ulong n, ulong width, ulong each,
                             __local rh_value *scratch, __global rh_value *partials) {
  scratch[get_local_id(0)] = rh_take_blocked(rh_operands_at(RH_OPERANDS, first), n, width, each);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) != 0) return;
  rh_value all = scratch[0];
  for (uint i = 1; i < get_local_size(0); i++) all = rh_combine(all, scratch[i]);
  partials[get_group_id(0)] = all;
}
