/* One stage: a tree that regroups and never reorders, with the article's mask.  The active
 * work-items become sparser with every level.  The article's group sizes are powers of two; here a
 * work-item without a neighbour waits. */
static inline void tree_associative(__local rh_value *scratch, rh_value mine,
                                    __global rh_value *to) {
  uint i = get_local_id(0), size = get_local_size(0);
  scratch[i] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint offset = 1; offset < size; offset <<= 1) {
    uint mask = (offset << 1) - 1;
    if ((i & mask) == 0 && i + offset < size)
      scratch[i] = rh_combine(scratch[i], scratch[i + offset]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i == 0) to[get_group_id(0)] = scratch[0];
}

__kernel void tree_associative_elements(RH_OPERANDS_PARAMETERS, ulong first, ulong n,
                                        __local rh_value *scratch, __global rh_value *to,
                                        ulong at) {
  ulong i = get_global_id(0);
  tree_associative(scratch, i < n ? rh_load(rh_operands_at(RH_OPERANDS, first), i) : rh_identity(),
                   to + at);
}

__kernel void tree_associative_values(__global const rh_value *from, ulong first, ulong n,
                                      __local rh_value *scratch, __global rh_value *to, ulong at) {
  ulong i = get_global_id(0);
  tree_associative(scratch, i < n ? from[first + i] : rh_identity(), to + at);
}
