/* Each group is a single work-item, which reduces one contiguous block. */
__kernel void cpu_serial(RH_OPERANDS_PARAMETERS, ulong first, ulong n, ulong block,
                         __global rh_value *partials) {
  rh_operands input = rh_operands_at(RH_OPERANDS, first);
  ulong begin = min(get_group_id(0) * block, n), end = min(begin + block, n);
  rh_value accumulator = rh_identity();
  for (ulong i = begin; i < end; i++) accumulator = rh_combine(accumulator, rh_load(input, i));
  partials[get_group_id(0)] = accumulator;
}
