#include "own_offers.h"
#include "../core/base/alloc.h"
#include "user_operator.h"

#include <stdlib.h>

/* Without --type: for f32, or else the first type that it can be made for.  The message is that of
 * f32. */
static rh_status define_operator(rh_own_offers *own, const rh_app *app, rh_error *error) {
  const rh_options *options = &app->context->options;
  rh_type type = app->type ? app->type : RH_TYPE_f32;
  rh_status status = rh_user_operator_define(app->typed, options, type, &own->custom, error);
  for (type = 1; status == RH_E_USAGE && !app->type && type <= RH_N_TYPES; type++)
    if (rh_user_operator_define(app->typed, options, type, &own->custom, NULL) == RH_OK)
      return RH_OK;
  return status;
}

static void refuse(rh_offer *offer, rh_status status, uint32_t why, const char *reason) {
  offer->status = status;
  offer->answer.why = why;
  rh_copy_plain(offer->answer.reason, sizeof offer->answer.reason, reason);
}

static void ask_strategy(const rh_own_offers *own, rh_context *context, uint64_t n,
                         const rh_entry *entry, rh_offer *offer) {
  const rh_job_spec spec = {.strategy = entry->name,
                            .plugin = entry->path,
                            .operation.op = &own->custom->face,
                            .operation.n = n,
                            .untuned = 1,
                            .operation.what = "the default size"};
  rh_job job = {0};
  rh_error error = {0};
  rh_status status = rh_job_init(&job, context, &spec, &error);
  *offer = (rh_offer){.status = status, .answer = job.answer};
  if (status == RH_DECLINED && *job.answer.reason)
    offer->status = RH_DECLINED;
  else if (status != RH_OK)
    refuse(offer, status, status == RH_E_DEVICE ? RH_WHY_DEVICE : RH_WHY_OP, error.message);
  rh_job_finish(&job);
}

/* Other plugins are opened in this process only where the user runs them. */
static int may_be_opened(const rh_entry *entry) {
  return entry->installed && !entry->shadowed_by;
}

rh_status rh_own_offers_ask(rh_own_offers *own, const rh_app *app, const rh_registry *registry,
                            uint64_t n, rh_error *error) {
  RH_TRY(define_operator(own, app, error));
  own->registry = registry;
  RH_TRY(RH_NEW(&own->list, registry->n_entries + 1u, "strategies' answers", error));
  for (uint32_t k = 0; k < registry->n_entries; k++) {
    const rh_entry *entry = &registry->entries[k];
    if (may_be_opened(entry))
      ask_strategy(own, app->context, n, entry, &own->list[k]);
    else
      refuse(&own->list[k], RH_DECLINED, RH_WHY_OP,
             "its plugin did not come with redhost, and is not opened to ask: --run tries it");
  }
  return RH_OK;
}

void rh_own_offers_finish(rh_own_offers *own) {
  rh_custom_destroy(own->custom);
  free(own->list);
  *own = (rh_own_offers){0};
}
