/* One tile of the cascade: every work-item walks over the input in a grid stride, so that loads
 * coalesce.  A tree in local memory then reduces the tile's partial results. */
__kernel void cascade(RH_OPERANDS_PARAMETERS, ulong first, ulong n, __local rh_value *tile,
                      __global rh_value *partials) {
  rh_operands input = rh_operands_at(RH_OPERANDS, first);
  rh_value mine = rh_identity();
  for (ulong i = get_global_id(0); i < n; i += get_global_size(0))
    mine = rh_combine(mine, rh_load(input, i));

  rh_value all = rh_group_tree(tile, mine);
  if (get_local_id(0) == 0) partials[get_group_id(0)] = all;
}
