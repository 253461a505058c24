/* One level: a tile covers twice as many elements as it has work-items.  Each work-item combines
 * two elements on load, a tile apart so that loads coalesce; then comes tiled_3's tree. */
static inline void tiled_4(__local rh_value *tile, rh_value a, rh_value b, __global rh_value *to) {
  rh_value all = rh_group_tree(tile, rh_combine(a, b));
  if (get_local_id(0) == 0) to[get_group_id(0)] = all;
}

/* The index of the work-item's first element. */
static inline ulong tiled_4_index(void) {
  return get_group_id(0) * 2 * get_local_size(0) + get_local_id(0);
}

__kernel void tiled_4_elements(RH_OPERANDS_PARAMETERS, ulong first, ulong n, __local rh_value *tile,
                               __global rh_value *to, ulong at) {
  ulong i = tiled_4_index(), j = i + get_local_size(0);
  rh_operands from = rh_operands_at(RH_OPERANDS, first);
  tiled_4(tile, i < n ? rh_load(from, i) : rh_identity(), j < n ? rh_load(from, j) : rh_identity(),
          to + at);
}

__kernel void tiled_4_values(__global const rh_value *from, ulong first, ulong n,
                             __local rh_value *tile, __global rh_value *to, ulong at) {
  ulong i = tiled_4_index(), j = i + get_local_size(0);
  from += first;
  tiled_4(tile, i < n ? from[i] : rh_identity(), j < n ? from[j] : rh_identity(), to + at);
}
