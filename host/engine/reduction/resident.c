#include "resident.h"
#include "../../core/base/alloc.h"
#include "../../core/base/clock.h"
#include "../../core/base/error.h"
#include "partition.h"
#include "resident_load.h"
#include "resident_weigh.h"

#include <stdlib.h>

static rh_resident_part *part_of(const rh_resident *r, uint32_t k) {
  rh_resident_part *part = &r->seats[k].part;
  return part->n_nodes ? part : NULL;
}

static uint64_t tiles_of(const rh_resident *r) {
  uint64_t tile = rh_partial_tile(&r->whole), n = r->whole.operation.n;
  return n / tile + (n % tile != 0);
}

/* ---- Setting up ---- */

static rh_status set_up_part(rh_resident *r, uint32_t k, uint64_t first, uint64_t end,
                             rh_error *error) {
  rh_worker *device = &r->spec.devices[k];
  rh_resident_part *part = &r->seats[k].part;
  const rh_resident_part_spec spec = {device->context, &r->whole, first, end, r->spec.check};
  rh_status status = rh_resident_part_init(part, &spec, error);
  if (status != RH_OK) {
    r->failed = k;
    return status;
  }
  device->is_up = 1;
  device->n = part->n;
  r->n_nodes += part->n_nodes;
  r->waits |= (uint32_t)part->waits;
  return RH_OK;
}

/* Elements in the host's memory must leave room for others. */
static rh_status check_host(const rh_resident *r, const uint64_t *starts, rh_error *error) {
  uint64_t tiles = 0, most = r->spec.most_host_bytes, bytes = 0;
  for (uint32_t k = 0; k < r->spec.n_devices; k++) {
    const rh_worker *device = &r->spec.devices[k];
    if (!device->device || device->device->shares_memory) tiles += starts[k + 1] - starts[k];
  }
  for (uint32_t k = 0; k < r->spec.source->n_operands; k++)
    bytes += rh_type_size(r->spec.source->types[k]);
  if (most == 0 || tiles <= most / bytes / rh_partial_tile(&r->whole)) return RH_OK;
  return rh_fail(error, RH_E_NOMEM, "%s: no memory for the parts that stay on the host",
                 r->whole.operation.what);
}

/* starts[k] .. starts[k+1]-1 = the tiles of device k, none of one that has a failure. */
static rh_status share(rh_resident *r, uint64_t *starts, rh_error *error) {
  double weights[RH_MOST_WORKERS];
  uint64_t cuts[RH_MOST_WORKERS + 1];
  uint32_t n = r->spec.n_devices, used = 0;
  RH_TRY(rh_resident_weigh(r->spec.devices, n, r->spec.source, weights, &r->failed, error));
  for (uint32_t k = 0; k < n; k++)
    if (weights[k] > 0) weights[used++] = weights[k];
  rh_partition(tiles_of(r), weights, used, cuts);
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
    if (r->spec.devices[k].failure.status != RH_OK) continue;
    if (starts[k + 1] == starts[k] && !is_empty) continue;
    is_empty = 0;
    RH_TRY(set_up_part(r, k, starts[k], starts[k + 1], error));
  }
  return RH_OK;
}

/* ---- Data ---- */

static rh_status load(rh_resident *r, rh_partial *facts, rh_error *error) {
  rh_resident_part *parts[RH_MOST_WORKERS];
  uint32_t devices[RH_MOST_WORKERS], n = 0, failed;
  for (uint32_t k = 0; k < r->spec.n_devices; k++) {
    if (!part_of(r, k)) continue;
    devices[n] = k;
    parts[n++] = part_of(r, k);
  }
  const rh_load_spec spec = {parts, n, r->spec.source, facts,
                             &r->spec.devices[0].context->options.reporter};
  rh_status status = rh_resident_load(&spec, &failed, error);
  if (failed < n) r->failed = devices[failed];
  for (uint32_t k = 0; k < n && status == RH_OK; k++) {
    status = rh_resident_part_loaded(parts[k], error);
    if (status != RH_OK) r->failed = devices[k];
  }
  return status;
}

/* ---- Calls ---- */

