/* Data that stay in the memories of several devices: split once, at multiples of a tile, and
 * reduced by all devices at a time, again and again. */
#pragma once

#include "resident_part.h"
#include "worker.h"

typedef struct rh_resident_spec {
  /* The devices are those of rh_stream_spec; `n`, `is_up` and `failure` say what became of each.
   * `chunks` and what is set up of chunks do not count. */
  rh_worker *devices;
  uint32_t n_devices;
  const rh_source *source; /* of known length, and read in any order; what is generated is split */
  int check;               /* RH_CHECK_*; of data in memory the sample is all of them */
  /* Bytes that parts in the host's own memory may take, which devices of the host's share; 0: any
   * number. */
  uint64_t most_host_bytes;
} rh_resident_spec;

/* Fields from `waits` on are read-only.  Zero-initialised may be finished. */
typedef struct rh_resident {
  rh_resident_spec spec;
  rh_source source;
  rh_job_spec whole;
  rh_resident_part *parts; /* as spec.devices */
  rh_partial values;       /* of the latest call */
  uint32_t failed;         /* the device that did, or n_devices */
  uint32_t waits;          /* 1: a part does */
  uint64_t depth;          /* of the answer; 0: unknown */
  double load_s, first_s;  /* until all elements were there and checked; the first call */
  rh_result result;        /* of the first call */
  rh_reference reference;
  rh_verdict verdict;
} rh_resident;

/* Chooses the shares: equal ones for equal devices, and else by the measured speed of each on some
 * of the data.  Brings the data there, makes a first call, and judges its answer.
 *
 * A device whose strategy declines or cannot be set up, or that fails in the first call, is left
 * out, with a warning, and the data are split again among the others.  Without any device left it
 * fails as the last one did; RH_E_DEVICE and RH_E_NOMEM: also where they do not fit.  The devices
 * must outlive *resident, which must not be moved, and which the caller finishes even after a
 * failure. */
rh_status rh_resident_open(rh_resident *resident, const rh_resident_spec *spec, rh_error *error);
void rh_resident_finish(rh_resident *resident);

/* One call on all devices.  *seconds: from the first command to the answer on the host. */
rh_status rh_resident_call(rh_resident *resident, rh_result *result, double *seconds,
                           rh_error *error);

/* `batch` reductions, enqueued back to back on each device.  *seconds: of one, until all devices
 * are done.  It is not called if resident->waits. */
rh_status rh_resident_batch(rh_resident *resident, uint32_t batch, rh_result *result,
                            double *seconds, rh_error *error);
