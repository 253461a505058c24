/* Blocked access, then OpenCL C's built-in work-group reduction. */
__kernel void blocked_builtin(__global const rh_element *input, ulong first, ulong n, ulong width,
                              ulong each, __global rh_value *partials) {
  rh_value all = rh_group_builtin(rh_take_blocked(input + first, n, width, each));
  if (get_local_id(0) == 0) partials[get_group_id(0)] = all;
}
