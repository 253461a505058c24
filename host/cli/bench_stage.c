#include "bench_stage.h"
#include "../core/base/error.h"
#include "../core/base/log.h"
#include "bench_header.h"

#include <stdlib.h>
#include <string.h>

/* A machine without OpenCL still has its host strategies; a device that was asked for must be there. */
rh_status rh_stage_devices(const rh_app *app, const rh_cl_device ***devices, uint32_t *n,
                           rh_error *error) {
  const rh_cl_devices *all;
  RH_TRY(rh_redhost_devices(app->redhost, &all, error));
  *devices = NULL;
  *n = 1;
  if (all->n == 0 && !app->typed->device) {
    for (uint32_t k = 0; k < all->n_faults; k++)
      rh_log(&app->redhost->options.reporter, RH_LOG_ERROR,
             "%s; only strategies of the host are measured", all->faults[k]);
    return RH_OK;
  }
  return rh_devices_parse(all, app->typed->device, devices, n, error);
}

const char *rh_stage_label(const rh_stage *stage) {
  return stage->device ? stage->device->label : "host";
}

/* ---- Strategies ---- */

static int serves(const rh_entry *entry, const rh_bench_settings *settings) {
  for (uint32_t k = 0; k < settings->types.n; k++)
    for (uint32_t j = 0; j < settings->ops.n; j++)
      if (entry->offers[settings->ops.list[j]][settings->types.list[k]].status == RH_OK) return 1;
  return 0;
}

static uint64_t largest(const rh_bench_settings *settings) {
  uint64_t most = 0;
  for (uint32_t k = 0; k < settings->types.n; k++) {
    uint64_t last = settings->sizes[k][settings->n_sizes[k] - 1];
    if (last > most) most = last;
  }
  return most;
}

/* --param is typed once for all: one that no strategy knows is a slip. */
static rh_status check_settings(const rh_stage *stage, const rh_registry *registry,
                                const unsigned char *selected, rh_error *error) {
  const rh_typed *typed = stage->app.typed;
  for (uint32_t s = 0; s < typed->n_settings; s++) {
    int known = 0;
    for (uint32_t k = 0; k < registry->n_entries; k++)
      for (uint32_t p = 0; p < registry->entries[k].n_params && selected[k]; p++)
        known |= strcmp(registry->entries[k].params[p].key, typed->settings[s].key) == 0;
    if (!known)
      return rh_fail(error, RH_E_USAGE, "--param %s: none of the strategies has such a parameter",
                     typed->settings[s].key);
  }
  return RH_OK;
}

/* Is this one of the words?  Globs do not count: nobody who types one wants to hear of all that cannot be done. */
static int is_named(const char *list, const char *name) {
  size_t length = strlen(name);
  for (const char *word = list; word && *word; word += strcspn(word, ","), word += *word == ',')
    if (strcspn(word, ",") == length && strncmp(word, name, length) == 0) return 1;
  return 0;
}

/* Which of the registry's entries are in: asked for by name, or fit to serve something here. */
static rh_status select_entries(const rh_stage *stage, const rh_registry *registry,
                                const rh_bench_settings *settings, unsigned char *selected,
                                rh_error *error) {
  const char **names = calloc(registry->n_entries + 1, sizeof *names);
  const char *list = stage->app.typed->strategy;
  uint32_t left = 0;
  if (!names) return rh_fail(error, RH_E_NOMEM, "no memory for the strategies' names");
  for (uint32_t k = 0; k < registry->n_entries; k++) names[k] = registry->entries[k].name;
  rh_status status = rh_strategies_select(list, names, registry->n_entries, selected, error);
  free(names);
  RH_TRY(status);
  for (uint32_t k = 0; k < registry->n_entries; k++) {
    const rh_entry *entry = &registry->entries[k];
    if (entry->shadowed_by || (!is_named(list, entry->name) && !serves(entry, settings)))
      selected[k] = 0;
    left += selected[k];
  }
  if (left == 0)
    return rh_fail(error, RH_DECLINED, "no strategy can serve this here. See redhost --list");
  return check_settings(stage, registry, selected, error);
}

/* Each by its file, so that no other of the same name can take its place. */
static rh_status find_strategies(rh_stage *stage, const rh_bench_settings *settings,
                                 rh_error *error) {
  const rh_registry *registry;
  RH_TRY(rh_redhost_registry(stage->app.redhost, largest(settings), &registry, NULL, error));
  rh_redhost_miss_plugins(stage->app.redhost);
  unsigned char *selected = calloc(registry->n_entries + 1, 1);
  stage->found = calloc(registry->n_entries + 1, sizeof *stage->found);
  rh_status status = RH_OK;
  if (!selected || !stage->found)
    status = rh_fail(error, RH_E_NOMEM, "no memory for the strategies");
  if (status == RH_OK) status = select_entries(stage, registry, settings, selected, error);
  for (uint32_t k = 0; k < registry->n_entries && status == RH_OK; k++) {
    if (!selected[k]) continue;
    status = rh_found_from_entry(&stage->found[stage->n_found], &registry->entries[k], error);
    stage->n_found += status == RH_OK;
  }
  free(selected);
  return status;
}

