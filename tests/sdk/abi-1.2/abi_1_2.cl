/* The names of the prelude that came with 1.2, and segments.  A group takes one after the other. */
#ifdef ABI_COLUMNS
#define STEP inner
#else
#define STEP 1
#endif

static rh_value element(rh_operands segment, ulong step, ulong k) {
#ifdef RH_OPERANDS_ARE_COUNTED
  segment = rh_operands_skip(segment, k * step);
  segment.first = k;
  return rh_load(segment, 0);
#else
  rh_value value = rh_load(segment, k * step);
#ifdef RH_IS_INDEXED
  value.index = k;
#endif
  return value;
#endif
}

__kernel void abi_1_2(RH_OPERANDS_PARAMETERS, ulong first, ulong segments, ulong length,
                      ulong inner, __global const ulong *starts,
                      __global const ulong *stops, __local rh_value *scratch,
                      __global rh_value *result, ulong at) {
  for (ulong s = get_group_id(0); s < segments; s += get_num_groups(0)) {
    ulong begin = starts ? starts[s] : s / inner * length * inner + s % inner;
    ulong n = starts ? stops[s] - begin : length;
    ulong run = (n + get_local_size(0) - 1) / get_local_size(0);
    ulong from = min(get_local_id(0) * run, n), to = min(from + run, n);
    rh_operands segment = rh_operands_at(RH_OPERANDS, first + begin);
    rh_value mine = rh_identity();
    for (ulong i = from; i < to; i++) mine = rh_combine(mine, element(segment, STEP, i));
    rh_value all = rh_group_tree_ordered(scratch, mine);
    if (get_local_id(0) == 0) result[at + s] = all;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

/* The canonical order, of all elements: each work-item, a team of its own, makes nodes of tiles. */
__kernel void abi_1_2_tiles(RH_OPERANDS_PARAMETERS, ulong first, ulong n,
                            __global rh_value *nodes) {
#ifdef RH_CANONICAL
  rh_operands input = rh_operands_at(RH_OPERANDS, first);
  nodes[get_global_id(0)] = rh_tile_fold(0, rh_tile_load(input, n, get_global_id(0), false));
#endif
}

__kernel void abi_1_2_finish(__global const rh_value *nodes, ulong count,
                             __global rh_value *result, ulong at) {
#ifdef RH_CANONICAL
  rh_sequence s;
  rh_sequence_begin(&s);
  for (ulong k = 0; k < count; k++) rh_sequence_add(&s, nodes[k]);
  result[at] = rh_sequence_value(&s);
#endif
}
