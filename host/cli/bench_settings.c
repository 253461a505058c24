#include "app.h"

static rh_status parse_rules(rh_bench_rules *rules, const rh_typed *typed, rh_error *error) {
  double percent = typed->quick ? 2 : typed->thorough ? 0.2 : 0.5;
  double max_time_s = typed->quick ? 0.3 : typed->thorough ? 15 : 1;
  *rules = (rh_bench_rules){.precision = (typed->precision > 0 ? typed->precision : percent) / 100,
                            .max_time_s = typed->max_time_s > 0 ? typed->max_time_s : max_time_s,
                            .min_samples = 20,
                            .max_samples = RH_MOST_SAMPLES,
                            .once = (int)typed->once};
  RH_TRY(rh_samples_parse(typed->samples, &rules->min_samples, &rules->max_samples, error));
  if (rules->min_samples > RH_MOST_SAMPLES)
    return rh_fail(error, RH_E_USAGE, "--samples %s: at most %d samples per point", typed->samples,
                   RH_MOST_SAMPLES);
  return RH_OK;
}

/* Sizes of a list may have fewer elements than a length of one. */
static rh_status parse_lengths(rh_bench_settings *settings, const rh_app *app, rh_error *error) {
  const char *typed = app->typed->length;
  uint64_t most = 0;
  if (!typed) return RH_OK;
  RH_TRY(rh_sizes_parse(typed, "--length", 0, &settings->lengths, &settings->n_lengths, error));
  if (settings->lengths[0] == 0)
    return rh_fail(error, RH_E_USAGE, "--length %s: a segment has at least one element", typed);
  for (uint32_t t = 0; t < settings->types.n; t++) {
    uint64_t n = settings->sizes[t][settings->n_sizes[t] - 1];
    if (n < settings->lengths[0])
      return rh_fail(error, RH_E_USAGE, "--length %s: no size has as many elements", typed);
    if (n > most) most = n;
  }
  RH_TRY(rh_words_parse(&rh_distribution_words, app->typed->distribution, &settings->distributions,
                        error));
  if (settings->lengths[settings->n_lengths - 1] > most && !settings->untuned)
    rh_log(&app->context->options.reporter, RH_LOG_WARNING,
           "--length: lengths above %llu, the most elements of a size, are left out",
           (unsigned long long)most);
  return RH_OK;
}

/* Every defined pair of the operators and types is measured; there must be at least one. */
static rh_status check_pairs(const rh_bench_settings *settings, rh_error *error) {
  for (uint32_t k = 0; k < settings->types.n; k++)
    for (uint32_t j = 0; j < settings->ops.n; j++)
      if (rh_bench_operator(settings, k, settings->ops.list[j])) return RH_OK;
  return rh_fail(error, RH_E_USAGE, "--op %s is not defined for %s, only for %s",
                 rh_op_name(settings->ops.list[0]), rh_type_name(settings->types.list[0]),
                 rh_op_domain(settings->ops.list[0]));
}

static rh_status check_sizes(const rh_bench_settings *settings, rh_error *error) {
  for (uint32_t j = 0; j < settings->ops.n; j++)
    for (uint32_t k = 0; k < settings->types.n; k++) {
      const rh_operator *op = rh_bench_operator(settings, k, settings->ops.list[j]);
      if (settings->sizes[k][0] == 0 && op && op->needs_an_element)
        return rh_fail(error, RH_E_USAGE, "%s of an empty array is undefined",
                       rh_bench_op_name(settings, settings->ops.list[j]));
    }
  return RH_OK;
}

/* Adds operator `k` of those that are not built in, for the types that it can be made for. */
static rh_status add_own(rh_bench_settings *settings, const rh_app *app, const rh_typed *typed,
                         uint32_t k, rh_error *error) {
  rh_custom **own = &settings->own[k * RH_N_TYPES];
  uint32_t n_failed = 0;
  rh_error first = {0}, why;
  if (settings->n_peers)
    return rh_fail(error, RH_E_USAGE, "--peer: peers know built-in operators only");
  if (k == RH_MOST_OWN_OPS)
    return rh_fail(error, RH_E_USAGE, "--op: at most %d operators that are not built in",
                   RH_MOST_OWN_OPS);
  for (uint32_t t = 0; t < settings->types.n; t++) {
    rh_status status =
        rh_user_operator_define(app, typed, NULL, settings->types.list[t], &own[t], &why);
    if (status != RH_OK && (n_failed++ == 0 || status != RH_E_USAGE)) first = why;
    if (status == RH_OK) RH_TRY(rh_user_operator_trust(app, own[t], error));
  }
  if (n_failed == settings->types.n || (n_failed && first.status != RH_E_USAGE))
    return rh_error_pass(error, first.status, &first);
  settings->ops.list[settings->ops.n++] = RH_FIRST_OWN_OP + k;
  return RH_OK;
}

static int has_op(const rh_bench_settings *settings, const char *name) {
  for (uint32_t k = 0; k < settings->ops.n; k++)
    if (strcmp(rh_bench_op_name(settings, settings->ops.list[k]), name) == 0) return 1;
  return 0;
}

