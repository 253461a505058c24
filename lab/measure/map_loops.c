#include "map_loops.h"

#include <math.h>

#define PRAGMA(text) _Pragma(#text)
#define REDUCED(...) PRAGMA(omp parallel for simd reduction(__VA_ARGS__) schedule(static))

#define DEFINE_LOOPS(type, real, magnitude)                                                        \
  map_values map_dot_##type(const void *first, const void *second, uint64_t n) {                   \
    const real *x = first, *y = second;                                                            \
    real sum = 0;                                                                                  \
    REDUCED(+ : sum)                                                                               \
    for (uint64_t k = 0; k < n; k++) sum += x[k] * y[k];                                           \
    return (map_values){(double)sum, 0};                                                           \
  }                                                                                                \
  map_values map_far_##type(const void *first, const void *second, uint64_t n) {                   \
    const real *x = first, *y = second;                                                            \
    real most = 0;                                                                                 \
    REDUCED(max : most)                                                                            \
    for (uint64_t k = 0; k < n; k++) {                                                             \
      real far = magnitude(x[k] - y[k]);                                                           \
      most = far > most ? far : most;                                                              \
    }                                                                                              \
    return (map_values){(double)most, 0};                                                          \
  }                                                                                                \
  map_values map_one_pass_##type(const void *first, const void *second, uint64_t n) {              \
    const real *x = first;                                                                         \
    double sum = 0, squares = 0, count = (double)n;                                                \
    (void)second;                                                                                  \
    REDUCED(+ : sum, squares)                                                                      \
    for (uint64_t k = 0; k < n; k++) {                                                             \
      double one = (double)x[k];                                                                   \
      sum += one;                                                                                  \
      squares += one * one;                                                                        \
    }                                                                                              \
    return (map_values){sum / count, squares / count - sum / count * (sum / count)};               \
  }                                                                                                \
  map_values map_two_passes_##type(const void *first, const void *second, uint64_t n) {            \
    const real *x = first;                                                                         \
    real sum = 0, squares = 0;                                                                     \
    (void)second;                                                                                  \
    REDUCED(+ : sum)                                                                               \
    for (uint64_t k = 0; k < n; k++) sum += x[k];                                                  \
    const real mean = sum / (real)n;                                                               \
    REDUCED(+ : squares)                                                                           \
    for (uint64_t k = 0; k < n; k++) squares += (x[k] - mean) * (x[k] - mean);                     \
    return (map_values){(double)mean, (double)(squares / (real)n)};                                \
  }
DEFINE_LOOPS(f32, float, fabsf)
DEFINE_LOOPS(f64, double, fabs)
