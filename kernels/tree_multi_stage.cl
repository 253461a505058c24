/* One stage: one value per work-item, a tree in every group.  The first stage loads elements, the
 * second the values of the first. */
static inline void tree_multi_stage(__local rh_value *scratch, rh_value mine,
                                    __global rh_value *accum) {
  rh_value sum = rh_group_tree(scratch, mine);
  if (get_local_id(0) == 0) accum[get_group_id(0)] = sum;
}

__kernel void tree_multi_stage_1(RH_OPERANDS_PARAMETERS, ulong first, ulong n,
                                 __local rh_value *scratch, __global rh_value *accum) {
  ulong i = get_global_id(0);
  tree_multi_stage(scratch, i < n ? rh_load(rh_operands_at(RH_OPERANDS, first), i) : rh_identity(),
                   accum);
}

__kernel void tree_multi_stage_2(__global const rh_value *values, ulong n,
                                 __local rh_value *scratch, __global rh_value *accum) {
  ulong i = get_global_id(0);
  tree_multi_stage(scratch, i < n ? values[i] : rh_identity(), accum);
}
