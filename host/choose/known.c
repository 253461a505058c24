#include "choose.h"

#include "../operators/algebra/algebra.h"
#include "../operators/foreign/foreign.h"

rh_status rh_known_of(rh_context *context, rh_known **known, rh_error *error) {
  if (!context->known) RH_TRY(RH_NEW(&context->known, 1, "what is known of strategies", error));
  *known = context->known;
  return RH_OK;
}

static void finish(rh_known *known) {
  if (!known) return;
  rh_tunedb_close(known->tuned);
  free(known->facts);
  rh_definitions_finish(&known->definitions);
  free(known);
}

/* ---- What this process has found out ---- */

/* That of->strategy is left out, or for "" that the operator is trusted. */
static rh_status note_fact(rh_context *context, const rh_asked *of, int with_settings,
                           rh_error *error) {
  rh_known *known;
  RH_TRY(rh_known_of(context, &known, error));
  RH_TRY(RH_ROOM(&known->facts, known->n_facts, "what is known of strategies", error));
  known->facts[known->n_facts++] = (rh_fact){rh_tunedb_entry_of(of), with_settings};
  return RH_OK;
}

int rh_known_has(const rh_context *context, const rh_asked *of, int with_settings) {
  for (uint32_t k = 0; context->known && k < context->known->n_facts; k++) {
    const rh_fact *fact = &context->known->facts[k];
    if (rh_tunedb_is_of(&fact->of, of->op) && fact->with_settings == with_settings &&
        of->n >= fact->of.n && strcmp(fact->of.strategy, of->strategy) == 0)
      return 1;
  }
  return 0;
}

rh_status rh_job_trust(rh_context *context, const rh_job_spec *spec, rh_error *error) {
  if (!spec->operation.op->is_custom || spec->unchecked_op) return RH_OK;
  const rh_asked itself = {"", 0, spec->operation.op, 0, {0}};
  if (rh_known_has(context, &itself, 0)) return RH_OK;
  RH_TRY(rh_algebra_trust(rh_custom_of(spec->operation.op), &context->cache, error));
  return note_fact(context, &itself, 0, error);
}

/* ---- `auto` goes on to another strategy ---- */

enum { MOST_ATTEMPTS = 16 };

/* Without memory for it, it would be chosen again. */
static rh_status leave_out(rh_context *context, const rh_job_spec *spec, rh_status status) {
  rh_asked asked = {context->chose, 0, spec->operation.op, 0, {0}};
  /* A limit or a lack of memory says nothing about smaller problems. */
  if (status == RH_DECLINED || status == RH_E_DEVICE || status == RH_E_NOMEM)
    asked.n = spec->operation.n;
  return note_fact(context, &asked, spec->n_settings > 0, NULL);
}

static int is_the_strategys(const rh_context *context, const rh_job_spec *spec, rh_status status) {
  if (!context->chose[0] || context->device_failed || status == RH_E_CANCELLED ||
      status == RH_E_FILE) /* of the data */
    return 0;
  /* Where an operator is used although its laws may be broken, another strategy may group the
   * elements as the reference does. */
  if (context->operator_failed && !spec->unchecked_op) return 0;
  return status != RH_E_USAGE || spec->n_settings == 0;
}

static void remember(rh_attempts *tried, const char *strategy, const rh_error *why) {
  size_t used = strlen(tried->others);
  if (tried->n++ == 0) tried->first = *why;
  else
    snprintf(tried->others + used, sizeof tried->others - used, "%s%s", used ? ", " : "", strategy);
}

static void report_first(const rh_attempts *tried, rh_error *why) {
  *why = tried->first;
  size_t used = strlen(why->message);
  if (tried->others[0])
    snprintf(why->message + used, sizeof why->message - used, ". Other strategies failed, too: %s",
             tried->others);
}

int rh_fallback(rh_context *context, const rh_job_spec *spec, rh_attempts *tried, rh_error *why) {
  const char *name = context->chose;
  if (spec->strategy && strcmp(spec->strategy, "auto") != 0) return 0;
  if (!is_the_strategys(context, spec, why->status)) {
    /* nobody is left */
    if (!name[0] && tried->n) report_first(tried, why);
    return 0;
  }
  remember(tried, name, why);
  if (tried->n < MOST_ATTEMPTS && leave_out(context, spec, why->status) == RH_OK) {
    int is_named = strstr(why->message, name) != NULL;
    rh_log(&context->options.reporter, RH_LOG_WARNING, "auto leaves %s out: %s",
           is_named ? "it" : name, why->message);
    return 1;
  }
  report_first(tried, why);
  return 0;
}

