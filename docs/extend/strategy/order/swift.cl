/* swift with the same bits everywhere: the canonical order of docs/inside/bits.md.  The options come from
 * swift.c.  SPDX-License-Identifier: MIT */

/* A group, which is one team, takes 2^log tiles from a multiple of 2^log on, and leaves their
 * node of the tree.  Which tiles a group takes changes no bit. */
__kernel void runs(__global const rh_element *input, ulong first, ulong n, uint log,
                   __local rh_value *scratch, __global rh_value *nodes) {
  ulong tile = (ulong)get_group_id(0) << log;
  rh_sequence run;
  rh_sequence_begin(&run);
  for (uint k = 0; k < 1u << log; k++) {
    rh_vector share = rh_tile_load(input + first, n, tile + k, first % RH_WIDTH == 0);
    rh_sequence_add(&run, rh_tile_fold(scratch, share));
  }
  if (get_local_id(0) == 0) nodes[get_group_id(0)] = rh_sequence_value(&run);
}

/* One group: each work-item takes `each` nodes side by side, a power of two, and so they stand in
 * the tree. */
__kernel void finish(__global const rh_value *nodes, uint count, uint each,
                     __local rh_value *scratch, __global rh_value *result, ulong at) {
  uint k = get_local_id(0) * each, end = min(k + each, count);
  rh_sequence mine;
  rh_sequence_begin(&mine);
  for (; k < end; k++) rh_sequence_add(&mine, nodes[k]);
  rh_value all = rh_group_tree_ordered(scratch, rh_sequence_value(&mine));
  if (get_local_id(0) == 0) result[at] = all;
}
