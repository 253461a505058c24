/* Every work-item combines one element into the result with an atomic operation. All of them
 * contend for one address. */
__kernel void atomic_global(__global const rh_element *input, ulong first, ulong n,
                            volatile __global rh_value *result, ulong result_index) {
  ulong i = get_global_id(0);
  if (i < n) rh_atomic_combine(result + result_index, rh_load(input + first, i));
}
