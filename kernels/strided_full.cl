/* strided, launched with as many work-items as the device keeps in flight. */
__kernel void strided_full(RH_OPERANDS_PARAMETERS, ulong first, ulong n,
                           __global rh_value *partials) {
  partials[get_global_id(0)] = rh_take_strided(rh_operands_at(RH_OPERANDS, first), n);
}