static rh_status parse_ops(rh_bench_settings *settings, const rh_app *app, rh_error *error) {
  rh_typed typed = *app->typed;
  const char *list = typed.texts.op ? typed.texts.op : "sum";
  uint32_t n_own = 0;
  rh_numbers chosen;
  RH_TRY(rh_words_parse(&rh_type_words, typed.type, &settings->types, error));
  settings->ops.n = 0;
  if (rh_user_operator_is_one(&typed)) return add_own(settings, app, &typed, 0, error);
  RH_TRY(rh_list_check("--op", list, error));
  while ((typed.texts.op = rh_list_next(&list))) {
    int is_own = rh_words_parse(&rh_op_words, typed.texts.op, &chosen, NULL) != RH_OK;
    for (uint32_t k = 0; !is_own && k < chosen.n; k++)
      if (!has_op(settings, rh_op_name(chosen.list[k])))
        settings->ops.list[settings->ops.n++] = chosen.list[k];
    if (is_own && !has_op(settings, typed.texts.op))
      RH_TRY(add_own(settings, app, &typed, n_own++, error));
  }
  return check_pairs(settings, error);
}

/* Is this one of the words?  Globs do not count: users of globs do not want a message for each
 * strategy that cannot run. */
static int is_named(const char *list, const char *name) {
  for (const char *word; (word = rh_list_next(&list));)
    if (strcmp(word, name) == 0) return 1;
  return 0;
}

/* --strategy */
static rh_status choose(const void *user, const rh_registry *registry, unsigned char *choice,
                        rh_error *error) {
  const rh_typed *typed = user;
  rh_status status = rh_registry_select(registry, typed->strategy, choice, error);
  for (uint32_t k = 0; k < registry->n_entries && status == RH_OK; k++)
    if (choice[k] && is_named(typed->strategy, registry->entries[k].says.name))
      choice[k] = RH_CHOSEN_BY_NAME;
  for (uint32_t k = 0; k < registry->search.n && status != RH_OK; k++) {
    const rh_candidate *file = &registry->search.candidates[k];
    if (file->kind == RH_REFUSED_UNSEARCHED)
      return rh_fail(error, RH_E_PLUGIN, "--strategy '%s': not all are known: %s %s",
                     typed->strategy, file->path, file->refused);
  }
  return status;
}

rh_status rh_bench_settings_parse(rh_bench_settings *settings, const rh_app *app, rh_error *error) {
  const rh_typed *typed = app->typed;
  *settings = (rh_bench_settings){
      .data = typed->data,
      .timeout_s = rh_limit_s(typed),
      .seed = typed->seed,
      .processes = (uint32_t)typed->processes,
      .isolate_installed = rh_when(typed->isolate, typed->processes > 1),
      .isolate_others = rh_when(typed->isolate, 1),
      .hot = typed->cache == 2,
      .timer = typed->timer ? typed->timer - 1 : 0,
      .params = typed->settings,
      .n_params = typed->n_settings,
      .peers = typed->peers.list,
      .n_peers = typed->peers.n,
      .untuned = typed->mode == RH_MODE_TUNE,
      .choose = choose,
      .user = typed,
  };
  RH_TRY(parse_rules(&settings->rules, typed, error));
  RH_TRY(rh_array_check_kind(settings->data, error));
  RH_TRY(parse_ops(settings, app, error));
  /* Tuned parameters also serve similar sizes, so one size per class is enough. */
  const char *sizes = typed->mode == RH_MODE_TUNE ? "2^10:2^28:x8" : "2^10:2^28";
  if (typed->size) sizes = typed->size;
  for (uint32_t k = 0; k < settings->types.n; k++)
    RH_TRY(rh_sizes_parse(sizes, "--size", rh_bench_element_bytes(settings, k), &settings->sizes[k],
                          &settings->n_sizes[k], error));
  RH_TRY(parse_lengths(settings, app, error));
  return check_sizes(settings, error);
}

void rh_bench_settings_finish(rh_bench_settings *settings) {
  for (uint32_t k = 0; k < RH_N_TYPES; k++) free(settings->sizes[k]);
  free(settings->lengths);
  for (uint32_t k = 0; k < RH_MOST_OWN; k++) rh_custom_destroy(settings->own[k]);
  *settings = (rh_bench_settings){0};
}

/* Without OpenCL, host strategies are still available; a requested device must exist. */
rh_status rh_bench_devices(const rh_app *app, const rh_cl_device ***devices, uint32_t *n,
                           rh_error *error) {
  const rh_cl_devices *all;
  RH_TRY(rh_context_devices(app->context, &all, error));
  *devices = NULL;
  *n = 1;
  if (all->n == 0 && !app->typed->device) {
    for (uint32_t k = 0; k < all->n_faults; k++)
      rh_log(&app->context->options.reporter, RH_LOG_ERROR,
             "%s; only strategies of the host are measured", all->faults[k]);
    return RH_OK;
  }
  return rh_devices_parse(all, app->typed->device, devices, n, error);
}
