/* OpenCL C's built-in reduction of a work-group, of OpenCL C 2.0, or 3.0 with
 * __opencl_c_work_group_collective_functions; a plugin enables it with -DRH_BUILTIN.  It exists for
 * these operators and for every rh_value that is not a pair.  All work-items of the group must call
 * it, and all get the result; the driver chooses the order. */
#ifdef RH_BUILTIN

#if defined(RH_OP_sum)
static inline rh_value rh_group_builtin(rh_value mine) {
  rh_value all = work_group_reduce_add(mine);
#ifdef RH_IS_FLOAT
  /* A driver that starts from +0 loses the sign of a sum in which every element is -0.  `all` is
   * the same in the whole group. */
  if (all == 0) {
    if (work_group_all(mine == 0 && signbit(mine))) all = RH_IDENTITY;
  }
#endif
  return all;
}
#elif defined(RH_OP_min)
#define rh_group_builtin(mine) work_group_reduce_min(mine)
#elif defined(RH_OP_max)
#define rh_group_builtin(mine) work_group_reduce_max(mine)
#endif

#endif
