/* A strategy as the process that examines it describes it, and as that is read. */
#include "plug.h"

/* ---- Asking ---- */

void rh_examine_offer(const rh_examiner *by, const rh_strategy *strategy, uint32_t op, rh_type type,
                      rh_offer *offer) {
  int64_t params[RH_MAX_PARAMS];
  rh_error error;
  rh_problem problem = {.struct_size = sizeof problem,
                        .type = type,
                        .op = by->find_op(op, type),
                        .device = by->device ? by->device : rh_host_device(),
                        .max_n = by->max_n};
  if (!problem.op) return;
  rh_params_resolve(strategy, NULL, 0, params, &error);
  offer->status = rh_strategy_query(strategy, &problem, params, &offer->answer, &error);
  if (offer->status >= RH_OK) return;
  offer->status = RH_E_PLUGIN;
  rh_copy_plain(offer->answer.reason, sizeof offer->answer.reason, error.message);
}

/* The index of `reason` in the list, to which it is added if new; most strategies have only one
 * or two reasons. */
static int place_of_reason(json_t *reasons, const char *reason) {
  size_t k;
  json_t *known;
  json_array_foreach(reasons, k, known) {
    if (strcmp(json_string_value(known), reason) == 0) return (int)k;
  }
  return json_array_append_new(reasons, rh_json_bytes(reason)) == 0 ? (int)k : -1;
}

static json_t *pack_offer(uint32_t op, rh_type type, const rh_offer *offer, json_t *reasons) {
  const rh_answer *answer = &offer->answer;
  int reason = answer->reason[0] ? place_of_reason(reasons, answer->reason) : -1;
  return json_pack("[i,i,i,I,i,I,I,I,I,I,i]", (int)op, (int)type, (int)offer->status,
                   (json_int_t)answer->why, (int)answer->score, (json_int_t)answer->launches,
                   (json_int_t)answer->finishes_on_host, (json_int_t)answer->scratch_bytes,
                   (json_int_t)answer->local_bytes, (json_int_t)answer->depth, reason);
}

static json_t *pack_offers(const rh_examiner *by, const rh_strategy *strategy, json_t *reasons) {
  json_t *all = json_array();
  rh_offer offer = {0};
  for (uint32_t op = 1; op <= RH_N_OPS; op++)
    for (rh_type type = 1; type <= RH_N_TYPES; type++) {
      if (!rh_op_is_defined(op, type)) continue;
      rh_examine_offer(by, strategy, op, type, &offer);
      json_array_append_new(all, pack_offer(op, type, &offer, reasons));
    }
  return all;
}

static json_t *pack_params(const rh_strategy *strategy) {
  json_t *all = json_array();
  for (uint32_t k = 0; k < strategy->n_params; k++) {
    const rh_param *param = rh_strategy_param(strategy, k);
    json_array_append_new(all,
                          json_pack("[s,s,s,I,I,I,I,I]", param->key, param->doc,
                                    param->choices ? param->choices : "", (json_int_t)param->min,
                                    (json_int_t)param->max, (json_int_t)param->initial,
                                    (json_int_t)param->step, (json_int_t)param->flags));
  }
  return all;
}

static json_t *pack_strategy(const rh_examiner *by, const rh_strategy *strategy,
                             const char *build) {
  json_auto_t *reasons = json_array();
  json_auto_t *json = json_pack(
      "{s:[s,s,s,s,s,s,s], s:[I,I,I,I], s:o, s:o}", "texts", strategy->name, strategy->summary,
      strategy->about, strategy->version, strategy->author, strategy->license, build, "bits",
      (json_int_t)strategy->promises, (json_int_t)strategy->needs,
      (json_int_t)strategy->determinism, (json_int_t)strategy->device_kinds, "params",
      pack_params(strategy), "offers", pack_offers(by, strategy, reasons));
  if (!json || json_object_set(json, "reasons", reasons) != 0) return NULL;
  return json_incref(json);
}

json_t *rh_examine_plugin(const rh_examiner *by, const rh_plugin *plugin) {
  json_t *strategies = json_array();
  for (uint32_t j = 0; strategies && j < plugin->n_strategies; j++) {
    const rh_strategy *strategy = plugin->strategies[j];
    if (by->on_query) by->on_query(by->user, strategy->name);
    if (json_array_append_new(strategies, pack_strategy(by, strategy, plugin->build)) == 0)
      continue;
    json_decref(strategies);
    strategies = NULL;
  }
  return strategies;
}

/* ---- Reading ---- */

/* The offers before any is read: declined, with the reason. */
static void clear_offers(rh_entry *entry) {
  for (uint32_t op = 0; op <= RH_N_OPS; op++)
    for (rh_type type = 0; type <= RH_N_TYPES; type++) {
      rh_offer *offer = &entry->offers[op][type];
      offer->status = RH_DECLINED;
      offer->answer.struct_size = sizeof offer->answer;
      offer->answer.why = RH_WHY_OP;
      if (rh_op_name(op) && rh_type_name(type))
        snprintf(offer->answer.reason, sizeof offer->answer.reason, "%s is not defined on %s",
                 rh_op_name(op), rh_type_name(type));
    }
}

