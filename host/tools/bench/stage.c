#include "bench.h"

#include "../../choose/choose.h"

const char *rh_stage_label(const rh_stage *stage) {
  return stage->device ? stage->device->label : "host";
}

/* ---- Strategies ---- */

/* It answers for a user's operator when it is asked. */
static int serves(const rh_entry *entry, const rh_bench_settings *settings) {
  for (rh_bench_at at = {.t = 0}; rh_bench_next(settings, &at);) {
    const rh_operator *op = at.problem.operation.op;
    if (entry->offers[op->base][op->type].status == RH_OK) return 1;
  }
  return 0;
}

/* Parameters are given once for all strategies, so one that no strategy has is a mistake. */
static rh_status check_params(const rh_stage *stage, const rh_registry *registry,
                              const unsigned char *choice, rh_error *error) {
  const rh_bench_settings *settings = stage->settings;
  for (uint64_t s = 0; s < settings->n_params; s++) {
    int known = 0;
    for (uint32_t k = 0; k < registry->n_entries; k++)
      known |=
          choice[k] && rh_params_find(&registry->entries[k].says, settings->params[s].key) >= 0;
    if (!known)
      return rh_fail(error, RH_E_USAGE, "none of the strategies has a parameter '%s'",
                     settings->params[s].key);
  }
  return RH_OK;
}

/* Selects entries of the registry: those requested by name, and those that can serve something
 * here. */
static rh_status choose_entries(const rh_stage *stage, const rh_registry *registry,
                                unsigned char *choice, rh_error *error) {
  const rh_bench_settings *settings = stage->settings;
  uint32_t left = 0;
  memset(choice, RH_CHOSEN, registry->n_entries);
  if (settings->choose) RH_TRY(settings->choose(settings->user, registry, choice, error));
  for (uint32_t k = 0; k < registry->n_entries; k++) {
    const rh_entry *entry = &registry->entries[k];
    if (entry->shadowed_by || (choice[k] == RH_CHOSEN && !serves(entry, settings)))
      choice[k] = RH_NOT_CHOSEN;
    left += choice[k] != RH_NOT_CHOSEN;
  }
  if (left == 0) return rh_fail(error, RH_DECLINED, "no strategy can serve this here");
  return check_params(stage, registry, choice, error);
}

/* Identifies each by its file, so that no other of the same name can replace it. */
static rh_status find_strategies(rh_stage *stage, rh_error *error) {
  const rh_registry *registry;
  uint64_t n = 0;
  for (rh_bench_at at = {.t = 0}; rh_bench_next(stage->settings, &at);)
    if (at.problem.operation.n > n) n = at.problem.operation.n;
  RH_TRY(rh_context_registry(stage->context, n, &registry, NULL, error));
  rh_context_report_missing_plugins(stage->context);
  RH_FREED(unsigned char) choice = NULL;
  RH_TRY(RH_NEW(&stage->found, registry->n_entries + 1, "the strategies", error));
  RH_TRY(RH_NEW(&choice, registry->n_entries + 1, "the strategies", error));
  RH_TRY(choose_entries(stage, registry, choice, error));
  for (uint32_t k = 0; k < registry->n_entries; k++) {
    if (choice[k] == RH_NOT_CHOSEN) continue;
    RH_TRY(rh_found_from_entry(&stage->found[stage->n_found], &registry->entries[k], error));
    stage->n_found++;
  }
  return RH_OK;
}

static rh_status start_peers(rh_stage *stage, rh_error *error) {
  const rh_bench_settings *settings = stage->settings;
  RH_TRY(RH_NEW(&stage->peers, settings->n_peers + 1, "the peers", error));
  for (uint32_t k = 0; k < settings->n_peers; k++) {
    RH_TRY(rh_peers_start(&stage->peers[k], settings->peers[k], &stage->context->options,
                          settings->timeout_s, error));
    stage->n_peers++;
  }
  return RH_OK;
}

/* ---- The device ---- */

/* Checks before anything is measured that every type and size fits in one buffer of the device,
 * or in this machine's memory. */
static rh_status check_sizes(const rh_stage *stage, uint32_t device_kinds, rh_error *error) {
  char what[64];
  const rh_cl_device *unused;
  for (rh_bench_at at = {.t = 0}; rh_bench_next(stage->settings, &at);) {
    rh_operation *of = &at.problem.operation;
    if (!at.is_largest) continue;
    snprintf(what, sizeof what, "--size %llu in %s", (unsigned long long)of->n,
             rh_type_name(of->op->operands[0].type));
    of->what = what;
    RH_TRY(rh_job_device(stage->context, &at.problem, device_kinds, &unused, error));
  }
  return RH_OK;
}

