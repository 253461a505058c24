#include "bench_settings.h"
#include "../core/base/error.h"
#include "../core/base/log.h"
#include "../core/io/array.h"
#include "../tools/bench/problem.h"
#include "axes.h"
#include "list.h"
#include "number.h"
#include "size.h"
#include "user_operator.h"

#include <stdlib.h>
#include <string.h>

static rh_status parse_rules(rh_bench_rules *rules, const rh_typed *typed, rh_error *error) {
  double percent = 0.5;
  *rules = (rh_bench_rules){.max_time_s = 1, .min_samples = 20, .max_samples = RH_MOST_SAMPLES};
  if (typed->quick && typed->thorough)
    return rh_fail(error, RH_E_USAGE, "--quick and --thorough are mutually exclusive");
  if (typed->quick) {
    percent = 2;
    rules->max_time_s = 0.3;
  }
  if (typed->thorough) {
    percent = 0.2;
    rules->max_time_s = 15;
  }
  RH_TRY(rh_number_parse(&rh_number_precision, typed->precision, &percent, error));
  RH_TRY(rh_number_parse(&rh_number_max_time, typed->max_time, &rules->max_time_s, error));
  RH_TRY(rh_samples_parse(typed->samples, &rules->min_samples, &rules->max_samples, error));
  if (rules->min_samples > RH_MOST_SAMPLES)
    return rh_fail(error, RH_E_USAGE, "--samples %s: at most %d samples per point", typed->samples,
                   RH_MOST_SAMPLES);
  rules->precision = percent / 100;
  rules->once = (int)typed->once;
  return RH_OK;
}

static rh_status parse_sizes(rh_bench_settings *settings, const char *text, rh_error *error) {
  for (uint32_t k = 0; k < settings->types.n; k++)
    RH_TRY(rh_sizes_parse(text, rh_bench_element_bytes(settings, k), &settings->sizes[k],
                          &settings->n_sizes[k], error));
  return RH_OK;
}

/* Every defined pair of the operators and types is measured; there must be at least one. */
static rh_status check_pairs(const rh_bench_settings *settings, rh_error *error) {
  for (uint32_t k = 0; k < settings->types.n; k++)
    for (uint32_t j = 0; j < settings->ops.n; j++)
      if (rh_bench_is_defined(settings, k, settings->ops.list[j])) return RH_OK;
  return rh_fail(error, RH_E_USAGE, "--op %s is not defined for %s, only for %s",
                 rh_op_name(settings->ops.list[0]), rh_type_name(settings->types.list[0]),
                 rh_op_domain(settings->ops.list[0]));
}

static int needs_an_element(const rh_bench_settings *settings, uint32_t t, uint32_t op) {
  const rh_job_spec problem = rh_bench_problem(settings, t, op, 0);
  return rh_job_needs_an_element(&problem);
}

static rh_status check_sizes(const rh_bench_settings *settings, rh_error *error) {
  for (uint32_t j = 0; j < settings->ops.n; j++)
    for (uint32_t k = 0; k < settings->types.n; k++)
      if (settings->sizes[k][0] == 0 && needs_an_element(settings, k, settings->ops.list[j]))
        return rh_fail(error, RH_E_USAGE, "%s of an empty array is undefined",
                       rh_bench_op_name(settings, settings->ops.list[j]));
  return RH_OK;
}

static rh_status parse_isolation(rh_bench_settings *settings, const char *when, rh_error *error) {
  RH_TRY(rh_parse_when("--isolate", when, 0, &settings->isolate_installed, error));
  return rh_parse_when("--isolate", when, 1, &settings->isolate_others, error);
}

static rh_status define_own(const rh_app *app, rh_bench_settings *settings, uint32_t t,
                            rh_error *error) {
  RH_TRY(rh_user_operator_define(app->typed, &app->redhost->options, settings->types.list[t],
                                 &settings->own[t], error));
  return rh_user_operator_trust(app, settings->own[t], error);
}

/* One for each type. */
static rh_status parse_own(rh_bench_settings *settings, const rh_app *app, rh_error *error) {
  settings->ops = (rh_ops){.n = 1};
  if (settings->n_peers)
    return rh_fail(error, RH_E_USAGE, "--peer: peers know built-in operators only");
  for (uint32_t k = 0; k < settings->types.n; k++) RH_TRY(define_own(app, settings, k, error));
  return RH_OK;
}

static rh_status parse_ops(rh_bench_settings *settings, const rh_app *app, rh_error *error) {
  const rh_typed *typed = app->typed;
  RH_TRY(rh_types_parse(typed->type, &settings->types, error));
  if (rh_user_operator_is_one(typed)) return parse_own(settings, app, error);
  RH_TRY(rh_ops_parse(typed->op, &settings->ops, error));
  return check_pairs(settings, error);
}

