/* The first stage launches just enough work-groups to fill the device.  Every work-item keeps a
 * running result in a grid stride, then a tree reduces the group.  The second stage is the
 * prelude's rh_finish. */
__kernel void two_stage(RH_OPERANDS_PARAMETERS, ulong first, ulong n, __local rh_value *scratch,
                        __global rh_value *partials) {
  rh_operands input = rh_operands_at(RH_OPERANDS, first);
  rh_value mine = rh_identity();
  for (ulong i = get_global_id(0); i < n; i += get_global_size(0))
    mine = rh_combine(mine, rh_load(input, i));

  rh_value all = rh_group_tree(scratch, mine);
  if (get_local_id(0) == 0) partials[get_group_id(0)] = all;
}