static rh_status start_peers(rh_stage *stage, const rh_bench_settings *settings, rh_error *error) {
  const rh_words *programs = &stage->app.typed->peers;
  for (uint32_t k = 0; k < programs->n; k++) {
    RH_TRY(rh_peers_start(&stage->peers[k], programs->list[k], &stage->app.redhost->options,
                          settings->timeout_s, error));
    stage->n_peers++;
  }
  return RH_OK;
}

/* ---- The device ---- */

/* Every type and every size, in one buffer of the device or in this machine's memory: known before anything is measured. */
static rh_status check_sizes(const rh_stage *stage, uint32_t device_kinds,
                             const rh_bench_settings *settings, rh_error *error) {
  char what[64];
  const rh_cl_device *unused;
  for (uint32_t k = 0; k < settings->types.n; k++) {
    rh_job_spec spec = {.type = settings->types.list[k], .what = what};
    spec.n = settings->sizes[k][settings->n_sizes[k] - 1];
    snprintf(what, sizeof what, "--size %llu in %s", (unsigned long long)spec.n,
             rh_type_name(spec.type));
    RH_TRY(rh_job_device(stage->app.redhost, &spec, device_kinds, &unused, error));
  }
  return RH_OK;
}

static int uses_device(const rh_stage *stage) {
  for (uint32_t k = 0; k < stage->n_found; k++)
    if (stage->found[k].device_kinds != RH_DEVICE_HOST) return 1;
  return 0;
}

/* The stage's own handle looks for devices again.  A driver that failed the first time may answer now, but the stage was
 * laid out without a device. */
static rh_status check_no_device(rh_redhost *redhost, rh_error *error) {
  const rh_cl_devices *found;
  RH_TRY(rh_redhost_devices(redhost, &found, error));
  if (found->n == 0) return RH_OK;
  return rh_fail(error, RH_E_DEVICE,
                 "an OpenCL driver failed when it was first asked for devices and answers now; run "
                 "the command again");
}

rh_status rh_stage_open(rh_stage *stage, const rh_app *app, const rh_cl_device *device,
                        const rh_bench_settings *settings, rh_error *error) {
  rh_options options = app->redhost->options;
  const rh_cl_device *own;
  *stage = (rh_stage){.app = *app, .timeout_s = settings->timeout_s};
  stage->app.redhost = NULL;
  stage->app.op = settings->ops.list[0];
  stage->app.type = settings->types.list[0];
  if (device) {
    options.device = device->label;
  }
  RH_TRY(rh_open(&stage->app.redhost, &options, error));
  if (device) {
    RH_TRY(rh_redhost_device(stage->app.redhost, &own, error));
    stage->device = own;
  } else {
    RH_TRY(check_no_device(stage->app.redhost, error));
  }
  stage->shared =
      (rh_local_shared){.redhost = stage->app.redhost, .untuned = app->typed->mode == RH_MODE_TUNE};
  RH_TRY(find_strategies(stage, settings, error));
  int on_device = stage->device && uses_device(stage);
  RH_TRY(check_sizes(stage, on_device ? RH_DEVICE_ANY_CL : RH_DEVICE_HOST, settings, error));
  return start_peers(stage, settings, error);
}

/* ---- Samplers ---- */

/* In this process what came with redhost; what others wrote in a process of its own, unless told otherwise. */
static rh_status is_isolated(const rh_stage *stage, const rh_found *found, int *isolated,
                             rh_error *error) {
  return rh_parse_when("--isolate", stage->app.typed->isolate, !found->installed, isolated, error);
}

static rh_status isolated_sampler(const rh_stage *stage, const rh_found *found,
                                  const rh_setting *settings, uint64_t n, rh_sampler *sampler,
                                  rh_error *error) {
  int on_device = stage->device && found->device_kinds != RH_DEVICE_HOST;
  rh_isolated_spec spec = {.options = &stage->app.redhost->options,
                           .found = found,
                           .device = on_device ? stage->device : NULL,
                           .range = on_device ? &stage->range : NULL,
                           .settings = settings,
                           .n_settings = n,
                           .untuned = stage->shared.untuned,
                           .limit_s = stage->timeout_s};
  return rh_isolated_sampler(sampler, &spec, error);
}