static rh_status begin_part(rh_resident *r, uint32_t k, rh_error *error) {
  rh_status status = rh_resident_part_begin(part_of(r, k), error);
  if (status != RH_OK) r->failed = k;
  return status;
}

static void *call_part(void *of_seat) {
  rh_resident_seat *seat = of_seat;
  seat->error = (rh_error){0};
  rh_resident_part_begin(&seat->part, &seat->error);
  return NULL;
}

/* Devices are given their work before anything is waited for.  One call that waits is this
 * thread's, and others for which there is no thread follow it. */
static rh_status begin_all(rh_resident *r, rh_error *error) {
  uint32_t waiting = 0;
  for (uint32_t k = 0; k < r->spec.n_devices; k++) {
    rh_resident_seat *seat = &r->seats[k];
    if (part_of(r, k) && seat->part.waits && waiting++)
      seat->is_started = pthread_create(&seat->thread, NULL, call_part, seat) == 0;
  }
  for (int waits = 0; waits < 2; waits++)
    for (uint32_t k = 0; k < r->spec.n_devices; k++)
      if (part_of(r, k) && r->seats[k].part.waits == waits && !r->seats[k].is_started)
        RH_TRY(begin_part(r, k, error));
  return RH_OK;
}

/* Waits for all, also if some failed. */
static rh_status end_all(rh_resident *r, rh_error *error) {
  rh_error first = {0};
  for (uint32_t k = 0; k < r->spec.n_devices; k++) {
    rh_resident_seat *seat = &r->seats[k];
    rh_error why = {0};
    if (!part_of(r, k)) continue;
    if (seat->is_started) {
      pthread_join(seat->thread, NULL);
      seat->is_started = 0;
      why = seat->error;
    } else {
      rh_resident_part_end(&seat->part, &why);
    }
    if (why.status == RH_OK || first.status != RH_OK) continue;
    first = why;
    r->failed = k;
  }
  if (first.status != RH_OK && error) *error = first;
  return first.status;
}

static rh_status take_values(rh_resident *r, rh_result *result, rh_error *error) {
  _Alignas(16) unsigned char value[RH_ANY_VALUE_BYTES] = {0};
  r->values.fold.n = 0;
  for (uint32_t k = 0; k < r->spec.n_devices; k++)
    if (part_of(r, k)) RH_TRY(rh_resident_part_add(part_of(r, k), &r->values, error));
  RH_TRY(rh_fold_value(&r->values.fold, 0, value, error));
  rh_job_result(&r->whole, r->values.strategy, value, result);
  return RH_OK;
}

rh_status rh_resident_call(rh_resident *r, rh_result *result, double *seconds, rh_error *error) {
  double start = rh_now();
  rh_status status = begin_all(r, error);
  uint32_t failed = r->failed;
  rh_status ended = end_all(r, status == RH_OK ? error : NULL);
  if (status != RH_OK) r->failed = failed;
  RH_TRY(status != RH_OK ? status : ended);
  RH_TRY(take_values(r, result, error));
  *seconds = rh_now() - start;
  return RH_OK;
}

static rh_status enqueue_all(rh_resident *r, rh_error *error) {
  for (uint32_t k = 0; k < r->spec.n_devices; k++)
    if (part_of(r, k)) RH_TRY(rh_resident_part_enqueue(part_of(r, k), error));
  return RH_OK;
}

rh_status rh_resident_batch(rh_resident *r, uint32_t batch, rh_result *result, double *seconds,
                            rh_error *error) {
  double start = rh_now();
  for (uint32_t b = 0; b < batch; b++) RH_TRY(enqueue_all(r, error));
  for (uint32_t k = 0; k < r->spec.n_devices; k++)
    if (part_of(r, k)) RH_TRY(rh_resident_part_await(part_of(r, k), error));
  *seconds = (rh_now() - start) / batch;
  for (uint32_t k = 0; k < r->spec.n_devices; k++)
    if (part_of(r, k)) RH_TRY(rh_resident_part_read(part_of(r, k), error));
  return take_values(r, result, error);
}

/* ---- The first answer ---- */