static int read_params(const json_t *json, rh_strategy *says) {
  says->n_params = (uint32_t)json_array_size(json);
  says->param_stride = sizeof *says->params;
  rh_param *params = calloc(says->n_params + 1u, sizeof *params);
  says->params = params;
  for (uint32_t k = 0; params && k < says->n_params; k++) {
    rh_param *param = &params[k];
    json_int_t min, max, initial, step, flags;
    if (json_unpack(json_array_get(json, k), "[s,s,s,I,I,I,I,I!]", &param->key, &param->doc,
                    &param->choices, &min, &max, &initial, &step, &flags) != 0)
      return -1;
    if (!*param->choices) param->choices = NULL; /* a number */
    param->min = min;
    param->max = max;
    param->initial = initial;
    param->step = step;
    param->flags = (uint32_t)flags;
  }
  return params ? 0 : -1;
}

static int read_offer(json_t *json, const json_t *reasons, rh_entry *entry) {
  int op, type, status, score, reason;
  json_int_t why, launches, on_host, scratch, local, depth;
  if (json_unpack(json, "[i,i,i,I,i,I,I,I,I,I,i!]", &op, &type, &status, &why, &score, &launches,
                  &on_host, &scratch, &local, &depth, &reason) != 0 ||
      op < 1 || op > RH_N_OPS || type < 1 || type > RH_N_TYPES)
    return -1;
  rh_offer *offer = &entry->offers[op][type];
  rh_answer *answer = &offer->answer;
  *offer = (rh_offer){.status = status};
  answer->struct_size = sizeof *answer;
  answer->why = (uint32_t)why;
  answer->score = score;
  answer->launches = (uint32_t)launches;
  answer->finishes_on_host = (uint32_t)on_host;
  answer->scratch_bytes = (uint64_t)scratch;
  answer->local_bytes = (uint64_t)local;
  answer->depth = (uint64_t)depth;
  const char *text = reason < 0 ? "" : json_string_value(json_array_get(reasons, (size_t)reason));
  if (!text) return -1;
  snprintf(answer->reason, sizeof answer->reason, "%s", text);
  rh_make_plain(answer->reason);
  return 0;
}

/* The child is not trusted: what it says keeps the rules for descriptors, or is garbage. */
static int is_valid(const rh_entry *entry) {
  return rh_strategy_name_is_valid(entry->says.name) &&
         rh_validate_texts(&entry->says, NULL) == RH_OK &&
         rh_validate_params(&entry->says, NULL) == RH_OK &&
         rh_is_plain_utf8(entry->build, strlen(entry->build));
}

int rh_wire_read_entry(json_t *json, rh_entry *entry) {
  json_int_t promises, needs, determinism, kinds;
  json_t *params, *offers, *offer, *reasons;
  size_t k;
  *entry = (rh_entry){.json = json_incref(json)};
  rh_strategy *says = &entry->says;
  clear_offers(entry);
  int good = json_unpack(json, "{s:[s,s,s,s,s,s,s!], s:[I,I,I,I!], s:o, s:o, s:o!}", "texts",
                         &says->name, &says->summary, &says->about, &says->version, &says->author,
                         &says->license, &entry->build, "bits", &promises, &needs, &determinism,
                         &kinds, "params", &params, "offers", &offers, "reasons", &reasons) == 0 &&
             read_params(params, says) == 0 && is_valid(entry);
  if (good) {
    says->promises = (uint64_t)promises;
    says->needs = (uint64_t)needs;
    says->determinism = (uint32_t)determinism;
    says->device_kinds = (uint32_t)kinds;
    json_array_foreach(offers, k, offer) {
      if (read_offer(offer, reasons, entry) != 0) good = 0;
    }
    json_object_del(json, "offers");
  }
  if (good) return 0;
  rh_entry_finish(entry);
  return -1;
}

void rh_entry_finish(rh_entry *entry) {
  json_decref(entry->json);
  free((void *)(uintptr_t)entry->says.params);
  memset(entry, 0, sizeof *entry);
}

/* ---- The request ---- */

/* What stands before its strings. */
enum { DEVICE_BYTES = offsetof(rh_device, name) };

void rh_wire_request(rh_text *to, const rh_device *device, uint64_t max_n) {
  if (!device) device = rh_host_device();
  rh_request_begin(to);
  rh_request_add_number(to, "max_n", max_n);
  rh_request_add_struct(to, "about", device, DEVICE_BYTES);
  rh_request_add(to, "name", device->name ? device->name : "");
  rh_request_add(to, "driver", device->driver ? device->driver : "");
  rh_request_add(to, "extensions", device->extensions ? device->extensions : "");
}

int rh_wire_read_request(const rh_child_request *request, rh_device *device, uint64_t *max_n) {
  *device = (rh_device){.name = rh_request_get(request, "name"),
                        .driver = rh_request_get(request, "driver"),
                        .extensions = rh_request_get(request, "extensions")};
  if (!device->name || !device->driver || !device->extensions) return -1;
  if (rh_request_struct(request, "about", device, DEVICE_BYTES) != 0) return -1;
  device->struct_size = sizeof *device;
  return rh_request_number(request, "max_n", max_n);
}
