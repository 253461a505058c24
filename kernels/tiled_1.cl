/* One level: the tile's values are combined in local memory, neighbours first.  The active
 * work-items are those whose index is a multiple of twice the stride; they are scattered over the
 * whole tile and diverge.  The loop stands here and not in the prelude because the later steps are
 * measured against it, slow modulo included. */
static inline void tiled_1(__local rh_value *tile, rh_value mine, __global rh_value *to) {
  uint tid = get_local_id(0), size = get_local_size(0);
  tile[tid] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint s = 1; s < size; s *= 2) {
    if (tid % (2 * s) == 0 && tid + s < size) tile[tid] = rh_combine(tile[tid], tile[tid + s]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (tid == 0) to[get_group_id(0)] = tile[0];
}

__kernel void tiled_1_elements(RH_OPERANDS_PARAMETERS, ulong first, ulong n, __local rh_value *tile,
                               __global rh_value *to, ulong at) {
  ulong i = get_global_id(0);
  tiled_1(tile, i < n ? rh_load(rh_operands_at(RH_OPERANDS, first), i) : rh_identity(), to + at);
}

__kernel void tiled_1_values(__global const rh_value *from, ulong first, ulong n,
                             __local rh_value *tile, __global rh_value *to, ulong at) {
  ulong i = get_global_id(0);
  tiled_1(tile, i < n ? from[first + i] : rh_identity(), to + at);
}
