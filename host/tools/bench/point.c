#include "bench.h"

static int is_filled(const rh_point *point, const rh_job_spec *problem) {
  const rh_bench_data *data = &point->data;
  return data->elements && !point->is_overwritten && data->n == problem->operation.n &&
         (data->op == problem->operation.op ||
          (data->op->type == problem->operation.op->type && !data->op->is_custom &&
           !problem->operation.op->is_custom));
}

/* The operands of a user's operator stand side by side, in memory that is counted in bytes. */
static rh_status generate(rh_point *point, const rh_stage *stage, rh_error *error) {
  const rh_bench_settings *settings = stage->settings;
  rh_job_spec *problem = &point->problem;
  int is_custom = problem->operation.op->is_custom;
  rh_type type = is_custom ? RH_TYPE_u8 : problem->operation.op->type;
  uint64_t bytes = rh_operand_layout(problem, problem->offsets);
  uint64_t largest = 0, offsets[RH_MOST_OPERANDS];
  for (rh_bench_at at = {.t = 0}; rh_bench_next(settings, &at);) {
    uint64_t takes = rh_operand_layout(&at.problem, offsets);
    if (takes > largest) largest = takes;
  }
  /* The memory of all points' data: a page that is obtained anew has to be cleared. */
  RH_TRY(rh_array_reuse(&point->array, type, is_custom ? bytes : problem->operation.n, largest,
                        error));
  point->data.custom_bytes = is_custom ? bytes : 0;
  return rh_operand_data_fill(&point->array, problem, settings->data, settings->seed,
                              &stage->context->options.reporter, error);
}

rh_status rh_point_fill(rh_point *point, const rh_stage *stage, const rh_job_spec *problem,
                        rh_error *error) {
  enum { TWO_CACHE_LINES = 128 };
  const rh_cl_device *device = stage->device;
  if (is_filled(point, problem)) {
    point->problem.operation.op = point->data.op = problem->operation.op;
    return RH_OK;
  }
  point->problem = *problem;
  point->data = (rh_bench_data){
      .op = problem->operation.op, .n = problem->operation.n, .offsets = point->problem.offsets};
  RH_TRY(generate(point, stage, error));
  point->is_overwritten = 0;
  point->data.elements = rh_array_data(&point->array);
  point->data.serial = ++point->serial;
  uint64_t cold = device ? stage->bench_device.calibration.cold_bytes : RH_COLD_BYTES;
  uint64_t align =
      device && device->alignment > TWO_CACHE_LINES ? device->alignment : TWO_CACHE_LINES;
  rh_bench_copies(&point->data, stage->settings->hot ? 0 : cold, align);
  return RH_OK;
}

rh_status rh_point_cut(rh_point *point, const rh_stage *stage, const rh_cut *cut, rh_error *error) {
  rh_lengths *lengths = &point->lengths;
  rh_segments *judged = &point->segments;
  const rh_operator *op = point->data.op;
  point->data.lengths = NULL;
  free(judged->values);
  *judged = (rh_segments){0};
  if (cut->length == 0) return RH_OK;
  if (lengths->kind != cut->distribution || lengths->length != cut->length ||
      lengths->of != point->data.n)
    RH_TRY(rh_lengths_make(lengths, cut->distribution, cut->length, point->data.n,
                           stage->settings->seed, error));
  *judged = (rh_segments){.job = {.context = stage->context, .device = stage->device},
                          .spec = point->problem,
                          .value_bytes = op->abi->value_size,
                          .n = lengths->layout.segments};
  judged->spec.operation.op = op;
  judged->spec.operation.layout = &lengths->layout;
  judged->spec.operation.what = "--size";
  rh_job_operands_at(&judged->spec, point->data.elements, judged->operands);
  point->data.lengths = lengths;
  return rh_alloc(&judged->values, judged->n + 1, judged->value_bytes, "the values of segments",
                  error);
}

rh_status rh_point_reference(rh_point *point, const rh_stage *stage, rh_error *error) {
  RH_TRY(rh_by_code_prepare(point->data.op, stage->context, error));
  if (point->data.lengths) return RH_OK; /* each segment has its own */
  return rh_job_reference(&point->problem, point->data.elements, &stage->context->options.reporter,
                          &point->reference, error);
}

void rh_point_finish(rh_point *point) {
  rh_array_finish(&point->array);
  rh_lengths_finish(&point->lengths);
  free(point->segments.values);
  *point = (rh_point){0};
}
