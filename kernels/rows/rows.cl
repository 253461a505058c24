/* Segments along any axes of an array, copied so that they stand in rows. */

/* The axes of the copy, the slowest first, and how far apart their elements are in the array. */
typedef struct {
  ulong n, length[8], stride[8];
} rh_rows_axes;

static inline ulong divided(ulong a, ulong b) {
  if ((a | b) >> 32 == 0) return (uint)a / (uint)b; /* much faster */
  return a / b;
}

static inline ulong place_of(rh_rows_axes axes, ulong k) {
  ulong at = 0;
  for (ulong j = axes.n; j-- > 0;) {
    ulong rest = divided(k, axes.length[j]);
    at += (k - rest * axes.length[j]) * axes.stride[j];
    k = rest;
  }
  return at;
}

#define ROWS(name, word)                                                                           \
  __kernel void name(__global const word *from, ulong first, __global word *to, ulong n,           \
                     rh_rows_axes axes) {                                                          \
    ulong k = get_global_id(0);                                                                    \
    if (k < n) to[k] = from[first + place_of(axes, k)];                                            \
  }
ROWS(rows_1, uchar)
ROWS(rows_2, ushort)
ROWS(rows_4, uint)
ROWS(rows_8, ulong)
