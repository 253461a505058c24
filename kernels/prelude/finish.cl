/* The last step on the device, for strategies whose article finishes on the host (finish=device,
 * see rh_finish in redhost/kit.h).  One work-group combines `count` partial results in index order:
 * each work-item reduces a contiguous range of them, then an ordered tree follows. */
#ifdef RH_FINISH

__kernel void rh_finish(__global const rh_value *partials, ulong count, __local rh_value *scratch,
                        __global rh_value *result, ulong result_index) {
  ulong run = (count + get_local_size(0) - 1) / get_local_size(0);
  ulong begin = get_local_id(0) * run, end = min(begin + run, count);
  rh_value mine = rh_identity();
  for (ulong i = begin; i < end; i++) mine = rh_combine(mine, partials[i]);
  rh_value all = rh_group_tree_ordered(scratch, mine);
  if (get_local_id(0) == 0) result[result_index] = all;
}

#endif
