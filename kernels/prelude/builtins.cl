/* The language's own reduction of a work-group, where the plugin asks for it with -DRH_BUILTIN: OpenCL C 2.0, or 3.0 with
 * __opencl_c_work_group_collective_functions.  It exists for these operators and, in the types of every rh_value that is
 * no pair, for nothing else.  All work-items of the group must call, and all get the result; the order is the driver's. */
#ifdef RH_BUILTIN
#if defined(RH_OP_sum)
#define rh_group_builtin(mine) work_group_reduce_add(mine)
#elif defined(RH_OP_min)
#define rh_group_builtin(mine) work_group_reduce_min(mine)
#elif defined(RH_OP_max)
#define rh_group_builtin(mine) work_group_reduce_max(mine)
#endif
#endif
