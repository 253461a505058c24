#include "context.h"
#include "../base/clock.h"
#include "../base/error.h"
#include "../base/log.h"
#include "../base/text.h"
#include "../operators/ops.h"
#include "look.h"

#include <stdlib.h>
#include <string.h>

const char *rh_version(void) {
  return REDHOST_VERSION;
}

static void free_options(rh_options *options) {
  free((char *)options->device);
  free((char *)options->plugin_file);
  free((char *)options->plugin_path);
  free((char *)options->cache_dir);
  free((char *)options->program);
}

int rh_redhost_is_lost(const rh_redhost *redhost) {
  return !*redhost->opened_here && redhost->devices.n > 0;
}

rh_status rh_redhost_say_lost(rh_error *error) {
  return rh_fail(error, RH_E_INVALID,
                 "this process was forked after rh_open(), and the devices of an rh_redhost stay "
                 "with the process that opened it; call rh_open() after fork()");
}

rh_status rh_redhost_enter(rh_redhost *redhost, rh_error *error) {
  if (rh_redhost_is_lost(redhost)) return rh_redhost_say_lost(error);
  int is_forked = !*redhost->opened_here;
  if (is_forked && pthread_mutex_trylock(&redhost->lock) != 0)
    return rh_fail(error, RH_E_INVALID,
                   "this process was forked while another thread was in a call on this "
                   "rh_redhost; call rh_open() after fork()");
  if (is_forked || pthread_mutex_lock(&redhost->lock) == 0) return RH_OK;
  return rh_fail(error, RH_E_INVALID,
                 "the library was called from within one of its own callbacks, log or progress, "
                 "which must not use the same rh_redhost");
}

void rh_redhost_release_device(rh_redhost *redhost) {
  rh_registry_finish(&redhost->registry);
  redhost->registry_scanned = 0;
  rh_tunedb_close(redhost->tuned);
  redhost->tuned = NULL;
  rh_cl_session_finish(&redhost->session);
  redhost->session_open = 0;
}

static void release(rh_redhost *redhost) {
  rh_redhost_release_device(redhost);
  rh_cl_devices_finish(&redhost->devices);
  rh_cache_finish(&redhost->cache);
  free_options(&redhost->options);
  free(redhost->left_out);
  rh_fork_unmark(redhost->opened_here);
  free(redhost->trusted);
  rh_definitions_finish(&redhost->definitions);
  pthread_mutex_destroy(&redhost->lock);
  free(redhost);
}

void rh_redhost_leave(rh_redhost *redhost) {
  int is_last = redhost->closed && redhost->n_prepared == 0;
  pthread_mutex_unlock(&redhost->lock);
  if (is_last) release(redhost);
}

/* The user may otherwise mistake another device for the one that was left out. */
static void report_faults(const rh_redhost *redhost) {
  for (uint32_t k = 0; k < redhost->devices.n_faults; k++)
    rh_log(&redhost->options.reporter, RH_LOG_ERROR, "%s; it is left out",
           redhost->devices.faults[k]);
}

rh_status rh_redhost_devices(rh_redhost *redhost, const rh_cl_devices **devices, rh_error *error) {
  if (redhost->looks_first && rh_look_at_drivers(redhost, &redhost->unusable) == RH_OK)
    redhost->unusable.status = RH_OK;
  redhost->looks_first = 0;
  if (redhost->unusable.status != RH_OK) {
    if (error) *error = redhost->unusable;
    return redhost->unusable.status;
  }
  if (!redhost->devices_found) {
    double start = rh_now();
    RH_TRY(rh_cl_devices_find(&redhost->devices, error));
    redhost->opening_s += rh_now() - start;
    /* If no device is left, choosing one fails with the same message. */
    if (redhost->devices.n) report_faults(redhost);
  }
  redhost->devices_found = 1;
  *devices = &redhost->devices;
  return RH_OK;
}

rh_status rh_redhost_device(rh_redhost *redhost, const rh_cl_device **device, rh_error *error) {
  const rh_cl_devices *devices = NULL;
  RH_TRY(rh_redhost_devices(redhost, &devices, error));
  if (!redhost->device && redhost->options.queue)
    RH_TRY(rh_cl_devices_of_queue(devices, redhost->options.queue, &redhost->device, error));
  if (!redhost->device)
    RH_TRY(rh_cl_devices_choose(devices, redhost->options.device, &redhost->device, error));
  *device = redhost->device;
  return RH_OK;
}

static rh_status open_session(rh_redhost *redhost, rh_error *error) {
  const rh_cl_device *device;
  RH_TRY(rh_redhost_device(redhost, &device, error));
  const rh_options *options = &redhost->options;
  double start = rh_now();
  if (!redhost->session_open && options->queue)
    RH_TRY(rh_cl_session_adopt(&redhost->session, device, options->queue, &redhost->cache,
                               &options->reporter, error));
  else if (!redhost->session_open)
    RH_TRY(
        rh_cl_session_init(&redhost->session, device, &redhost->cache, &options->reporter, error));
  if (!redhost->session_open) redhost->opening_s += rh_now() - start;
  redhost->session_open = 1;
  return RH_OK;
}

rh_status rh_redhost_session(rh_redhost *redhost, rh_cl_session **session, rh_error *error) {
  rh_status status = open_session(redhost, error);
  *session = &redhost->session;
  redhost->device_failed |= status != RH_OK;
  return status;
}