static rh_status make_sampler(rh_stage *stage, const rh_found *found, const rh_setting *settings,
                              uint64_t n, rh_sampler *sampler, rh_error *error) {
  int isolated;
  RH_TRY(is_isolated(stage, found, &isolated, error));
  return isolated ? isolated_sampler(stage, found, settings, n, sampler, error)
                  : rh_local_sampler(sampler, &stage->shared, found, settings, n, error);
}

rh_status rh_stage_sampler(rh_stage *stage, const rh_found *found,
                           const rh_tunedb_setting *settings, uint32_t n, rh_sampler *sampler,
                           rh_error *error) {
  rh_setting list[RH_TUNED_MOST_SETTINGS];
  for (uint32_t k = 0; k < n; k++) list[k] = (rh_setting){settings[k].key, settings[k].value};
  return make_sampler(stage, found, list, n, sampler, error);
}

static rh_status add_strategy(rh_stage *stage, const rh_found *found, rh_error *error) {
  const rh_typed *typed = stage->app.typed;
  rh_sampler *sampler = &stage->samplers[stage->n_samplers];
  RH_TRY(make_sampler(stage, found, typed->settings, typed->n_settings, sampler, error));
  const rh_entry *entry = rh_registry_find(&stage->app.redhost->registry, found->name);
  if (entry) sampler->reproducible = entry->determinism;
  stage->n_samplers++;
  return RH_OK;
}

static rh_status add_samplers(rh_stage *stage, rh_error *error) {
  uint32_t n = stage->n_found;
  for (uint32_t k = 0; k < stage->n_peers; k++) n += rh_peers_count(stage->peers[k]);
  stage->samplers = calloc(n + 1, sizeof *stage->samplers);
  if (!stage->samplers) return rh_fail(error, RH_E_NOMEM, "no memory for the strategies");
  for (uint32_t k = 0; k < stage->n_found; k++)
    RH_TRY(add_strategy(stage, &stage->found[k], error));
  for (uint32_t k = 0; k < stage->n_peers; k++)
    for (uint32_t j = 0; j < rh_peers_count(stage->peers[k]); j++)
      stage->samplers[stage->n_samplers++] = rh_peers_sampler(stage->peers[k], j);
  return RH_OK;
}

static rh_status describe_peers(const rh_stage *stage, rh_records *results, rh_error *error) {
  for (uint32_t k = 0; k < stage->n_peers; k++)
    for (uint32_t j = 0; j < rh_peers_count(stage->peers[k]); j++)
      RH_TRY(rh_bench_header_peer(results, rh_peers_sampler(stage->peers[k], j).name,
                                  rh_peers_about(stage->peers[k], j),
                                  stage->app.typed->peers.list[k], error));
  return RH_OK;
}

static rh_status describe(rh_stage *stage, rh_records *results, rh_error *error) {
  const rh_registry *registry = &stage->app.redhost->registry;
  for (uint32_t k = 0; k < stage->n_found; k++) {
    const rh_entry *entry = rh_registry_find(registry, stage->found[k].name);
    if (entry) RH_TRY(rh_bench_header_strategy(results, &stage->app, entry, error));
  }
  RH_TRY(describe_peers(stage, results, error));
  if (!stage->device) return RH_OK;
  return rh_bench_header_calibration(results, stage->device, &stage->range, error);
}

rh_status rh_stage_calibrate(rh_stage *stage, const rh_bench_settings *settings,
                             rh_records *results, rh_error *error) {
  rh_cl_session *session;
  rh_tunedb *tuned;
  if (stage->device) {
    RH_TRY(rh_redhost_session(stage->app.redhost, &session, error));
    RH_TRY(rh_bench_device_open(&stage->range, session, settings->timer == RH_TIMER_HOST, error));
    stage->shared.range = &stage->range;
  }
  /* Here and not in whoever needs it first: what is wrong with it is said once, and by this process. */
  RH_TRY(rh_redhost_tuned(stage->app.redhost, &tuned, error));
  RH_TRY(add_samplers(stage, error));
  return describe(stage, results, error);
}

void rh_stage_close(rh_stage *stage) {
  for (uint32_t k = 0; k < stage->n_samplers; k++)
    stage->samplers[k].finish(stage->samplers[k].self);
  free(stage->samplers);
  for (uint32_t k = 0; k < stage->n_found; k++) rh_found_finish(&stage->found[k]);
  free(stage->found);
  for (uint32_t k = 0; k < stage->n_peers; k++) rh_peers_finish(stage->peers[k]);
  rh_pool_finish(&stage->shared.pool);
  rh_bench_device_close(&stage->range);
  rh_close(stage->app.redhost);
  *stage = (rh_stage){0};
}