static const rh_resident_node *largest_node(const rh_resident_part *part) {
  const rh_resident_node *largest = part->nodes;
  for (uint32_t k = 1; k < part->n_nodes; k++)
    if (part->nodes[k].n > largest->n) largest = &part->nodes[k];
  return largest;
}

/* Before a strategy is blamed for what the parts add up to. */
static rh_status trust_operator(const rh_resident *r, rh_error *error) {
  for (uint32_t k = 0; k < r->spec.n_devices; k++)
    if (part_of(r, k))
      RH_TRY(rh_resident_trust(r->spec.devices[k].context, &r->whole, r->spec.source,
                               largest_node(part_of(r, k)), error));
  return RH_OK;
}

static rh_status judge_answer(rh_resident *r, const rh_partial *facts, rh_error *error) {
  r->depth = rh_partial_depth(&r->values);
  if (facts->check != RH_CHECK_FULL) return RH_OK;
  RH_TRY(rh_partial_reference(facts, &r->reference, error));
  rh_reference_judge(&r->reference, &r->result, r->depth, (int)r->values.flushes, &r->verdict);
  return r->verdict.verdict == RH_VERDICT_WRONG ? trust_operator(r, error) : RH_OK;
}

/* ---- The whole ---- */

static void release(rh_resident *r) {
  for (uint32_t k = 0; k < r->spec.n_devices; k++) {
    rh_resident_part_finish(&r->seats[k].part);
    r->spec.devices[k].n = 0;
  }
  rh_partial_finish(&r->values);
  r->n_nodes = r->waits = 0;
}

static rh_status try_all(rh_resident *r, rh_partial *facts, rh_error *error) {
  double start = rh_now();
  RH_TRY(split(r, error));
  RH_TRY(load(r, facts, error));
  r->load_s = rh_now() - start;
  rh_partial_init(&r->values, &r->whole, r->whole.operation.n, RH_CHECK_NONE);
  RH_TRY(rh_resident_call(r, &r->result, &r->first_s, error));
  return judge_answer(r, facts, error);
}

/* 1: the others would not meet it, too, and the user need not know. */
static int is_of_one_device(rh_status status) {
  return status != RH_E_CANCELLED && status != RH_E_USAGE && status != RH_E_NOMEM &&
         status != RH_E_WRONG;
}

/* 1: the others go on without the one that failed. */
static int leave_out(rh_resident *r, const rh_error *why) {
  uint32_t left = 0;
  if (r->failed == r->spec.n_devices || !is_of_one_device(why->status)) return 0;
  r->spec.devices[r->failed].failure = *why;
  for (uint32_t k = 0; k < r->spec.n_devices; k++)
    left += r->spec.devices[k].failure.status == RH_OK;
  return left > 0;
}

static void warn_of_failures(const rh_resident *r) {
  for (uint32_t k = 0; k < r->spec.n_devices; k++) {
    const rh_worker *device = &r->spec.devices[k];
    if (device->failure.status == RH_OK) continue;
    rh_worker_warn(device, device->is_up ? "failed, and the others took its part" : "is left out");
  }
}

rh_status rh_resident_open(rh_resident *r, const rh_resident_spec *spec, rh_error *error) {
  int goes_on = 1;
  rh_error why = {0};
  *r = (rh_resident){.spec = *spec, .source = *spec->source, .whole = *spec->devices[0].job};
  r->spec.source = &r->source;
  r->whole.operation.n = spec->source->n;
  if (spec->check == RH_CHECK_SAMPLED) r->spec.check = RH_CHECK_FULL;
  RH_TRY(RH_NEW(&r->seats, spec->n_devices, "the parts of the devices", error));
  while (goes_on) {
    rh_partial facts;
    r->failed = spec->n_devices;
    rh_partial_init(&facts, &r->whole, r->whole.operation.n, (uint32_t)r->spec.check);
    rh_status status = try_all(r, &facts, &why);
    rh_partial_finish(&facts);
    if (status == RH_OK) {
      warn_of_failures(r);
      return RH_OK;
    }
    goes_on = leave_out(r, &why);
    release(r);
  }
  if (error) *error = why;
  return why.status;
}

void rh_resident_finish(rh_resident *r) {
  if (!r->seats) return;
  release(r);
  free(r->seats);
  *r = (rh_resident){0};
}
