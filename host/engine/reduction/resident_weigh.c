#include "resident_weigh.h"
#include "../../core/base/clock.h"
#include "../../core/base/error.h"
#include "resident_load.h"

#include <math.h>
#include <string.h>

enum {
  TRIAL_BYTES = 64 << 20, /* of the data, much longer than a call takes by itself */
  LEAST_BYTES = 4 << 20,  /* of a device's share: below, calls take as long on any device */
  TRIALS = 3,
  BATCH = 4
};

/* ---- Speed ---- */

static rh_status time_once(rh_resident_part *part, double *seconds, rh_error *error) {
  double start = rh_now();
  if (part->waits) {
    RH_TRY(rh_resident_part_begin(part, error));
    *seconds = rh_now() - start;
    return RH_OK;
  }
  for (uint32_t k = 0; k < BATCH; k++) RH_TRY(rh_resident_part_enqueue(part, error));
  RH_TRY(rh_resident_part_await(part, error));
  *seconds = (rh_now() - start) / BATCH;
  return RH_OK;
}

static rh_status time_part(rh_resident_part *part, double *seconds, rh_error *error) {
  double once;
  *seconds = INFINITY;
  RH_TRY(rh_resident_part_loaded(part, error));
  for (uint32_t k = 0; k < 1 + TRIALS; k++) { /* the first one may finish the driver's work */
    RH_TRY(time_once(part, &once, error));
    if (k > 0 && once < *seconds) *seconds = once;
  }
  return RH_OK;
}

static rh_status measure(const rh_worker *device, const rh_source *source, uint64_t n,
                         double *weight, rh_error *error) {
  rh_job_spec job = *device->job;
  rh_source some = *source;
  rh_resident_part part, *const parts[] = {&part};
  rh_partial facts;
  double seconds;
  uint32_t failed;
  job.operation.n = some.n = n;
  const uint64_t tile = rh_partial_tile(&job);
  const rh_resident_part_spec spec = {device->context, &job, 0, n / tile + (n % tile != 0),
                                      RH_CHECK_FULL};
  rh_partial_init(&facts, &job, n, RH_CHECK_NONE);
  const rh_load_spec load = {parts, 1, &some, &facts, &device->context->options.reporter};
  rh_status status = rh_resident_part_init(&part, &spec, error);
  if (status == RH_OK) status = rh_resident_load(&load, &failed, error);
  if (status == RH_OK) status = time_part(&part, &seconds, error);
  if (status == RH_OK) *weight = 1 / fmax(seconds, 1e-9);
  rh_resident_part_finish(&part);
  rh_partial_finish(&facts);
  return status;
}

/* ---- Kinds of devices ---- */

static int is_same_text(const char *a, const char *b) {
  return a == b || (a && b && strcmp(a, b) == 0);
}

static int are_equal(const rh_worker *a, const rh_worker *b) {
  const rh_cl_device *left = a->device, *right = b->device;
  if (strcmp(a->job->strategy, b->job->strategy) != 0 ||
      !is_same_text(a->job->plugin, b->job->plugin) || !left != !right)
    return 0;
  return !left ||
         (strcmp(left->name, right->name) == 0 && is_same_text(left->driver, right->driver) &&
          left->about.compute_units == right->about.compute_units);
}

/* The first device of the same kind. */
static uint32_t kind_of(const rh_worker *devices, uint32_t k) {
  uint32_t first = 0;
  while (devices[first].failure.status != RH_OK || !are_equal(&devices[first], &devices[k]))
    first++;
  return first;
}

rh_status rh_resident_weigh(const rh_worker *devices, uint32_t n_devices, const rh_source *source,
                            double *weights, uint32_t *failed, rh_error *error) {
  uint64_t bytes = 0;
  uint32_t used = 0, kinds = 0;
  *failed = n_devices;
  for (uint32_t k = 0; k < source->n_operands; k++) bytes += rh_type_size(source->types[k]);
  for (uint32_t k = 0; k < n_devices; k++) {
    weights[k] = devices[k].failure.status == RH_OK;
    if (devices[k].failure.status != RH_OK) continue;
    used++;
    kinds += kind_of(devices, k) == k;
  }
  uint64_t n = used ? source->n / used : 0;
  if (kinds < 2 || n < LEAST_BYTES / bytes) return RH_OK;
  if (n > TRIAL_BYTES / bytes) n = TRIAL_BYTES / bytes;
  for (uint32_t k = 0; k < n_devices; k++) {
    if (devices[k].failure.status != RH_OK) continue;
    uint32_t kind = kind_of(devices, k);
    rh_status status = RH_OK;
    if (kind == k)
      status = measure(&devices[k], source, n, &weights[k], error);
    else
      weights[k] = weights[kind];
    if (status == RH_OK) continue;
    *failed = k;
    return status;
  }
  return RH_OK;
}
