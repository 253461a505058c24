/* The first level: arr[i] += arr[i+stride], with the sum in to[i].  An empty input has no first
 * element; its result is the identity. */
__kernel void top_down_elements(RH_OPERANDS_PARAMETERS, ulong first, ulong n, __global rh_value *to,
                                ulong at) {
  rh_operands input = rh_operands_at(RH_OPERANDS, first);
  ulong i = get_global_id(0), stride = n - n / 2;
  if (i > 0 && i >= stride) return;
  rh_value sum = i < n ? rh_load(input, i) : rh_identity();
  if (i + stride < n) sum = rh_combine(sum, rh_load(input, i + stride));
  to[at + i] = sum;
}

/* A level over n values: arr[i] += arr[i+stride].  `to` is arr itself, or the result buffer at the
 * last level. */
__kernel void top_down_values(__global rh_value *arr, ulong n, ulong stride, __global rh_value *to,
                              ulong at) {
  ulong i = get_global_id(0);
  if (i + stride < n) to[at + i] = rh_combine(arr[i], arr[i + stride]);
}
