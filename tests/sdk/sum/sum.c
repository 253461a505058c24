/* A program that computes a sum with redhost/redhost.h alone. */
#include <redhost/redhost.h>
#include <stdio.h>

enum { N = 1000 };

/* Prepared once, run twice: 1 + 2 + ... + n, and the same without the 1. */
static rh_status sum_again(rh_redhost *redhost, const int32_t *x, rh_error *error) {
  rh_request spec = {.struct_size = sizeof spec, .op = "sum", .type = RH_TYPE_i32, .n = N};
  rh_prepared *sum;
  rh_result whole = {.struct_size = sizeof whole}, rest = whole;
  rh_status status = rh_prepare(redhost, &spec, &sum, error);
  if (status == RH_OK) status = rh_prepared_run(sum, x, N, &whole, error);
  if (status == RH_OK) status = rh_prepared_run(sum, x + 1, N - 1, &rest, error);
  if (status == RH_OK) printf("%lld %lld\n", (long long)whole.value.i, (long long)rest.value.i);
  rh_prepared_destroy(sum);
  return status;
}

int main(void) {
  static int32_t x[N];
  for (int k = 0; k < N; k++) x[k] = k + 1;

  rh_redhost *redhost;
  rh_error error;
  rh_result result = {.struct_size = sizeof result};
  if (rh_open(&redhost, NULL, &error) != RH_OK) {
    fprintf(stderr, "sum: %s\n", error.message);
    return 1;
  }
  rh_request request = {
      .struct_size = sizeof request, .op = "sum", .type = RH_TYPE_i32, .data = x, .n = N};
  rh_status status = rh_reduce(redhost, &request, &result, &error);
  if (status == RH_OK) {
    printf("%lld\n", (long long)result.value.i);
    status = sum_again(redhost, x, &error);
  }
  if (status != RH_OK) fprintf(stderr, "sum: %s\n", error.message);
  rh_close(redhost);
  return status == RH_OK ? 0 : 1;
}
