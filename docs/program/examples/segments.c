/* A result for each row, each column and each of some groups of an array.  SPDX-License-Identifier:
 * MIT */
#include <redhost/redhost.h>

#include <stdio.h>

enum { ROWS = 3, COLUMNS = 4, GROUPS = 3 };

static const float x[ROWS][COLUMNS] = {{1, 2, 3, 4}, {8, 7, 6, 5}, {0, 0, 9, 1}};

static int fail(const rh_error *error) {
  fprintf(stderr, "segments: %s\n", error->message);
  return 1;
}

static rh_request request_of(const char *op, const rh_segmentation *segments) {
  rh_request request = {.struct_size = sizeof request, .type = RH_TYPE_f32, .op = op};
  request.data = x;
  request.n = ROWS * COLUMNS;
  request.segments = segments;
  return request;
}

/* Two numbers for each row, of all of them in one call. */
static int rows(rh_redhost *redhost) {
  const uint64_t shape[] = {ROWS, COLUMNS};
  rh_segmentation along_1 = {
      .struct_size = sizeof along_1, .n_axes = 2, .reduced = 1u << 1, .lengths = shape};
  double mean[ROWS], variance[ROWS];
  rh_output outputs[] = {{.name = "mean", .type = RH_TYPE_f64, .data = mean, .n = ROWS},
                         {.name = "variance", .type = RH_TYPE_f64, .data = variance, .n = ROWS}};
  rh_request request = request_of("meanvar", &along_1);
  rh_result result = {.struct_size = sizeof result};
  rh_error error;
  request.outputs = outputs;
  request.n_outputs = 2;
  if (rh_reduce(redhost, &request, &result, &error) != RH_OK) return fail(&error);
  for (int row = 0; row < ROWS; row++)
    printf("row %d mean %g variance %.4g\n", row, mean[row], variance[row]);
  return 0;
}

/* Set up once, for any number of arrays of this shape. */
static int columns(rh_redhost *redhost) {
  const uint64_t shape[] = {ROWS, COLUMNS};
  rh_segmentation along_0 = {
      .struct_size = sizeof along_0, .n_axes = 2, .reduced = 1u << 0, .lengths = shape};
  int64_t greatest[COLUMNS];
  rh_output output = {.type = RH_TYPE_i64, .data = greatest, .n = COLUMNS};
  rh_request request = request_of("argmax", &along_0);
  const void *arrays[] = {x};
  rh_call_spec call = {.struct_size = sizeof call, .n = ROWS * COLUMNS, .arrays = arrays};
  rh_result result = {.struct_size = sizeof result};
  rh_prepared *argmax;
  rh_error error;
  if (rh_prepare(redhost, &request, &argmax, &error) != RH_OK) return fail(&error);
  call.outputs = &output;
  call.n_outputs = 1;
  rh_status status = rh_prepared_call(argmax, &call, &result, &error);
  rh_prepared_destroy(argmax);
  if (status != RH_OK) return fail(&error);
  for (int column = 0; column < COLUMNS; column++)
    printf("column %d is greatest in row %lld\n", column, (long long)greatest[column]);
  return 0;
}

static int groups(rh_redhost *redhost) {
  const uint64_t offsets[GROUPS + 1] = {0, 5, 5, 12};
  rh_segmentation back_to_back = {.struct_size = sizeof back_to_back,
                                  .starts = offsets,
                                  .stops = offsets + 1,
                                  .n_segments = GROUPS};
  float sums[GROUPS];
  rh_output output = {.type = RH_TYPE_f32, .data = sums, .n = GROUPS};
  rh_request request = request_of("sum", &back_to_back);
  rh_result result = {.struct_size = sizeof result};
  rh_error error;
  request.outputs = &output;
  request.n_outputs = 1;
  if (rh_reduce(redhost, &request, &result, &error) != RH_OK) return fail(&error);
  printf("groups %g %g %g\n", sums[0], sums[1], sums[2]);
  return 0;
}

int main(void) {
  rh_redhost *redhost;
  rh_error error;
  if (rh_open(&redhost, NULL, &error) != RH_OK) return fail(&error);
  int failed = rows(redhost) || columns(redhost) || groups(redhost);
  rh_close(redhost);
  return failed;
}
