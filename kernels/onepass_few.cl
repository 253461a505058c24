/* onepass of at most RH_GROUP elements by one group: an element for each work-item, and between the
 * launch and its load next to nothing.  The tree halves, as docs/bits.md halves a row, of which
 * these are the first lanes; the identity in the others changes no bit. */
__kernel __attribute__((reqd_work_group_size(RH_GROUP, 1, 1))) void
onepass_few(__global const rh_element *input, ulong first, uint n, __local rh_value *scratch,
            __global rh_value *result, ulong result_index) {
  uint id = (uint)get_local_id(0);
  rh_value mine = rh_identity();
  if (id < n) mine = rh_load(input + first, id);
#ifdef RH_FULL_SUB_GROUPS /* the group is one of them */
  mine = rh_sub_group_tree(mine);
#else
  mine = rh_group_tree(scratch, mine);
#endif
  if (id == 0) result[result_index] = mine;
}
