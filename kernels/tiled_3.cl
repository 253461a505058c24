/* One level: the stride starts at half a tile and halves (rh_group_tree), so that consecutive
 * work-items combine at consecutive addresses, which lie in different banks. */
static inline void tiled_3(__local rh_value *tile, rh_value mine, __global rh_value *to) {
  rh_value all = rh_group_tree(tile, mine);
  if (get_local_id(0) == 0) to[get_group_id(0)] = all;
}

__kernel void tiled_3_elements(RH_OPERANDS_PARAMETERS, ulong first, ulong n, __local rh_value *tile,
                               __global rh_value *to, ulong at) {
  ulong i = get_global_id(0);
  tiled_3(tile, i < n ? rh_load(rh_operands_at(RH_OPERANDS, first), i) : rh_identity(), to + at);
}

__kernel void tiled_3_values(__global const rh_value *from, ulong first, ulong n,
                             __local rh_value *tile, __global rh_value *to, ulong at) {
  ulong i = get_global_id(0);
  tiled_3(tile, i < n ? from[first + i] : rh_identity(), to + at);
}
