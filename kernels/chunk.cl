/* Every work-item reduces one contiguous chunk.  Neighbouring work-items read addresses far apart,
 * so no compiler vectorizes this loop. */
__kernel void chunk(RH_OPERANDS_PARAMETERS, ulong first, ulong n, ulong chunk,
                    __global rh_value *partials) {
  rh_operands input = rh_operands_at(RH_OPERANDS, first);
  ulong begin = min(get_global_id(0) * chunk, n), end = min(begin + chunk, n);
  rh_value mine = rh_identity();
  for (ulong i = begin; i < end; i++) mine = rh_combine(mine, rh_load(input, i));
  partials[get_global_id(0)] = mine;
}