rh_status rh_stage_open(rh_stage *stage, rh_context *context, const rh_cl_device *device,
                        const rh_bench_settings *settings, rh_error *error) {
  *stage = (rh_stage){
      .context = context,
      .settings = settings,
      .device = device,
      .shared = {.context = context, .untuned = settings->untuned, .what = "--size"},
  };
  if (device) RH_TRY(rh_context_use_device(context, device, error));
  RH_TRY(find_strategies(stage, error));
  int on_device = 0;
  for (uint32_t k = 0; k < stage->n_found && device; k++)
    on_device |= stage->found[k].device_kinds != RH_DEVICE_HOST;
  RH_TRY(check_sizes(stage, on_device ? RH_DEVICE_ANY_CL : RH_DEVICE_HOST, error));
  return start_peers(stage, error);
}

/* ---- Samplers ---- */

static rh_status make_sampler(rh_stage *stage, const rh_found *found, const rh_setting *settings,
                              uint64_t n, rh_sampler *sampler, rh_error *error) {
  const rh_bench_settings *bench = stage->settings;
  int on_device = stage->device && found->device_kinds != RH_DEVICE_HOST;
  const rh_isolated_spec spec = {.options = &stage->context->options,
                                 .found = found,
                                 .device = on_device ? stage->device : NULL,
                                 .bench_device = on_device ? &stage->bench_device : NULL,
                                 .settings = settings,
                                 .n_settings = n,
                                 .untuned = stage->shared.untuned,
                                 .own = bench->own,
                                 .n_own = RH_MOST_OWN,
                                 .limit_s = bench->timeout_s};
  if (found->installed ? bench->isolate_installed : bench->isolate_others)
    return rh_isolated_sampler(sampler, &spec, error);
  return rh_local_sampler(sampler, &stage->shared, found, settings, n, error);
}

rh_status rh_stage_sampler(rh_stage *stage, const rh_found *found,
                           const rh_tunedb_settings *settings, rh_sampler *sampler,
                           rh_error *error) {
  rh_setting list[RH_TUNED_MOST_SETTINGS];
  for (uint32_t k = 0; k < settings->n; k++)
    list[k] = (rh_setting){settings->list[k].key, settings->list[k].value};
  return make_sampler(stage, found, list, settings->n, sampler, error);
}

static rh_status add_samplers(rh_stage *stage, rh_error *error) {
  const rh_bench_settings *settings = stage->settings;
  uint32_t n = stage->n_found;
  for (uint32_t k = 0; k < stage->n_peers; k++) n += rh_peers_count(stage->peers[k]);
  RH_TRY(RH_NEW(&stage->samplers, n + 1, "the strategies", error));
  for (uint32_t k = 0; k < stage->n_found; k++) {
    const rh_found *found = &stage->found[k];
    rh_sampler *sampler = &stage->samplers[k];
    RH_TRY(make_sampler(stage, found, settings->params, settings->n_params, sampler, error));
    const rh_entry *entry = rh_registry_find(&stage->context->registry, found->name);
    if (entry) sampler->reproducible = entry->says.determinism;
    stage->n_samplers++;
  }
  for (uint32_t k = 0; k < stage->n_peers; k++)
    for (uint32_t j = 0; j < rh_peers_count(stage->peers[k]); j++)
      stage->samplers[stage->n_samplers++] = rh_peers_sampler(stage->peers[k], j);
  return RH_OK;
}

rh_status rh_stage_calibrate(rh_stage *stage, rh_error *error) {
  int host_clock = stage->settings->timer == RH_TIMER_HOST;
  rh_cl_session *session;
  rh_tunedb *tuned;
  if (stage->device) {
    RH_TRY(rh_context_session(stage->context, &session, error));
    RH_TRY(rh_bench_device_open(&stage->bench_device, session, host_clock, error));
    stage->shared.bench_device = &stage->bench_device;
  }
  /* Opened before a sampler needs it, so that a fault in it is reported once, by this process. */
  RH_TRY(rh_context_tuned(stage->context, &tuned, error));
  return add_samplers(stage, error);
}

static void finish_contenders(rh_stage *stage) {
  for (uint32_t k = 0; k < stage->n_samplers; k++)
    stage->samplers[k].finish(stage->samplers[k].self);
  for (uint32_t k = 0; k < stage->n_peers; k++) rh_peers_finish(stage->peers[k]);
  free(stage->samplers);
  free(stage->peers);
  stage->samplers = NULL;
  stage->peers = NULL;
  stage->n_samplers = stage->n_peers = 0;
}

rh_status rh_stage_renew(rh_stage *stage, rh_error *error) {
  finish_contenders(stage);
  RH_TRY(start_peers(stage, error));
  return add_samplers(stage, error);
}

void rh_stage_close(rh_stage *stage) {
  finish_contenders(stage);
  for (uint32_t k = 0; k < stage->n_found; k++) rh_found_finish(&stage->found[k]);
  free(stage->found);
  rh_pool_finish(&stage->shared.pool);
  rh_bench_device_close(&stage->bench_device);
  *stage = (rh_stage){0};
}
