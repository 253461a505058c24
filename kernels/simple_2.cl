/* WINDOW values become one: a[i] is the sum of a[i], a[i+s], ... for s = n/WINDOW, at to[at+i].
 * The last work-item adds, alone, the up to WINDOW-1 values that this level cuts off to the tail,
 * partials[0].  (Adding what the next level will cut off, as simple_1 does, would read what other
 * work-items are about to write.) */
#ifndef WINDOW
#define WINDOW 8
#endif

/* The first level, from elements.  With n < WINDOW everything is tail. */
__kernel void simple_2_elements(__global const rh_element *input, ulong first, ulong n,
                                __global rh_value *to, ulong at, __global rh_value *partials) {
  input += first;
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

/* A level in place, n >= WINDOW.  `to` is `a` itself, and partials at the last level. */
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
