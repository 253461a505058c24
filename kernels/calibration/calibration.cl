/* Peak read bandwidth: sweeps over memory with almost no work per element.
 * They set the scale that `% of peak' is counted on, keep a device busy while the host enqueues a
 * batch, and show by their own time whether it has become slower (docs/inside/measuring.md). */

/* A sum that is dropped at its last step: a compiler cannot know that no sum of numbers from 1 to 2
 * is -1. */
#define FOLD2(v)  ((v).s0 + (v).s1)
#define FOLD4(v)  FOLD2((v).lo + (v).hi)
#define FOLD8(v)  FOLD4((v).lo + (v).hi)
#define FOLD16(v) FOLD8((v).lo + (v).hi)

/* Neighbouring work-items read neighbouring vectors, four of them in flight: for GPUs. */
#define DEFINE_STRIDED(W)                                                                          \
  __kernel void read_strided_##W(__global const float##W *x, ulong vectors, __global float *out) { \
    ulong stride = get_global_size(0), i = get_global_id(0);                                       \
    float##W a = 0, b = 0, c = 0, d = 0;                                                           \
    for (; i + 3 * stride < vectors; i += 4 * stride) {                                            \
      a += x[i];                                                                                   \
      b += x[i + stride];                                                                          \
      c += x[i + 2 * stride];                                                                      \
      d += x[i + 3 * stride];                                                                      \
    }                                                                                              \
    for (; i < vectors; i += stride) a += x[i];                                                    \
    a += b + c + d;                                                                                \
    float sum = FOLD##W(a);                                                                        \
    if (sum == -1.0f) *out = sum;                                                                  \
  }

/* Each work-item reads a run of its own from one end to the other: for CPUs. */
#define DEFINE_CHUNKED(W)                                                                          \
  __kernel void read_chunked_##W(__global const float##W *x, ulong vectors, __global float *out) { \
    ulong each = vectors / get_global_size(0), i = each * get_global_id(0), end = i + each;        \
    float##W a = 0, b = 0, c = 0, d = 0;                                                           \
    for (; i + 3 < end; i += 4) {                                                                  \
      a += x[i];                                                                                   \
      b += x[i + 1];                                                                               \
      c += x[i + 2];                                                                               \
      d += x[i + 3];                                                                               \
    }                                                                                              \
    a += b + c + d;                                                                                \
    float sum = FOLD##W(a);                                                                        \
    if (sum == -1.0f) *out = sum;                                                                  \
  }

/* The same, eight pages of memory side by side: a CPU fetches ahead in several pages at once, but
 * not beyond the end of one. */
#define DEFINE_PAGED(W)                                                                            \
  __kernel void read_paged_##W(__global const float##W *x, ulong vectors, __global float *out) {   \
    ulong each = vectors / get_global_size(0), i = each * get_global_id(0), end = i + each;        \
    const ulong page = 4096 / sizeof(float##W);                                                    \
    float##W a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;                               \
    for (; i + 8 * page <= end; i += 8 * page) {                                                   \
      for (ulong k = i; k < i + page; k++) {                                                       \
        a += x[k];                                                                                 \
        b += x[k + page];                                                                          \
        c += x[k + 2 * page];                                                                      \
        d += x[k + 3 * page];                                                                      \
        e += x[k + 4 * page];                                                                      \
        f += x[k + 5 * page];                                                                      \
        g += x[k + 6 * page];                                                                      \
        h += x[k + 7 * page];                                                                      \
      }                                                                                            \
    }                                                                                              \
    for (; i < end; i++) a += x[i];                                                                \
    a += b + c + d + e + f + g + h;                                                                \
    float sum = FOLD##W(a);                                                                        \
    if (sum == -1.0f) *out = sum;                                                                  \
  }

DEFINE_STRIDED(2)
DEFINE_STRIDED(4)
DEFINE_STRIDED(8)
DEFINE_CHUNKED(8)
DEFINE_CHUNKED(16)
DEFINE_PAGED(8)
DEFINE_PAGED(16)

__kernel void empty(__global float *out) {
  (void)out;
}

/* Numbers from 1 to 2 in no order: some devices compress memory whose contents repeat.  A word for
 * each work-item: any compiler makes vectors of that, and CPUs write from one end to the other. */
__kernel void fill(__global uint *x) {
  size_t i = get_global_id(0);
  uint r = (uint)i * 2654435761u;
  r ^= r >> 15;
  r *= 2246822519u;
  r ^= r >> 13;
  x[i] = 0x3f800000u | r >> 9;
}
