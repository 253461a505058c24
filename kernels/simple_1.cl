/* Two partial results: the total of the halving, and the tail. */
enum { TOTAL, TAIL };

/* The first level, from elements: a[i] = a[i] + a[i+s] for s = n/2, with the sums in `to`.  The
 * last work-item initialises the tail with the element that an odd n leaves over.  With n < 2 there
 * is nothing to halve. */
__kernel void simple_1_elements(RH_OPERANDS_PARAMETERS, ulong first, ulong n, __global rh_value *to,
                                __global rh_value *partials) {
  rh_operands input = rh_operands_at(RH_OPERANDS, first);
  ulong i = get_global_id(0), s = n / 2, active = max(s, (ulong)1);
  if (i >= active) return;
  rh_value sum = s ? rh_combine(rh_load(input, i), rh_load(input, i + s)) : rh_identity();
  to[i] = sum;
  if (i == active - 1) {
    rh_value tail = n % 2 ? rh_load(input, n - 1) : rh_identity();
    partials[TAIL] = s % 2 && s != 1 ? rh_combine(tail, sum) : tail;
  }
}

/* A level in place: a[i] = a[i] + a[i+s].  If s is odd, the next level cuts off the last value, so
 * this value's work-item adds it to the tail now.  `to` is `a` itself, or `partials` at the last
 * level. */
__kernel void simple_1_values(__global rh_value *a, ulong s, __global rh_value *to,
                              __global rh_value *partials) {
  ulong i = get_global_id(0);
  if (i >= s) return;
  rh_value sum = rh_combine(a[i], a[i + s]);
  to[i] = sum;
  if (i == s - 1 && s % 2 && s != 1) partials[TAIL] = rh_combine(partials[TAIL], sum);
}
