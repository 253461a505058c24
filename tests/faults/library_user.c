/* A program that uses the library, for the sweeps: each kind of call twice, since a call that
 * failed once may succeed the next time.  The sums are of integers, so every strategy must give the
 * same.  Exit status 1: a wrong sum; 5: a call failed with a message. */
#include <redhost/redhost.h>

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { N = 70001 };
static int32_t data[N];
static int64_t expected;
static int failures, wrong;

static void on_log(void *user, uint32_t level, const char *text) {
  (void)user;
  if (level <= RH_LOG_WARNING) fprintf(stderr, "library: %s.\n", text);
}

static void note(const char *what, rh_status status, const rh_result *result,
                 const rh_error *error) {
  if (status != RH_OK) {
    fprintf(stderr, "library: %s: %s.\n", what, error->message);
    failures++;
    if (!error->message[0] || error->status != status) wrong++;
  } else if (result && result->value.i != expected) {
    printf("%s is wrong: %lld\n", what, (long long)result->value.i);
    wrong++;
  }
}

static void reduce(rh_redhost *redhost, const char *strategy) {
  rh_request request = {.struct_size = sizeof request,
                        .strategy = strategy,
                        .op = "sum",
                        .type = RH_TYPE_i32,
                        .data = data,
                        .n = N};
  for (int k = 0; k < 3; k++) {
    rh_result result = {.struct_size = sizeof result};
    rh_error error = {0};
    request.unchecked = k == 2;
    rh_status status = rh_reduce(redhost, &request, &result, &error);
    note(strategy, status, &result, &error);
  }
}

static void prepare(rh_redhost *redhost) {
  rh_request spec = {
      .struct_size = sizeof spec, .strategy = "cascade", .op = "sum", .type = RH_TYPE_i32, .n = N};
  rh_prepared *prepared = NULL;
  rh_result result = {.struct_size = sizeof result};
  rh_error error = {0};
  rh_status status = rh_prepare(redhost, &spec, &prepared, &error);
  note("rh_prepare", status, NULL, &error);
  for (int k = 0; k < 2 && status == RH_OK; k++) {
    rh_status of_run = rh_prepared_run(prepared, data, N, &result, &error);
    note("rh_prepared_run", of_run, &result, &error);
  }
  rh_prepared_destroy(prepared);
}

int main(void) {
  for (int k = 0; k < N; k++) expected += data[k] = (k % 1000) * (k % 7 - 3);
  for (int k = 0; k < 2; k++) {
    rh_redhost *redhost;
    rh_options options = {.struct_size = sizeof options, .reporter = {.log = on_log}};
    rh_error error = {0};
    rh_status status = rh_open(&redhost, &options, &error);
    note("rh_open", status, NULL, &error);
    if (status != RH_OK) continue;
    reduce(redhost, "auto");
    reduce(redhost, "cascade");
    if (k) prepare(redhost);
    rh_close(redhost);
  }
  if (!wrong && !failures) printf("right\n");
  return wrong ? 1 : failures ? 5 : 0;
}
