/* Every sub-group reads a contiguous range in blocks, and each work-item combines its vectors lane
 * by lane.  A tree over vectors in local memory follows, and the group writes RH_WIDTH lanes.
 * Blocks start at an aligned address; the first work-item takes the few elements before it. */
RH_SUBGROUP_KERNEL __kernel void subgroup(RH_OPERANDS_PARAMETERS, ulong first, ulong n, ulong loads,
                                          __local rh_vector *scratch, __global rh_value *partials) {
  rh_operands input = rh_operands_at(RH_OPERANDS, first);
  ulong head = min(rh_vector_head(input), n), block = rh_subgroup_lanes() * RH_WIDTH;
  ulong i = head + (get_group_id(0) * get_local_size(0) + rh_subgroup_first()) * loads * RH_WIDTH;
  rh_vector lanes =
      get_global_id(0) == 0 ? rh_vector_gather(input, 0, 1, head) : rh_vector_identity();
  for (ulong k = 0; k < loads; k++, i += block)
    lanes = rh_vector_combine(lanes, rh_subgroup_load(input, i, n));

  lanes = rh_vector_group_tree(scratch, lanes);
  if (get_local_id(0) != 0) return;
  rh_value values[RH_WIDTH];
  rh_vector_lanes(lanes, values);
  for (uint k = 0; k < RH_WIDTH; k++) partials[get_group_id(0) * RH_WIDTH + k] = values[k];
}
