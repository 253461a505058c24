/* The smallest element of an array, and its index.  SPDX-License-Identifier: MIT */
#include <redhost/redhost.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000000 };

/* What is set up here serves any number of arrays of at most N elements. */
static rh_prepared *prepare(rh_redhost *redhost, const char *op) {
  rh_request request = {.struct_size = sizeof request, .type = RH_TYPE_f32, .op = op, .n = N};
  rh_prepared *prepared;
  rh_error error;
  if (rh_prepare(redhost, &request, &prepared, &error) == RH_OK) return prepared;
  fprintf(stderr, "extremes: %s\n", error.message);
  exit(1);
}

static rh_result run(rh_prepared *prepared, const float *x) {
  rh_result result = {.struct_size = sizeof result};
  rh_error error;
  if (rh_prepared_run(prepared, x, N, &result, &error) == RH_OK) return result;
  fprintf(stderr, "extremes: %s\n", error.message);
  exit(1);
}

int main(void) {
  static float x[N];
  rh_redhost *redhost;
  rh_error error;
  for (int k = 0; k < N; k++) x[k] = sinf(0.001f * (float)k);

  if (rh_open(&redhost, NULL, &error) != RH_OK) {
    fprintf(stderr, "extremes: %s\n", error.message);
    return 1;
  }
  rh_prepared *min = prepare(redhost, "min"), *argmin = prepare(redhost, "argmin");
  printf("min %g\n", run(min, x).value.f);
  printf("argmin %llu\n", (unsigned long long)run(argmin, x).index);

  rh_prepared_destroy(argmin);
  rh_prepared_destroy(min);
  rh_close(redhost);
  return 0;
}
