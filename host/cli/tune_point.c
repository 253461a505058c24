#include "../core/base/clock.h"
#include "../core/base/error.h"
#include "../core/base/format.h"
#include "tune_work.h"

static uint64_t copy_alignment(const rh_cl_device *device) {
  cl_uint bits = 0;
  if (device) clGetDeviceInfo(device->id, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits, &bits, NULL);
  return bits / 8 > 128 ? bits / 8 : 128; /* and at least two lines of a cache */
}

static rh_status make_data(rh_tune_work *w, rh_type type, uint64_t n, rh_error *error) {
  rh_tune_point *point = &w->point;
  const rh_cl_device *device = w->stage.device;
  if (point->array.n == n && point->array.type == type) return RH_OK;
  rh_array_finish(&point->array);
  RH_TRY(rh_array_reserve(&point->array, type, n, 0, error));
  RH_TRY(rh_array_fill(&point->array, w->settings.data, w->settings.seed,
                       &w->app->redhost->options.reporter, error));
  point->data = (rh_bench_data){
      .type = type,
      .n = n,
      .elements = rh_array_data(&point->array),
      .serial = ++point->serial,
  };
  rh_bench_copies(&point->data, device ? w->stage.range.calibration.cold_bytes : 512ull << 20,
                  copy_alignment(device));
  return RH_OK;
}

static rh_status judge_by(const rh_tune_work *w, const rh_bench_data *data, rh_reference *reference,
                          rh_bench_scale *scale, rh_error *error) {
  const rh_cl_device *device = w->stage.device;
  *scale = (rh_bench_scale){.reference = reference};
  if (device) {
    scale->flushes = (int)(data->type == RH_TYPE_f64 ? device->flushes_f64 : device->flushes_f32);
    scale->read_peak = w->stage.range.calibration.read_peak;
    scale->launch_s = w->stage.range.calibration.launch_s;
  }
  return rh_reference_compute(reference, data->op, data->type, data->elements, data->n, 0,
                              &w->app->redhost->options.reporter, error);
}

rh_status rh_tune_use_point(rh_tune_work *w, uint32_t op, rh_type type, uint64_t n,
                            rh_error *error) {
  static const uint64_t large = (uint64_t)1 << 22;
  rh_tune_point *point = &w->point;
  if (point->is_ready && point->data.op == op && point->data.type == type && point->data.n == n)
    return RH_OK;
  point->is_ready = 0;
  RH_TRY(make_data(w, type, n, error));
  point->data.op = op;
  RH_TRY(judge_by(w, &point->data, &point->reference, &point->scale, error));
  point->has_small = n >= large;
  if (point->has_small) {
    point->small = point->data;
    point->small.n = n / RH_TUNE_SMALL;
    point->small.copies = 1;
    RH_TRY(judge_by(w, &point->small, &point->small_reference, &point->small_scale, error));
  }
  point->is_ready = 1;
  return RH_OK;
}

void rh_tune_leave_point(rh_tune_work *w) {
  rh_array_finish(&w->point.array);
  w->point.is_ready = 0;
}

rh_status rh_tune_turn(rh_tune_work *w, const char *strategy, rh_error *error) {
  char what[32];
  if (rh_terminal_was_interrupted()) return rh_fail(error, RH_E_CANCELLED, "interrupted");
  rh_format_size(what, w->point.data.n);
  rh_terminal_count(w->app->terminal, w->n_done, w->n_tasks, w->deadline - rh_now(), what,
                    strategy);
  return RH_OK;
}

static rh_status on_turn(void *user, const rh_sampler *sampler, rh_error *error) {
  return rh_tune_turn(user, sampler->name, error);
}

rh_status rh_tune_rounds(rh_tune_work *w, rh_sampler *samplers, uint32_t n,
                         const rh_bench_rules *rules, rh_row *rows, rh_error *error) {
  const rh_bench_data *data = &w->point.data;
  rh_bench_spec spec = {
      .rules = *rules,
      .scale = w->point.scale,
      .data = data,
      .range = w->stage.device ? &w->stage.range : NULL,
      .samplers = samplers,
      .n = n,
      .seed = w->settings.seed ^ data->n ^ (uint64_t)data->op << 56,
      .reporter = &w->app->redhost->options.reporter,
      .on_turn = on_turn,
      .user = w,
  };
  return rh_bench_point(&spec, rows, error);
}
