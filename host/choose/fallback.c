#include "choose.h"

enum { MOST_ATTEMPTS = 16 };

/* A limit or a lack of memory says nothing about smaller problems. */
static int depends_on_size(rh_status status) {
  return status == RH_DECLINED || status == RH_E_DEVICE || status == RH_E_NOMEM;
}

/* Without memory for it, it would be chosen again. */
static rh_status leave_out(rh_context *context, const rh_job_spec *spec, rh_status status) {
  const rh_asked asked = {
      context->chose, 0, spec->operation.op, depends_on_size(status) ? spec->operation.n : 0, {0}};
  return rh_known_note(context, &asked, spec->n_settings > 0, NULL);
}

/* Where an operator is used although its laws may be broken, another strategy may group the
 * elements as the reference does. */
static int is_the_operators(const rh_context *context, const rh_job_spec *spec) {
  return context->operator_failed && !spec->unchecked_op;
}

static int is_the_strategys(const rh_context *context, const rh_job_spec *spec, rh_status status) {
  if (!context->chose[0] || context->device_failed || is_the_operators(context, spec) ||
      status == RH_E_CANCELLED || status == RH_E_FILE) /* of the data */
    return 0;
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
