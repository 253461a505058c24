#include "reduction.h"

static uint64_t bytes_of_element(const rh_resident *r) {
  return rh_operator_element_bytes(r->whole.operation.op);
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

/* Its speed on n of the elements, which it reduces as a resident of its own. */
static rh_status measure(const rh_resident *r, uint32_t k, uint64_t n, double *weight,
                         rh_error *error) {
  enum { TRIALS = 3, BATCH = 4 };
  rh_worker alone = r->spec.devices[k];
  rh_source some = r->source;
  RH_FINISHED(rh_resident) trial;
  rh_result result;
  rh_reduction_spec spec = r->spec;
  double seconds, least = INFINITY;
  spec.devices = &alone;
  spec.n_devices = 1;
  spec.source = &some;
  some.n = n;
  RH_TRY(rh_resident_open(&trial, &spec, error));
  for (uint32_t t = 0; t < TRIALS; t++) {
    RH_TRY(rh_resident_call(&trial, trial.waits ? 1 : BATCH, &result, &seconds, error));
    if (seconds < least) least = seconds;
  }
  *weight = 1 / fmax(least, 1e-9);
  return RH_OK;
}

/* weights[k]: as the speed of device k; 0 of one that has a failure.  Equal devices with one
 * strategy have equal ones; otherwise one of each kind reduces a small part of the data. */
static rh_status weigh(rh_resident *r, double *weights, rh_error *error) {
  enum {
    TRIAL_BYTES = 64 << 20, /* of the data, much longer than a call takes by itself */
    LEAST_BYTES = 4 << 20   /* of a device's share: below, calls take as long on any device */
  };
  const rh_worker *devices = r->spec.devices;
  uint64_t bytes = bytes_of_element(r);
  uint32_t used = 0, kinds = 0;
  for (uint32_t k = 0; k < r->spec.n_devices; k++) {
    weights[k] = devices[k].failure.status == RH_OK;
    used += weights[k] > 0;
    kinds += weights[k] > 0 && kind_of(devices, k) == k;
  }
  uint64_t n = used ? r->source.n / used : 0;
  if (kinds < 2 || n < LEAST_BYTES / bytes) return RH_OK;
  if (n > TRIAL_BYTES / bytes) n = TRIAL_BYTES / bytes;
  for (uint32_t k = 0; k < r->spec.n_devices; k++) {
    uint32_t kind = weights[k] > 0 ? kind_of(devices, k) : k;
    r->failed = k; /* if it does */
    if (kind < k) weights[k] = weights[kind];
    else if (weights[k] > 0) RH_TRY(measure(r, k, n, &weights[k], error));
  }
  r->failed = r->spec.n_devices;
  return RH_OK;
}

/* ---- Setting up ---- */

/* Elements in the host's memory must leave room for others. */
static rh_status check_host(const rh_resident *r, const uint64_t *starts, rh_error *error) {
  uint64_t tiles = 0, most = r->spec.most_host_bytes;
  for (uint32_t k = 0; k < r->spec.n_devices; k++) {
    const rh_worker *device = &r->spec.devices[k];
    if (!device->device || device->device->shares_memory) tiles += starts[k + 1] - starts[k];
  }
  if (most == 0 || tiles <= most / bytes_of_element(r) / rh_partial_tile(&r->whole)) return RH_OK;
  return rh_fail(error, RH_E_NOMEM, "%s: no memory for the parts that stay on the host",
                 r->whole.operation.what);
}

/* starts[k] .. starts[k+1]-1 = the tiles of device k, none of one that has a failure. */
static rh_status share(rh_resident *r, uint64_t *starts, rh_error *error) {
  double weights[RH_MOST_WORKERS];
  uint64_t cuts[RH_MOST_WORKERS + 1];
  uint64_t tile = rh_partial_tile(&r->whole), all = r->whole.operation.n;
  uint32_t n = r->spec.n_devices, used = 0;
  RH_TRY(weigh(r, weights, error));
  for (uint32_t k = 0; k < n; k++)
    if (weights[k] > 0) weights[used++] = weights[k];
  rh_partition(all / tile + (all % tile != 0), weights, used, cuts);
  starts[0] = used = 0;
  for (uint32_t k = 0; k < n; k++) {
    used += r->spec.devices[k].failure.status == RH_OK;
    starts[k + 1] = cuts[used];
  }
  return RH_OK;
}

static rh_status split(rh_resident *r, rh_error *error) {
  uint64_t starts[RH_MOST_WORKERS + 1];
  int is_empty = r->whole.operation.n == 0; /* the first one reduces nothing */
  RH_TRY(share(r, starts, error));
  RH_TRY(check_host(r, starts, error));
  for (uint32_t k = 0; k < r->spec.n_devices; k++) {
    rh_worker *device = &r->spec.devices[k];
    rh_resident_part *part = &r->parts[k];
    if (device->failure.status != RH_OK || (starts[k + 1] == starts[k] && !is_empty)) continue;
    is_empty = 0;
    r->failed = k; /* if it does */
    RH_TRY(rh_resident_part_init(part, device->context, &r->whole, starts[k], starts[k + 1],
                                 (int)r->spec.check, error));
    device->is_up = 1;
    device->n = part->n;
    r->waits |= (uint32_t)part->waits;
  }
  r->failed = r->spec.n_devices;
  return RH_OK;
}

/* ---- Calls ---- */

static void begin_waiting(void *of_resident, uint64_t first, uint64_t count) {
  const rh_resident *r = of_resident;
  for (uint64_t k = first; k < first + count; k++)
    if (r->parts[k].n_nodes && r->parts[k].waits)
      rh_resident_part_begin(&r->parts[k], 1, &r->parts[k].error);
}

/* Devices are given their work before anything is waited for.  A single node's value can arrive
 * without a command that reads it. */
static void begin_all(rh_resident *r, uint32_t batch) {
  for (uint32_t k = 0; k < r->spec.n_devices; k++) {
    rh_resident_part *part = &r->parts[k];
    part->error = (rh_error){0};
    part->is_watched = batch == 1 && part->n_nodes == 1 && rh_instance_shows(part->job.instance);
  }
  for (uint32_t b = 1; b <= batch; b++)
    for (uint32_t k = 0; k < r->spec.n_devices; k++) {
      rh_resident_part *part = &r->parts[k];
      if (part->n_nodes && !part->waits && part->error.status == RH_OK)
        rh_resident_part_begin(part, b == batch, &part->error);
    }
  if (r->waits) rh_share(r->spec.n_devices, 1, begin_waiting, r);
}

/* Waits for all, also if some failed: the first counts. */
static rh_status end_all(rh_resident *r, rh_error *error) {
  const rh_error *first = NULL;
  for (uint32_t k = r->spec.n_devices; k-- > 0;) {
    rh_resident_part *part = &r->parts[k];
    if (part->n_nodes && part->error.status == RH_OK) rh_resident_part_end(part, &part->error);
    if (part->error.status == RH_OK) continue;
    first = &part->error;
    r->failed = k;
  }
  if (!first) return RH_OK;
  return rh_error_pass(error, first->status, first);
}

static rh_status take_values(rh_resident *r, rh_result *result, rh_error *error) {
  _Alignas(16) unsigned char value[RH_ANY_VALUE_BYTES] = {0};
  r->values.fold.n = 0;
  for (uint32_t k = 0; k < r->spec.n_devices; k++)
    for (uint32_t j = 0; j < r->parts[k].n_nodes; j++)
      RH_TRY(rh_partial_add(&r->values, &r->parts[k].job, &r->parts[k].nodes[j], error));
  RH_TRY(rh_fold_value(&r->values.fold, 0, value, error));
  rh_job_result(&r->whole, r->values.strategy, value, result);
  return RH_OK;
}

rh_status rh_resident_call(rh_resident *r, uint32_t batch, rh_result *result, double *seconds,
                           rh_error *error) {
  double start = rh_now();
  begin_all(r, batch);
  RH_TRY(end_all(r, error));
  RH_TRY(take_values(r, result, error));
  *seconds = (rh_now() - start) / batch;
  return RH_OK;
}

/* ---- The first answer ---- */

static rh_status judge_answer(rh_resident *r, const rh_partial *facts, rh_error *error) {
  r->depth = rh_partial_depth(&r->values);
  if (facts->check != RH_CHECK_FULL) return RH_OK;
  RH_TRY(rh_partial_reference(facts, &r->reference, error));
  rh_reference_judge(&r->reference, &r->result, r->depth, (int)r->values.flushes, &r->verdict);
  if (r->verdict.verdict != RH_VERDICT_WRONG) return RH_OK;
  /* Before a strategy is blamed for what the parts add up to. */
  for (uint32_t k = 0; k < r->spec.n_devices; k++)
    if (r->parts[k].n_nodes) RH_TRY(rh_resident_trust(&r->parts[k], r->spec.source, error));
  return RH_OK;
}

/* ---- The whole ---- */

static void release(rh_resident *r) {
  for (uint32_t k = 0; k < r->spec.n_devices; k++) {
    rh_resident_part_finish(&r->parts[k]);
    r->spec.devices[k].n = 0;
  }
  rh_partial_finish(&r->values);
  r->waits = 0;
}

static rh_status try_all(rh_resident *r, rh_partial *facts, rh_error *error) {
  double start = rh_now();
  RH_TRY(split(r, error));
  RH_TRY(rh_resident_load(r, facts, error));
  r->load_s = rh_now() - start;
  rh_partial_init(&r->values, &r->whole, r->whole.operation.n, RH_CHECK_NONE);
  RH_TRY(rh_resident_call(r, 1, &r->result, &r->first_s, error));
  return judge_answer(r, facts, error);
}

/* 1: the others go on without the one that failed. */
static int leave_out(rh_resident *r, const rh_error *why) {
  uint32_t left = 0;
  /* The others would meet it, too, or the user is to know. */
  int is_of_all = why->status == RH_E_CANCELLED || why->status == RH_E_USAGE ||
                  why->status == RH_E_NOMEM || why->status == RH_E_WRONG;
  if (r->failed == r->spec.n_devices || is_of_all) return 0;
  r->spec.devices[r->failed].failure = *why;
  for (uint32_t k = 0; k < r->spec.n_devices; k++)
    left += r->spec.devices[k].failure.status == RH_OK;
  return left > 0;
}

rh_status rh_resident_open(rh_resident *r, const rh_reduction_spec *spec, rh_error *error) {
  int goes_on = 1;
  rh_error why = {0};
  *r = (rh_resident){.spec = *spec, .source = *spec->source, .whole = *spec->devices[0].job};
  r->spec.source = &r->source;
  r->whole.operation.n = spec->source->n;
  if (spec->check == RH_CHECK_SAMPLED) r->spec.check = RH_CHECK_FULL;
  RH_TRY(RH_NEW(&r->parts, spec->n_devices, "the parts of the devices", error));
  while (goes_on) {
    RH_FINISHED(rh_partial) facts;
    r->failed = spec->n_devices;
    rh_partial_init(&facts, &r->whole, r->whole.operation.n, r->spec.check);
    rh_status status = try_all(r, &facts, &why);
    if (status == RH_OK) {
      rh_workers_warn(&r->spec, NULL);
      rh_workers_warn(&r->spec, "failed, and the others took its part");
      return RH_OK;
    }
    goes_on = leave_out(r, &why);
    release(r);
  }
  return rh_error_pass(error, why.status, &why);
}

void rh_resident_finish(rh_resident *r) {
  if (!r->parts) return;
  release(r);
  free(r->parts);
  *r = (rh_resident){0};
}
