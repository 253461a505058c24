/* The devices of a --run, each with a redhost and a strategy of its own. */
#pragma once

#include "../choose/fallback.h"
#include "../engine/reduction/worker.h"
#include "../tools/isolate/worker.h"
#include "app.h"
#include "run_options.h"

typedef struct rh_run_device {
  rh_context *context; /* of the first device that of the program */
  rh_found found;      /* its strategy */
  rh_attempts tried;   /* before that */
  rh_job_spec spec;
  int isolated;               /* 1: it runs in a process of its own */
  rh_isolated_worker *worker; /* that process, where data are given to it in parts */
} rh_run_device;

/* Zero-initialised may be finished. */
typedef struct rh_run_devices {
  rh_run_device *list;
  rh_worker *streams; /* the same devices, for rh_reduction_open() */
  uint32_t n;
  const rh_run_options *options;
} rh_run_devices;

/* All that --device lists, or the program's redhost alone, with its device or none. */
rh_status rh_run_devices_open(rh_run_devices *devices, const rh_app *app,
                              const rh_run_options *options, rh_error *error);
void rh_run_devices_finish(rh_run_devices *devices);

/* Finds asked->strategy, or the one that `auto` chooses. */
rh_status rh_run_device_locate(rh_run_device *device, const rh_app *app, const rh_job_spec *asked,
                               rh_error *error);

/* Has its strategy run in a process of its own, which ends if *stop is 1: null, or of the ranks. */
rh_status rh_run_device_isolate(rh_run_devices *devices, uint32_t k, const atomic_int *stop,
                                rh_error *error);
/* Where such processes are idle until they are needed again: RH_OK if all live. */
rh_status rh_run_devices_rest(rh_run_devices *devices, rh_error *error);

/* Finds the strategy of each device for chunks of asked->n elements.  Devices without one get a
 * failure and are left out, where there are several; and so are, of those whose strategy runs on
 * the host, all but the first.  asked: what each spec begins as; its strings must outlive the
 * devices. */
rh_status rh_run_devices_locate(rh_run_devices *devices, const rh_app *app,
                                const rh_job_spec *asked, rh_error *error);

/* After all have failed, by *why, as devices or in what they share: 1 if another strategy of one of
 * them may not. */
int rh_run_devices_fall_back(rh_run_devices *devices, const rh_job_spec *asked, rh_error *why);

/* Undoes rh_run_devices_locate(), and finishes the places. */
void rh_run_devices_release(rh_run_devices *devices);
