/* redhost --verify-op [NAME | FILE]... */
#include "../operators/algebra/algebra.h"
#include "app.h"

typedef struct work {
  const rh_app *app;
  json_t *list; /* of --json; or null */
  uint32_t examined, wrong;
  rh_cl_session *session; /* null: no device compares itself with the host */
} work;

static const char *say_law(const rh_algebra_report *report, rh_law law) {
  static const char *const words[] = {"not tried", "BROKEN", "in all cases", "proved",
                                      "proved (where == holds: in all cases)"};
  return words[report->laws[law]];
}

static void print_report(const rh_custom *self, rh_type type, const rh_algebra_report *report,
                         const rh_algebra_device *device, int is_wrong) {
  const char *claim = self->op.flags & RH_OP_COMMUTATIVE ? ", claimed" : ", not claimed";
  printf("%s  %s   %s\n", rh_plain(self->name), rh_type_name(type), is_wrong ? "WRONG" : "ok");
  if (!report->cases)
    printf("  %s\n", self->code ? "OpenCL C: its laws are not examined"
                                : "built-in operators combine what the map computes");
  for (rh_law law = 0; law < RH_LAWS && report->cases; law++)
    printf("  %-12s %s%s\n", rh_law_name(law), say_law(report, law),
           law == RH_LAW_COMMUTATIVE ? claim : "");
  if (device->n) printf("  %-12s %s\n", "device", device->text);
  for (rh_law law = 0; law < RH_LAWS; law++)
    if (rh_algebra_is_wrong(self, report, law))
      printf("  wrong: %s\n", rh_plain(report->broken[law]));
  for (uint32_t k = 0; k < report->n_notes; k++) printf("  note: %s\n", rh_plain(report->notes[k]));
}

static void add_json(work *w, const rh_custom *self, rh_type type, const rh_algebra_report *report,
                     const rh_algebra_device *device, int is_wrong) {
  json_t *notes = json_array();
  json_t *object = rh_json("operator:s type:s ok:b cases:u", self->name, rh_type_name(type),
                           !is_wrong, (uint64_t)report->cases);
  for (rh_law law = 0; law < RH_LAWS; law++)
    json_object_set_new(object, rh_law_name(law),
                        rh_json("holds:s counterexample:s", say_law(report, law),
                                *report->broken[law] ? report->broken[law] : NULL));
  for (uint32_t k = 0; k < report->n_notes; k++)
    json_array_append_new(notes, rh_json_bytes(report->notes[k]));
  json_object_set_new(object, "claims_commutative",
                      json_boolean(self->op.flags & RH_OP_COMMUTATIVE));
  json_object_set_new(object, "device", device->n ? rh_json_bytes(device->text) : json_null());
  json_object_set_new(object, "notes", notes);
  json_array_append_new(w->list, object);
}

static rh_status examine(work *w, const rh_custom *self, rh_type type, rh_error *error) {
  rh_algebra_report report;
  rh_algebra_device device = {0};
  RH_TRY(rh_algebra_examine(self, &report, error));
  if (w->session) RH_TRY(rh_algebra_compare(self, w->session, &device, error));
  int is_wrong = rh_algebra_verdict(self, &report) != RH_LAWS || device.is_wrong;
  w->examined++;
  w->wrong += (uint32_t)is_wrong;
  if (w->list) add_json(w, self, type, &report, &device, is_wrong);
  else print_report(self, type, &report, &device, is_wrong);
  return RH_OK;
}

/* With the type that was named, or with f32 and i32 if it can be made for them, or else with the
 * first type that it can be made for. */
static rh_status examine_types(work *w, const rh_typed *typed, rh_error *error) {
  static const rh_type usual[] = {RH_TYPE_f32, RH_TYPE_i32, RH_TYPE_f64,
                                  RH_TYPE_u32, RH_TYPE_u64, RH_TYPE_u8};
  rh_error first = {0}, why;
  uint32_t done = 0;
  for (int k = 0; k < 6 && (k < 2 || !done); k++) {
    rh_type type = w->app->type ? w->app->type : usual[k];
    RH_OWNED(rh_custom) self = NULL;
    if (w->app->type && k > 0) break;
    rh_status status = rh_user_operator_define(w->app, typed, NULL, type, &self, &why);
    if (status == RH_OK) status = examine(w, self, type, &why);
    done += status == RH_OK;
    if (status != RH_OK && !first.status) first = why;
  }
  if (done) return RH_OK;
  *error = first;
  return first.status;
}

static rh_status examine_all(work *w, rh_error *error) {
  rh_typed typed = *w->app->typed;
  if (typed.n_operands == 0 && !rh_user_operator_is_one(&typed))
    return rh_fail(error, RH_E_USAGE,
                   "--verify-op needs an operator: a name, a file, or --reduce and --identity");
  if (typed.n_operands == 0) return examine_types(w, &typed, error);
  if (typed.texts.op || typed.texts.map || typed.texts.where || typed.texts.reduce ||
      typed.texts.finalize)
    return rh_fail(error, RH_E_USAGE,
                   "--verify-op '%s' and an operator of options are mutually exclusive",
                   typed.operands[0]);
  for (uint32_t k = 0; k < w->app->typed->n_operands; k++) {
    typed.texts.op = w->app->typed->operands[k];
    RH_TRY(examine_types(w, &typed, error));
  }
  return RH_OK;
}

/* Without a device only the laws are examined. */
static rh_status find_session(work *w, rh_error *error) {
  const rh_cl_devices *all;
  RH_TRY(rh_context_devices(w->app->context, &all, error));
  if (all->n == 0 && !w->app->typed->device) {
    rh_log(&w->app->context->options.reporter, RH_LOG_WARNING,
           "there is no OpenCL device: the operator is not compared with one");
    return RH_OK;
  }
  return rh_context_session(w->app->context, &w->session, error);
}

rh_status rh_mode_verify_op(const rh_app *app, rh_error *error) {
  work w = {.app = app, .list = app->typed->json ? json_array() : NULL};
  rh_status status = find_session(&w, error);
  if (status == RH_OK) status = examine_all(&w, error);
  if (w.list && (status == RH_OK || w.examined)) { /* what was examined before a failure, too */
    rh_status printed =
        rh_json_print(rh_json("operators:o", json_incref(w.list)), status == RH_OK ? error : NULL);
    if (status == RH_OK) status = printed;
  }
  json_decref(w.list);
  if (status == RH_OK && w.wrong)
    status = rh_fail(error, RH_E_WRONG, "%u of %u operators broke a law", w.wrong, w.examined);
  return status;
}
