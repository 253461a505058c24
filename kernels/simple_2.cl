/* WINDOW values become one: a[i] is the sum of a[i], a[i+s], ... for s = n/WINDOW, at to[at+i]. The
 * last work-item alone adds the values that this level cuts off, up to WINDOW-1, to the tail,
 * partials[0].  (simple_1 adds what the next level will cut off; here that would read values that
 * other work-items are about to write.) */
#ifndef WINDOW
#define WINDOW 8
#endif

/* The first level, from elements. With n < WINDOW all elements belong to the tail. */
__kernel void simple_2_elements(RH_OPERANDS_PARAMETERS, ulong first, ulong n, __global rh_value *to,
                                ulong at, __global rh_value *partials) {
  rh_operands input = rh_operands_at(RH_OPERANDS, first);
  ulong i = get_global_id(0), s = n / WINDOW;
  if (i < s) {
    rh_value sum = rh_load(input, i);
    for (ulong k = 1; k < WINDOW; k++) sum = rh_combine(sum, rh_load(input, i + k * s));
    to[at + i] = sum;
  }
  if (i == max(s, (ulong)1) - 1) {
    rh_value tail = rh_identity();
    for (ulong k = s * WINDOW; k < n; k++) tail = rh_combine(tail, rh_load(input, k));
    partials[0] = tail;
  }
}

/* A level in place, n >= WINDOW. `to` is `a` itself, or `partials` at the last level. */
__kernel void simple_2_values(__global rh_value *a, ulong first, ulong n, __global rh_value *to,
                              ulong at, __global rh_value *partials) {
  a += first;
  ulong i = get_global_id(0), s = n / WINDOW;
  if (i >= s) return;
  rh_value sum = a[i];
  for (ulong k = 1; k < WINDOW; k++) sum = rh_combine(sum, a[i + k * s]);
  to[at + i] = sum;
  if (i == s - 1)
    for (ulong k = s * WINDOW; k < n; k++) partials[0] = rh_combine(partials[0], a[k]);
}
