#include "point.h"
#include "../../core/base/error.h"

/* The memory of all points' data: a page that is obtained anew has to be cleared. */
static uint64_t largest_bytes(const rh_bench_settings *settings) {
  uint64_t largest = 0;
  for (uint32_t t = 0; t < settings->types.n; t++)
    for (uint32_t k = 0; k < settings->n_sizes[t]; k++) {
      uint64_t bytes = settings->sizes[t][k] * rh_type_size(settings->types.list[t]);
      if (bytes > largest) largest = bytes;
    }
  return largest;
}

int rh_point_is_filled(const rh_point *point, rh_type type, uint64_t n) {
  return point->data.elements && !point->is_overwritten && point->data.n == n &&
         point->data.type == type;
}

rh_status rh_point_fill(rh_point *point, const rh_stage *stage, rh_type type, uint64_t n,
                        rh_error *error) {
  enum { TWO_CACHE_LINES = 128 };
  const rh_bench_settings *settings = stage->settings;
  const rh_cl_device *device = stage->device;
  if (rh_point_is_filled(point, type, n)) return RH_OK;
  point->data.elements = NULL;
  RH_TRY(rh_array_reuse(&point->array, type, n, largest_bytes(settings), error));
  RH_TRY(rh_array_fill(&point->array, settings->data, settings->seed,
                       &stage->redhost->options.reporter, error));
  point->is_overwritten = 0;
  point->data = (rh_bench_data){
      .type = type,
      .n = n,
      .elements = rh_array_data(&point->array),
      .serial = ++point->serial,
  };
  uint64_t cold = device ? stage->bench_device.calibration.cold_bytes : RH_COLD_BYTES;
  uint64_t align =
      device && device->alignment > TWO_CACHE_LINES ? device->alignment : TWO_CACHE_LINES;
  rh_bench_copies(&point->data, settings->hot ? 0 : cold, align);
  return RH_OK;
}

rh_status rh_point_reference_part(const rh_stage *stage, const rh_bench_data *data,
                                  rh_reference *reference, rh_bench_scale *scale, rh_error *error) {
  const rh_cl_device *device = stage->device;
  *scale = (rh_bench_scale){.reference = reference};
  if (device) {
    scale->flushes = (int)(data->type == RH_TYPE_f64 ? device->flushes_f64 : device->flushes_f32);
    scale->read_peak = stage->bench_device.calibration.read_peak;
    scale->launch_s = stage->bench_device.calibration.launch_s;
  }
  return rh_reference_compute(reference, data->op, data->type, data->elements, data->n, 0,
                              &stage->redhost->options.reporter, error);
}

rh_status rh_point_reference(rh_point *point, const rh_stage *stage, uint32_t op, rh_error *error) {
  point->data.op = op;
  return rh_point_reference_part(stage, &point->data, &point->reference, &point->scale, error);
}

rh_bench_spec rh_point_spec(rh_point *point, rh_stage *stage) {
  const rh_bench_data *data = &point->data;
  return (rh_bench_spec){
      .scale = point->scale,
      .data = data,
      .array = &point->array,
      .is_overwritten = &point->is_overwritten,
      .bench_device = stage->device ? &stage->bench_device : NULL,
      .seed = stage->settings->seed ^ data->n ^ (uint64_t)data->op << 56,
      .reporter = &stage->redhost->options.reporter,
  };
}

void rh_point_finish(rh_point *point) {
  rh_array_finish(&point->array);
  *point = (rh_point){0};
}
