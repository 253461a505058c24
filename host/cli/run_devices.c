#include "run.h"

/* ---- Opening ---- */

/* Each but the first with a redhost like the program's.  chosen: n devices, or null for the
 * program's own, which need not be. */
static rh_status open_all(rh_run_devices *devices, const rh_app *app,
                          const rh_cl_device *const *chosen, uint32_t n, rh_error *error) {
  if (n > RH_MOST_WORKERS)
    return rh_fail(error, RH_E_USAGE, "--device: %u devices, of at most %d", n, RH_MOST_WORKERS);
  if (chosen) RH_TRY(rh_context_use_device(app->context, chosen[0], error));
  RH_TRY(RH_NEW(&devices->list, n, "a list of devices", error));
  RH_TRY(RH_NEW(&devices->streams, n, "a list of devices", error));
  devices->list[0].context = app->context;
  for (devices->n = 1; devices->n < n; devices->n++) {
    rh_options options = app->context->options;
    options.device = chosen[devices->n]->label;
    RH_TRY(rh_context_open(&devices->list[devices->n].context, &options, &rh_choosing, error));
  }
  return RH_OK;
}

rh_status rh_run_devices_open(rh_run_devices *devices, const rh_app *app, rh_error *error) {
  const char *list = app->typed->device ? app->typed->device : rh_env("REDHOST_DEVICE");
  const rh_cl_devices *known;
  RH_FREED(const rh_cl_device *) chosen = NULL;
  uint32_t n = 1;
  *devices = (rh_run_devices){.app = app};
  if (list && rh_devices_are_listed(list)) {
    RH_TRY(rh_context_devices(app->context, &known, error));
    RH_TRY(rh_devices_parse(known, app->typed->device, &chosen, &n, error));
  }
  return open_all(devices, app, chosen, n, error);
}

void rh_run_devices_release(rh_run_devices *devices) {
  for (uint32_t k = 0; k < devices->n; k++) {
    rh_worker_finish(&devices->streams[k]);
    rh_isolated_worker_close(devices->list[k].worker);
    devices->list[k].worker = NULL;
    devices->streams[k] = (rh_worker){0};
    rh_found_finish(&devices->list[k].found);
  }
}

void rh_run_devices_finish(rh_run_devices *devices) {
  rh_run_devices_release(devices);
  for (uint32_t k = 1; k < devices->n; k++) rh_context_close(devices->list[k].context);
  free(devices->list);
  free(devices->streams);
  *devices = (rh_run_devices){0};
}

/* ---- Strategies ---- */

rh_status rh_run_device_locate(rh_run_devices *devices, uint32_t k, const rh_job_spec *asked,
                               rh_error *error) {
  rh_run_device *own = &devices->list[k];
  rh_job_spec *spec = &own->spec;
  *spec = *asked;
  RH_TRY(rh_locate(own->context, spec, &own->found, error));
  spec->strategy = own->found.name;
  spec->plugin = own->found.path;
  own->isolated = rh_when(devices->app->typed->isolate, !own->found.installed);
  return RH_OK;
}

/* The job's parameters are the process's affair. */
rh_status rh_run_device_isolate(rh_run_devices *devices, uint32_t k, const atomic_int *stop,
                                rh_error *error) {
  rh_run_device *own = &devices->list[k];
  uint64_t bytes = devices->app->typed->chunk_bytes;
  if (!bytes) bytes = RH_STREAM_DEVICE_MIB << 20;
  const rh_isolated_worker_spec spec = {.context = own->context,
                                        .found = &own->found,
                                        .job = &own->spec,
                                        .device = devices->streams[k].device,
                                        .most_n = rh_chunk_n(&own->spec, bytes),
                                        .limit_s = rh_limit_s(devices->app->typed),
                                        .is_first = k == 0,
                                        .stop = stop};
  RH_TRY(rh_isolated_worker_open(&own->worker, &spec, error));
  own->spec.remote = &own->worker->remote;
  own->spec.untuned = own->spec.others_too = 1;
  return RH_OK;
}

rh_status rh_run_devices_rest(rh_run_devices *devices, rh_error *error) {
  for (uint32_t k = 0; k < devices->n; k++)
    if (devices->list[k].worker) RH_TRY(rh_isolated_worker_rest(devices->list[k].worker, error));
  return RH_OK;
}

static rh_status locate(rh_run_devices *devices, uint32_t k, const rh_job_spec *asked,
                        rh_error *error) {
  rh_run_device *own = &devices->list[k];
  rh_worker *device = &devices->streams[k];
  rh_job_spec *spec = &own->spec;
  rh_tunedb *tuned;
  *device = (rh_worker){.context = own->context, .job = spec};
  RH_TRY(rh_run_device_locate(devices, k, asked, error));
  if (!own->isolated) RH_TRY(rh_job_check_settings(own->context, spec, error));
  RH_TRY(rh_job_device(own->context, spec, own->found.device_kinds, &device->device, error));
  if (own->isolated) RH_TRY(rh_run_device_isolate(devices, k, NULL, error));
  return rh_context_tuned(own->context, &tuned, error);
}

/* Two strategies of the host would only share its processors. */
static void leave_out_second_host(rh_run_devices *devices, uint32_t k) {
  rh_worker *device = &devices->streams[k];
  for (uint32_t other = 0; other < k && !device->device; other++)
    if (!devices->streams[other].device && devices->streams[other].failure.status == RH_OK)
      rh_fail(&device->failure, RH_DECLINED,
              "its strategy runs on the host, as that of another device does");
}

rh_status rh_run_devices_locate(rh_run_devices *devices, const rh_job_spec *asked,
                                rh_error *error) {
  rh_error first = {0};
  uint32_t n_found = 0;
  for (uint32_t k = 0; k < devices->n; k++) {
    rh_worker *device = &devices->streams[k];
    rh_error why = {0};
    rh_status status = locate(devices, k, asked, &why);
    if (status == RH_OK) leave_out_second_host(devices, k);
    n_found += status == RH_OK;
    if (status == RH_OK) continue;
    device->failure = why;
    if (first.status == RH_OK || !rh_stream_may_leave_out(status)) first = why;
    if (!rh_stream_may_leave_out(status)) break;
  }
  if (n_found && (first.status == RH_OK || rh_stream_may_leave_out(first.status))) return RH_OK;
  if (error) *error = first;
  return first.status;
}
