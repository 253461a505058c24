#include "point.h"
#include "../../core/base/error.h"

rh_status rh_point_fill(rh_point *point, const rh_stage *stage, rh_type type, uint64_t n,
                        rh_error *error) {
  enum { TWO_CACHE_LINES = 128 };
  const rh_bench_settings *settings = stage->settings;
  const rh_cl_device *device = stage->device;
  if (point->data.elements && point->data.n == n && point->data.type == type) return RH_OK;
  point->data.elements = NULL;
  rh_array_finish(&point->array);
  RH_TRY(rh_array_reserve(&point->array, type, n, 0, error));
  RH_TRY(rh_array_fill(&point->array, settings->data, settings->seed,
                       &stage->redhost->options.reporter, error));
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

rh_bench_spec rh_point_spec(const rh_point *point, rh_stage *stage) {
  const rh_bench_data *data = &point->data;
  return (rh_bench_spec){
      .scale = point->scale,
      .data = data,
      .bench_device = stage->device ? &stage->bench_device : NULL,
      .seed = stage->settings->seed ^ data->n ^ (uint64_t)data->op << 56,
      .reporter = &stage->redhost->options.reporter,
  };
}

void rh_point_finish(rh_point *point) {
  rh_array_finish(&point->array);
  *point = (rh_point){0};
}