/* The device that strategies are queried for; null: there is none, and *why says why. */
static rh_status device_of_registry(rh_redhost *redhost, const rh_cl_device **device, rh_error *why,
                                    rh_error *error) {
  *why = (rh_error){0};
  rh_status status = rh_redhost_device(redhost, device, why);
  /* Without devices, host strategies are still available; a missing device that was requested is
   * an error. */
  if (status != RH_OK && (status != RH_E_DEVICE || redhost->devices.n > 0)) {
    if (error) *error = *why;
    return status;
  }
  if (status == RH_OK) return RH_OK;
  *device = NULL;
  if (!redhost->registry_scanned) report_faults(redhost);
  return RH_OK;
}

/* Searches for plugins, once. */
static rh_status begin_registry(rh_redhost *redhost, rh_error *error) {
  if (redhost->registry.survey) return RH_OK;
  return rh_registry_begin(&redhost->registry, &redhost->options, rh_op_find, error);
}

/* rh_redhost.registry_n where offers are for several sizes or devices. */
static const uint64_t SEVERAL = UINT64_MAX;

static const rh_device *about(const rh_cl_device *device) {
  return device ? &device->about : NULL;
}

static int is_for(const rh_redhost *redhost, const rh_cl_device *device, uint64_t n) {
  return redhost->registry_scanned && redhost->registry_n == n && redhost->registry_for == device;
}

static rh_status examine(rh_redhost *redhost, const rh_cl_device *device, uint64_t n,
                         const char *const *names, uint32_t n_names, int exactly, rh_error *error) {
  int is_exact = exactly || !redhost->registry_scanned || is_for(redhost, device, n);
  redhost->registry_scanned = 0;
  RH_TRY(rh_registry_examine(&redhost->registry, about(device), n, names, n_names, exactly, error));
  redhost->registry_scanned = 1;
  redhost->registry_n = is_exact ? n : SEVERAL;
  redhost->registry_for = device;
  return RH_OK;
}

rh_status rh_redhost_registry(rh_redhost *redhost, uint64_t n, const rh_registry **registry,
                              rh_error *no_device, rh_error *error) {
  const rh_cl_device *device = NULL;
  rh_error why;
  RH_TRY(device_of_registry(redhost, &device, &why, error));
  if (no_device) *no_device = why;
  RH_TRY(begin_registry(redhost, error));
  *registry = &redhost->registry;
  if (is_for(redhost, device, n) && !redhost->registry.n_skipped) return RH_OK;
  return examine(redhost, device, n, NULL, 0, 1, error);
}

rh_status rh_redhost_known_registry(rh_redhost *redhost, const rh_wanted *wanted,
                                    const rh_registry **registry, rh_error *error) {
  enum { MOST = 64 }; /* more are not worth a choice: all are examined */
  const char *names[MOST];
  const rh_cl_device *device = NULL;
  rh_registry *all = &redhost->registry;
  rh_tunedb *tuned;
  rh_error why;
  if (!wanted->of_host) RH_TRY(device_of_registry(redhost, &device, &why, error));
  RH_TRY(rh_redhost_tuned(redhost, &tuned, error));
  RH_TRY(begin_registry(redhost, error));
  uint32_t n_names = wanted->of_all ? 0 : rh_tunedb_strategies(tuned, names, MOST);
  RH_TRY(examine(redhost, device, wanted->n, names, n_names <= MOST ? n_names : 0, 0, error));
  rh_registry_ask(all, about(device), wanted->n, wanted->op, wanted->type);
  *registry = all;
  return RH_OK;
}

rh_status rh_redhost_locate(rh_redhost *redhost, const char *name, rh_found *found,
                            rh_error *error) {
  *found = (rh_found){0};
  RH_TRY(begin_registry(redhost, error));
  return rh_registry_locate(&redhost->registry, name, found, error);
}

void rh_redhost_report_missing_plugins(const rh_redhost *redhost) {
  const rh_registry *registry = &redhost->registry;
  const rh_refusal *first = NULL;
  uint32_t n = 0, level = RH_LOG_WARNING;
  for (uint32_t k = 0; k < registry->n_refusals; k++) {
    const rh_refusal *refusal = &registry->refusals[k];
    int is_unexpected = refusal->kind == RH_REFUSED_UNREAD ||
                        (refusal->kind != RH_REFUSED_BY_INTENT && refusal->installed);
    if (!is_unexpected && !(k == 0 && registry->asked_refused)) continue;
    if (is_unexpected) level = RH_LOG_ERROR;
    if (n++ == 0) first = refusal;
  }
  if (n == 0) return;
  rh_text others = {0};
  if (n > 1) rh_text_add(&others, ". Nor are %u more", n - 1);
  rh_log(&redhost->options.reporter, level, "plugin %s is not loaded: %s%s", first->path,
         first->reason, rh_text_get(&others));
  rh_text_finish(&others);
}

rh_status rh_redhost_tuned(rh_redhost *redhost, rh_tunedb **tuned, rh_error *error) {
  if (redhost->tuned && redhost->tuned_for != redhost->device) {
    rh_tunedb_close(redhost->tuned);
    redhost->tuned = NULL;
  }
  if (!redhost->tuned)
    RH_TRY(rh_tunedb_open(&redhost->tuned, &redhost->cache, redhost->device, error));
  redhost->tuned_for = redhost->device;
  *tuned = redhost->tuned;
  return RH_OK;
}

void rh_redhost_blame(rh_redhost *redhost, const char *strategy, const char *path, uint32_t op,
                      rh_type type, uint64_t own, uint64_t n) {
  rh_tunedb *tuned;
  redhost->blame++;
  if (rh_redhost_tuned(redhost, &tuned, NULL) == RH_OK)
    rh_tunedb_blame(tuned, strategy, rh_tunedb_file(tuned, path), op, type, own, n);
}
