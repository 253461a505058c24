/* A single group: every work-item reduces its share of the input, striding by the group's size;
 * then all levels of the tree run in one loop, in global memory. */
__kernel void top_down_single(RH_OPERANDS_PARAMETERS, ulong first, ulong n, __global rh_value *arr,
                              __global rh_value *result, ulong result_index) {
  rh_operands input = rh_operands_at(RH_OPERANDS, first);
  uint i = get_local_id(0), size = get_local_size(0);
  rh_value mine = rh_identity();
  for (ulong k = i; k < n; k += size) mine = rh_combine(mine, rh_load(input, k));
  arr[i] = mine;
  barrier(CLK_GLOBAL_MEM_FENCE);

  for (uint left = size; left > 1;) {
    /* rounded up: an odd value in the middle waits for the next level */
    uint stride = (left + 1) / 2;
    if (i + stride < left) arr[i] = rh_combine(arr[i], arr[i + stride]);
    barrier(CLK_GLOBAL_MEM_FENCE); /* the next level reads what this one wrote */
    left = stride;
  }
  if (i == 0) result[result_index] = arr[0];
}
