/* One work-item, alone on the device, walks over the whole input. */
__kernel void serial_device(RH_OPERANDS_PARAMETERS, ulong first, ulong n, __global rh_value *result,
                            ulong result_index) {
  rh_operands input = rh_operands_at(RH_OPERANDS, first);
  rh_value accumulator = rh_identity();
  for (ulong i = 0; i < n; i++) accumulator = rh_combine(accumulator, rh_load(input, i));
  result[result_index] = accumulator;
}
