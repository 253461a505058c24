/* One stage: the offset starts at half a group and halves (rh_group_tree), so that the active
 * work-items stay contiguous and whole wavefronts retire once they are idle. */
static inline void tree_commutative(__local rh_value *scratch, rh_value mine,
                                    __global rh_value *to) {
  rh_value all = rh_group_tree(scratch, mine);
  if (get_local_id(0) == 0) to[get_group_id(0)] = all;
}

__kernel void tree_commutative_elements(RH_OPERANDS_PARAMETERS, ulong first, ulong n,
                                        __local rh_value *scratch, __global rh_value *to,
                                        ulong at) {
  ulong i = get_global_id(0);
  tree_commutative(scratch, i < n ? rh_load(rh_operands_at(RH_OPERANDS, first), i) : rh_identity(),
                   to + at);
}

__kernel void tree_commutative_values(__global const rh_value *from, ulong first, ulong n,
                                      __local rh_value *scratch, __global rh_value *to, ulong at) {
  ulong i = get_global_id(0);
  tree_commutative(scratch, i < n ? from[first + i] : rh_identity(), to + at);
}
