/* The first level: each work-item combines a pair of neighbours, arr[2*i] += arr[2*i+1], and writes
 * the sum to to[i].  An empty input has no pair; its result is the identity. */
__kernel void bottom_up_elements(RH_OPERANDS_PARAMETERS, ulong first, ulong n,
                                 __global rh_value *to, ulong at) {
  rh_operands input = rh_operands_at(RH_OPERANDS, first);
  ulong i = get_global_id(0), left = 2 * i, right = left + 1;
  if (i > 0 && left >= n) return;
  rh_value pair = left < n ? rh_load(input, left) : rh_identity();
  if (right < n) pair = rh_combine(pair, rh_load(input, right));
  to[at + i] = pair;
}

/* A level over n values: arr[step*i] += arr[step*i+step/2].  `to` is arr itself, or the result
 * buffer at the last level. */
__kernel void bottom_up_values(__global rh_value *arr, ulong n, ulong step, __global rh_value *to,
                               ulong at) {
  ulong left = step * get_global_id(0), right = left + step / 2;
  if (right < n) to[at + left] = rh_combine(arr[left], arr[right]);
}
