/* A program that wants a sum: what redhost/redhost.h shows, and nothing else of redhost. */
#include <redhost/redhost.h>
#include <stdio.h>

enum { N = 1000 };

int main(void) {
  static int32_t x[N];
  for (int k = 0; k < N; k++) x[k] = k + 1;

  rh_redhost *redhost;
  rh_error error;
  rh_result result;
  if (rh_open(&redhost, NULL, &error) != RH_OK) {
    fprintf(stderr, "sum: %s\n", error.message);
    return 1;
  }
  rh_request request = {.op = "sum", .type = RH_TYPE_i32, .data = x, .n = N};
  rh_status status = rh_reduce(redhost, &request, &result, &error);
  if (status == RH_OK)
    printf("%lld\n", (long long)result.value.i);
  else
    fprintf(stderr, "sum: %s\n", error.message);
  rh_close(redhost);
  return status == RH_OK ? 0 : 1;
}
