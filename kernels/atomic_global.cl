/* Every work-item adds its one element to the result by an atomic, and all of them wait for the
 * same place. */
__kernel void atomic_global(__global const rh_element *input, ulong first, ulong n,
                            volatile __global rh_value *result, ulong result_index) {
  ulong i = get_global_id(0);
  if (i < n) rh_atomic_combine(result + result_index, rh_load(input + first, i));
}
