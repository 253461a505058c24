#include "plug.h"

void rh_examine_offer(const rh_examiner *by, const rh_strategy *strategy, uint32_t op, rh_type type,
                      rh_offer *offer) {
  int64_t params[RH_MAX_PARAMS];
  rh_error error;
  rh_problem problem = {.struct_size = sizeof problem,
                        .type = type,
                        .op = by->find_op(op, type),
                        .device = by->device,
                        .max_n = by->max_n};
  if (!problem.op) return;
  rh_params_resolve(strategy, NULL, 0, params, &error);
  offer->status = rh_strategy_query(strategy, &problem, params, &offer->answer, &error);
  if (offer->status >= RH_OK) return;
  size_t most = sizeof offer->answer.reason - 1;
  offer->status = RH_E_PLUGIN;
  memset(offer->answer.reason, 0, most + 1);
  memcpy(offer->answer.reason, error.message, strnlen(error.message, most));
}

json_t *rh_examine_plugin(const rh_examiner *by, const rh_plugin *plugin) {
  json_t *strategies = json_array();
  rh_offer(*offers)[RH_N_TYPES + 1] = malloc(sizeof(rh_offers));
  for (uint32_t j = 0; offers && strategies && j < plugin->n_strategies; j++) {
    const rh_strategy *strategy = plugin->strategies[j];
    if (by->on_query) by->on_query(by->user, strategy->name);
    rh_wire_clear_offers(offers);
    for (uint32_t op = 1; op <= RH_N_OPS; op++)
      for (rh_type type = 1; type <= RH_N_TYPES; type++)
        rh_examine_offer(by, strategy, op, type, &offers[op][type]);
    if (json_array_append_new(strategies, rh_wire_strategy(strategy, plugin->build, offers)) == 0)
      continue;
    json_decref(strategies);
    strategies = NULL;
  }
  free(offers);
  return strategies;
}

rh_refusal_kind rh_examine_refusal_kind(rh_status status) {
  if (status == RH_DECLINED) return RH_REFUSED_BY_INTENT;
  return status == RH_E_PLUGIN ? RH_REFUSED_FOR_FAULT : RH_REFUSED_UNREAD;
}
