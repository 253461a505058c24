/* A library without any knowledge of redhost, for tests/unit/test_foreign.c and
 * tests/cli/test_foreign.py: functions of many signatures, correct and wrong ones. */
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- By return value ---- */

float plain_sum(const float *x, size_t n) {
  float sum = 0;
  for (size_t i = 0; i < n; i++) sum += x[i];
  return sum;
}

double wide_sum(const float *x, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += x[i];
  return sum;
}

int64_t sum_of_i16(const int16_t *x, uint32_t n) {
  int64_t sum = 0;
  for (uint32_t i = 0; i < n; i++) sum += x[i];
  return sum;
}

/* Small integers come back in a register that is wider. */
int8_t least_of_i8(const int8_t *x, int n) {
  int8_t least = x[0];
  for (int i = 1; i < n; i++)
    if (x[i] < least) least = x[i];
  return least;
}

uint8_t xor_of_u8(const uint8_t *x, size_t n) {
  uint8_t all = 0;
  for (size_t i = 0; i < n; i++) all ^= x[i];
  return all;
}

uint8_t largest_magnitude_of_i8(const int8_t *x, size_t n) {
  int largest = 0;
  for (size_t i = 0; i < n; i++)
    if (abs(x[i]) > largest) largest = abs(x[i]);
  return (uint8_t)largest;
}

/* x -> a*x + b over 32-bit words, one map after the other. */
uint64_t compose_all(const uint64_t *x, size_t n) {
  uint32_t a = 1, b = 0;
  for (size_t i = 0; i < n; i++) {
    b = (uint32_t)x[i] * b + (uint32_t)(x[i] >> 32);
    a = (uint32_t)x[i] * a;
  }
  return (uint64_t)b << 32 | a;
}

/* ---- By pointer; counts of 32 and fewer bits; strides; constants ---- */

void asum_into(int n, const double *x, int stride, double *to) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += fabs(x[i * stride]);
  *to = sum;
}

/* Returns 7 if the first element is negative. */
int largest_into(uint32_t n, const int32_t *x, int32_t *to) {
  if (x[0] < 0) return 7;
  *to = x[0];
  for (uint32_t i = 1; i < n; i++)
    if (x[i] > *to) *to = x[i];
  return 0;
}

/* Rejects more elements than it supports, with a message. */
int32_t sum_of_at_most_7(const int32_t *x, int32_t n) {
  int32_t sum = 0;
  if (n < 1 || n > 7) return INT32_MIN;
  for (int32_t i = 0; i < n; i++) sum += x[i];
  return sum;
}

/* As Fortran counts: from 1. */
uint8_t index_from_1(const float *x, uint8_t n) {
  uint8_t at = 0;
  for (uint8_t i = 1; i < n; i++)
    if (x[i] > x[at]) at = i;
  return (uint8_t)(at + 1);
}

int64_t index_from_0(const float *x, size_t n) {
  size_t at = 0;
  for (size_t i = 1; i < n; i++)
    if (x[i] > x[at]) at = i;
  return (int64_t)at;
}

/* NaN unless every constant arrives as declared. */
double with_constants(int8_t minus_one, double half, const double *x, const void *nothing, long n,
                      uint16_t largest, float quarter, uint64_t one) {
  double sum = 0;
  if (minus_one != -1 || half != 0.5 || nothing || largest != 65535 || quarter != 0.25f || one != 1)
    return NAN;
  for (long i = 0; i < n; i++) sum += x[i];
  return sum;
}

/* ---- Wrong ones ---- */

const int no_function = 1;

void writes_nothing(size_t n, const float *x, float *to) {
  (void)n;
  (void)x;
  (void)to;
}

float forgets_the_last(const float *x, size_t n) { return plain_sum(x, n - 1); }

int64_t forgets_the_last_i16(const int16_t *x, uint32_t n) { return sum_of_i16(x, n - 1); }

float signed_magnitude(const float *x, size_t n) { return n ? -fabsf(x[0]) : 0; }

float crashes(const float *x, size_t n) {
  (void)x;
  (void)n;
  abort();
}

float hangs(const float *x, size_t n) {
  (void)x;
  (void)n;
  for (;;) pause();
}