/* The first attempt alone initialises little: calls of few elements take no longer than that. */
rh_status rh_try_strategies(const rh_tries *tries, rh_error *error) {
  int is_final = 0;
  rh_error why;
  why.status = RH_OK;
  why.message[0] = 0;
  if (tries->attempt(tries->user, &is_final, &why) == RH_OK) return RH_OK;
  rh_attempts tried = {0};
  while (!is_final && (tries->goes_on ? tries->goes_on(tries->user, &tried, &why)
                                      : rh_fallback(tries->context, tries->spec, &tried, &why))) {
    tries->undo(tries->user);
    why = (rh_error){0};
    if (tries->attempt(tries->user, &is_final, &why) == RH_OK) return RH_OK;
  }
  if (error) *error = why;
  return why.status;
}

/* ---- What was tuned ---- */

rh_status rh_context_tuned(rh_context *context, rh_tunedb **tuned, rh_error *error) {
  rh_known *known;
  RH_TRY(rh_known_of(context, &known, error));
  if (known->tuned && known->tuned_for != context->device) {
    rh_tunedb_close(known->tuned);
    known->tuned = NULL;
  }
  if (!known->tuned) RH_TRY(rh_tunedb_open(&known->tuned, &context->cache, context->device, error));
  known->tuned_for = context->device;
  *tuned = known->tuned;
  return RH_OK;
}

static void wrong(rh_context *context, const char *strategy, const char *path,
                  const rh_operator *op, uint64_t n) {
  rh_tunedb *tuned;
  rh_asked blamed = {strategy, 0, op, n, {0}};
  if (rh_context_tuned(context, &tuned, NULL) != RH_OK) return;
  blamed.plugin = rh_tunedb_file(tuned, path);
  rh_tunedb_blame(tuned, &blamed);
}

static void note(rh_job *job, const rh_tunedb *tuned, const rh_tunedb_entry *entry) {
  rh_origin *origin = &job->params_from;
  if (entry->origin == RH_TUNED_SHIPPED)
    snprintf(origin->note, sizeof origin->note, "tuned for %s, by redhost's shipped defaults",
             rh_tunedb_shipped_name(tuned));
  else snprintf(origin->note, sizeof origin->note, "tuned here");
  rh_log(&job->context->options.reporter, RH_LOG_INFO, "parameters of '%s': %s",
         job->strategy->name, origin->note);
}

static int is_typed(const rh_job *job, const char *key) {
  for (uint64_t k = 0; k < job->spec.n_settings; k++)
    if (strcmp(job->spec.settings[k].key, key) == 0) return 1;
  return 0;
}

/* Between the plugin's defaults and the settings: a tuned value, unless the caller gave one.  1: it
 * is used.  One that is invalid for the plugin is logged, as information, and ignored. */
static int use_value(rh_job *job, const char *key, const char *value) {
  const rh_reporter *reporter = &job->context->options.reporter;
  const char *name = job->strategy->name;
  char range[128];
  if (is_typed(job, key)) return 0;
  int k = rh_params_find(job->strategy, key);
  if (k < 0) {
    rh_log(reporter, RH_LOG_INFO, "tuned %s=%s is ignored: '%s' has no such parameter", key, value,
           name);
    return 0;
  }
  const rh_param *param = rh_strategy_param(job->strategy, (uint32_t)k);
  if (rh_param_parse(param, value, &job->instance_spec.params[k])) return 1;
  rh_param_range(param, range, sizeof range);
  rh_log(reporter, RH_LOG_INFO, "tuned %s=%s is ignored: '%s' takes %s", key, value, name, range);
  return 0;
}

static rh_status use_tuned(rh_job *job, rh_error *error) {
  const rh_operation *of = &job->spec.operation;
  rh_asked asked = {job->strategy->name, 0, of->op, of->n, rh_cut_of(of->layout)};
  rh_tunedb *tuned;
  if (job->spec.untuned || job->strategy->n_params == 0) return RH_OK;
  RH_TRY(rh_context_tuned(job->context, &tuned, error));
  if (rh_tunedb_is_here(tuned, asked.strategy)) asked.plugin = rh_tunedb_file(tuned, job->path);
  rh_tunedb_report_other_plugin(tuned, asked.strategy, asked.plugin);
  const rh_tunedb_entry *entry = rh_tunedb_find(tuned, &asked);
  if (!entry) return RH_OK;
  for (uint32_t k = 0; k < entry->settings.n; k++)
    job->params_from.n_tuned +=
        (uint32_t)use_value(job, entry->settings.list[k].key, entry->settings.list[k].value);
  if (!job->params_from.n_tuned) return RH_OK;
  if (job->params_from.from == RH_PARAMS_FROM_DEFAULT) job->params_from.from = RH_PARAMS_FROM_TUNED;
  note(job, tuned, entry);
  return RH_OK;
}

const rh_context_calls rh_choosing = {.use_tuned = use_tuned,
                                      .wrong = wrong,
                                      .examine = rh_algebra_trust_on,
                                      .finish = finish,
                                      .describe = rh_foreign_open};
