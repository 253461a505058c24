/* What a careful user writes instead of redhost: loops under OpenMP.  Their file is compiled with
 * -O3 -march=native -ffast-math. */
#ifndef MAP_LOOPS_H
#define MAP_LOOPS_H

#include <stdint.h>

typedef struct map_values {
  double first, second; /* what is computed; mean and variance */
} map_values;

typedef map_values map_loop(const void *x, const void *y, uint64_t n);

/* Dot products, and the largest difference, each in the elements' own precision. */
map_loop map_dot_f32, map_dot_f64, map_far_f32, map_far_f64;
/* Mean and variance of f32: sums and squares as doubles, in one pass; and in two passes in f32. */
map_loop map_one_pass_f32, map_two_passes_f32;
/* The same of f64, which has no wider type to be careful with. */
map_loop map_one_pass_f64, map_two_passes_f64;

#endif
