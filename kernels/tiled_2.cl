/* One level: the same pairs as in tiled_1, but combined by consecutive work-items, each of which
 * computes the index of its pair.  Fewer warps or wavefronts diverge.  The addresses are a stride
 * apart, so they conflict in the same banks. */
static inline void tiled_2(__local rh_value *tile, rh_value mine, __global rh_value *to) {
  uint tid = get_local_id(0), size = get_local_size(0);
  tile[tid] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint s = 1; s < size; s *= 2) {
    uint index = 2 * s * tid;
    if (index + s < size) tile[index] = rh_combine(tile[index], tile[index + s]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (tid == 0) to[get_group_id(0)] = tile[0];
}

__kernel void tiled_2_elements(RH_OPERANDS_PARAMETERS, ulong first, ulong n, __local rh_value *tile,
                               __global rh_value *to, ulong at) {
  ulong i = get_global_id(0);
  tiled_2(tile, i < n ? rh_load(rh_operands_at(RH_OPERANDS, first), i) : rh_identity(), to + at);
}

__kernel void tiled_2_values(__global const rh_value *from, ulong first, ulong n,
                             __local rh_value *tile, __global rh_value *to, ulong at) {
  ulong i = get_global_id(0);
  tiled_2(tile, i < n ? from[first + i] : rh_identity(), to + at);
}