/* Several processes are processes of the strategies' own. */
static rh_status parse_processes(rh_bench_settings *settings, const rh_typed *typed,
                                 rh_error *error) {
  settings->processes = 1;
  RH_TRY(rh_processes_parse(typed->processes, &settings->processes, error));
  if (settings->processes == 1) return RH_OK;
  if (!settings->isolate_others)
    return rh_fail(error, RH_E_USAGE, "--processes=%u and --isolate=never are mutually exclusive",
                   settings->processes);
  if (settings->rules.once)
    return rh_fail(error, RH_E_USAGE, "--processes=%u and --once are mutually exclusive",
                   settings->processes);
  settings->isolate_installed = 1;
  return RH_OK;
}

static rh_status parse_words(rh_bench_settings *settings, const rh_typed *typed, rh_error *error) {
  static const char *const caches[] = {"cold", "hot"};
  static const char *const timers[] = {"auto", "event", "host"};
  uint32_t hot;
  RH_TRY(rh_choice_parse("--cache", typed->cache, caches, 2, &hot, error));
  RH_TRY(rh_choice_parse("--timer", typed->timer, timers, 3, &settings->timer, error));
  settings->hot = (int)hot;
  return RH_OK;
}

/* ---- Strategies ---- */

/* Is this one of the words?  Globs do not count: users of globs do not want a message for each
 * strategy that cannot run. */
static int is_named(const char *list, const char *name) {
  size_t length = strlen(name);
  for (const char *word = list; word && *word; word += strcspn(word, ","), word += *word == ',')
    if (strcspn(word, ",") == length && strncmp(word, name, length) == 0) return 1;
  return 0;
}

/* --strategy */
static rh_status choose(const void *user, const rh_registry *registry, unsigned char *choice,
                        rh_error *error) {
  const rh_typed *typed = user;
  uint32_t n = registry->n_entries;
  const char **names = calloc(n + 1, sizeof *names);
  if (!names) return rh_fail(error, RH_E_NOMEM, "no memory for the strategies' names");
  for (uint32_t k = 0; k < n; k++) names[k] = registry->entries[k].name;
  rh_status status = rh_strategies_select(typed->strategy, names, n, choice, error);
  for (uint32_t k = 0; k < n && status == RH_OK; k++)
    if (choice[k] && is_named(typed->strategy, names[k])) choice[k] = RH_CHOSEN_BY_NAME;
  free(names);
  for (uint32_t k = 0; k < registry->n_refusals && status != RH_OK; k++)
    if (registry->refusals[k].kind == RH_REFUSED_UNSEARCHED)
      return rh_fail(error, RH_E_PLUGIN, "--strategy '%s': not all are known: %s %s",
                     typed->strategy, registry->refusals[k].path, registry->refusals[k].reason);
  return status;
}

/* ---- All settings ---- */

rh_status rh_bench_settings_parse(rh_bench_settings *settings, const rh_app *app, rh_error *error) {
  const rh_typed *typed = app->typed;
  *settings = (rh_bench_settings){
      .data = typed->data ? typed->data : "uniform",
      .timeout_s = 60,
      .params = typed->settings,
      .n_params = typed->n_settings,
      .peers = typed->peers.list,
      .n_peers = typed->peers.n,
      .untuned = typed->mode == RH_MODE_TUNE,
      .choose = choose,
      .user = typed,
  };
  RH_TRY(parse_rules(&settings->rules, typed, error));
  RH_TRY(parse_words(settings, typed, error));
  RH_TRY(parse_isolation(settings, typed->isolate, error));
  RH_TRY(parse_processes(settings, typed, error));
  RH_TRY(rh_number_parse(&rh_number_timeout, typed->timeout, &settings->timeout_s, error));
  RH_TRY(rh_seed_parse(typed->seed, &settings->seed, error));
  RH_TRY(rh_array_check_kind(settings->data, error));
  RH_TRY(parse_ops(settings, app, error));
  /* Tuned parameters also serve similar sizes, so one size per class is enough. */
  const char *sizes = typed->mode == RH_MODE_TUNE ? "2^10:2^28:x8" : "2^10:2^28";
  RH_TRY(parse_sizes(settings, typed->size ? typed->size : sizes, error));
  return check_sizes(settings, error);
}

void rh_bench_settings_finish(rh_bench_settings *settings) {
  for (uint32_t k = 0; k < RH_N_TYPES; k++) {
    free(settings->sizes[k]);
    rh_operator_destroy(settings->own[k]);
  }
  *settings = (rh_bench_settings){0};
}

/* Without OpenCL, host strategies are still available; a requested device must exist. */
rh_status rh_bench_devices(const rh_app *app, const rh_cl_device ***devices, uint32_t *n,
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
