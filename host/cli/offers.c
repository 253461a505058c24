#include "app.h"

/* The first offer that is accepted, of this operator and type; 0: of any.  Null: there is none. */
static const rh_offer *accepted(const rh_entry *entry, uint32_t op, uint32_t type) {
  for (uint32_t o = op ? op : 1; o <= (op ? op : RH_N_OPS); o++)
    for (uint32_t t = type ? type : 1; t <= (type ? type : RH_N_TYPES); t++)
      if (entry->offers[o][t].status == RH_OK) return &entry->offers[o][t];
  return NULL;
}

/* That of no built-in operator and type is free. */
enum { OWN = 0 };

const rh_offer *rh_offer_for(const rh_app *app, const rh_entry *entry) {
  if (app->own) return &entry->offers[OWN][OWN];
  /* Without --type: f32, or i32 for operators on integers. */
  rh_type type = rh_op_is_defined(app->op, RH_TYPE_f32) ? RH_TYPE_f32 : RH_TYPE_i32;
  const rh_offer *usual = &entry->offers[app->op][app->type ? app->type : type];
  if (usual->status == RH_OK || app->type) return usual;
  const rh_offer *other = accepted(entry, app->typed->texts.op ? app->op : 0, 0);
  return other ? other : usual;
}

rh_status rh_registry_select(const rh_registry *registry, const char *list, unsigned char *selected,
                             rh_error *error) {
  uint32_t n = registry->n_entries;
  RH_FREED(const char *) names = NULL;
  RH_TRY(RH_NEW(&names, n + 1, "the strategies' names", error));
  for (uint32_t k = 0; k < n; k++) names[k] = registry->entries[k].says.name;
  return rh_strategies_select(list, names, n, selected, error);
}

/* The names that are served, or "all but" those that are not, if they are few: whole families of
 * operators may be missing (index, bitwise). */
const char *rh_offer_words(const rh_entry *entry, int of_ops) {
  const char *(*name)(uint32_t) = of_ops ? rh_op_name : rh_type_name;
  uint32_t n = of_ops ? RH_N_OPS : RH_N_TYPES, few = of_ops ? RH_N_OPS / 2 : 1, served = 0;
  for (uint32_t k = 1; k <= n; k++)
    served += accepted(entry, of_ops ? k : 0, of_ops ? 0 : k) != NULL;
  if (served == n || served == 0) return served ? "all" : "-";
  int but = n - served <= few;
  const char *text = but ? "all but" : "";
  for (uint32_t k = 1; k <= n; k++)
    if ((accepted(entry, of_ops ? k : 0, of_ops ? 0 : k) == NULL) == but)
      text = rh_show("%s%s%s", text, *text ? " " : "", name(k));
  return text;
}

const char *rh_offer_passes(const rh_answer *answer) {
  if (answer->launches == 0) return "host";
  return rh_show("%u%s", answer->launches, answer->finishes_on_host ? "+host" : "");
}

/* ---- An operator that is not built in ---- */

/* Without --type: for f32, or else the first type that it can be made for.  The message is that of
 * f32. */
static rh_status define_operator(rh_app *app, rh_error *error) {
  rh_type type = app->type ? app->type : RH_TYPE_f32;
  rh_status status = rh_user_operator_define(app, app->typed, NULL, type, &app->own, error);
  for (type = 1; status == RH_E_USAGE && !app->type && type <= RH_N_TYPES; type++)
    if (rh_user_operator_define(app, app->typed, NULL, type, &app->own, NULL) == RH_OK)
      return RH_OK;
  return status;
}

static void refuse(rh_offer *offer, rh_status status, uint32_t why, const char *reason) {
  offer->status = status;
  offer->answer.why = why;
  rh_copy_plain(offer->answer.reason, sizeof offer->answer.reason, reason);
}

static void ask_strategy(const rh_custom *own, rh_context *context, rh_entry *entry) {
  rh_offer *offer = &entry->offers[OWN][OWN];
  const rh_job_spec spec = {.strategy = entry->says.name,
                            .plugin = entry->file->path,
                            .operation.op = &own->face,
                            .operation.n = (uint64_t)1 << RH_DEFAULT_LOG2_SIZE,
                            .untuned = 1,
                            .operation.what = "the default size"};
  RH_FINISHED(rh_job) job = {0};
  rh_error error = {0};
  rh_status status = rh_job_init(&job, context, &spec, &error);
  *offer = (rh_offer){.status = status, .answer = job.answer};
  if (status == RH_DECLINED && *job.answer.reason) offer->status = RH_DECLINED;
  else if (status != RH_OK)
    refuse(offer, status, status == RH_E_DEVICE ? RH_WHY_DEVICE : RH_WHY_OP, error.message);
}

rh_status rh_own_offers_ask(rh_app *app, rh_error *error) {
  rh_registry *registry = &app->context->registry;
  if (!rh_user_operator_is_wanted(app->typed)) return RH_OK;
  RH_TRY(define_operator(app, error));
  for (uint32_t k = 0; k < registry->n_entries; k++) {
    rh_entry *entry = &registry->entries[k];
    /* Other plugins are opened in this process only where the user runs them. */
    if (entry->file->installed && !entry->shadowed_by) ask_strategy(app->own, app->context, entry);
    else
      refuse(&entry->offers[OWN][OWN], RH_DECLINED, RH_WHY_OP,
             "its plugin did not come with redhost, and is not opened to ask: --run tries it");
  }
  return RH_OK;
}
