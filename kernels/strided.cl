/* Every work-item walks over the input in a grid stride and writes its own result. */
__kernel void strided(RH_OPERANDS_PARAMETERS, ulong first, ulong n, __global rh_value *partials) {
  partials[get_global_id(0)] = rh_take_strided(rh_operands_at(RH_OPERANDS, first), n);
}
