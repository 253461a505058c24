/* Rows of a matrix, reduced by the threads of an OpenMP program.  SPDX-License-Identifier: MIT */
#include <redhost/redhost.h>

#include <stdio.h>

enum { ROWS = 64, COLUMNS = 3000 };

static float x[ROWS][COLUMNS];
static double sums[ROWS];

/* Each thread has a prepared reduction of its own; they share the library's handle.  A row is too
 * short to be worth several threads, so each reduction takes one. */
static int reduce_rows(rh_redhost *redhost) {
  int failures = 0;
#pragma omp parallel reduction(+ : failures)
  {
    const rh_setting one = {"threads", "1"};
    rh_request request = {
        .struct_size = sizeof request, .type = RH_TYPE_f32, .op = "sum", .n = COLUMNS};
    rh_result result = {.struct_size = sizeof result};
    rh_prepared *sum = NULL;
    rh_error error;
    request.strategy = "native";
    request.settings = &one;
    request.n_settings = 1;
    failures += rh_prepare(redhost, &request, &sum, &error) != RH_OK;
#pragma omp for
    for (int row = 0; row < ROWS; row++) {
      if (sum && rh_prepared_run(sum, x[row], COLUMNS, &result, &error) == RH_OK)
        sums[row] = result.value.f;
      else
        failures++;
    }
    rh_prepared_destroy(sum);
  }
  return failures;
}

int main(void) {
  rh_redhost *redhost;
  rh_error error;
  for (int row = 0; row < ROWS; row++)
    for (int k = 0; k < COLUMNS; k++) x[row][k] = (float)row;
  if (rh_open(&redhost, NULL, &error) != RH_OK) {
    fprintf(stderr, "threads: %s\n", error.message);
    return 1;
  }
  int failures = reduce_rows(redhost);
  printf("row 1 %g\nrow 63 %g\nfailures %d\n", sums[1], sums[ROWS - 1], failures);
  rh_close(redhost);
  return failures > 0;
}
