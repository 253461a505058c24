/* A strategy as a child describes it. */
#include "plug.h"

void rh_wire_clear_offers(rh_offers offers) {
  memset(offers, 0, sizeof(rh_offers));
  for (uint32_t op = 0; op <= RH_N_OPS; op++)
    for (rh_type type = 0; type <= RH_N_TYPES; type++) {
      rh_offer *offer = &offers[op][type];
      offer->status = RH_DECLINED;
      offer->answer.struct_size = sizeof offer->answer;
      offer->answer.why = RH_WHY_OP;
      if (rh_op_name(op) && rh_type_name(type))
        snprintf(offer->answer.reason, sizeof offer->answer.reason, "%s is not defined on %s",
                 rh_op_name(op), rh_type_name(type));
    }
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

static json_t *pack_offers(rh_offers offers, json_t *reasons) {
  json_t *all = json_array();
  for (uint32_t op = 1; op <= RH_N_OPS; op++)
    for (rh_type type = 1; type <= RH_N_TYPES; type++)
      if (rh_op_is_defined(op, type))
        json_array_append_new(all, pack_offer(op, type, &offers[op][type], reasons));
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

json_t *rh_wire_strategy(const rh_strategy *strategy, const char *build, rh_offers offers) {
  json_t *reasons = json_array();
  json_t *json = json_pack("{s:[s,s,s,s,s,s,s], s:[I,I,I,I], s:o, s:o}", "texts", strategy->name,
                           strategy->summary, strategy->about, strategy->version, strategy->author,
                           strategy->license, build, "bits", (json_int_t)strategy->promises,
                           (json_int_t)strategy->needs, (json_int_t)strategy->determinism,
                           (json_int_t)strategy->device_kinds, "params", pack_params(strategy),
                           "offers", pack_offers(offers, reasons));
  if (!json || json_object_set(json, "reasons", reasons) != 0) {
    json_decref(json);
    json = NULL;
  }
  json_decref(reasons);
  return json;
}

/* Keeps line breaks but no other control characters.  The child is not trusted, so its texts are
 * sanitised again. */
static void make_printable(char *text) {
  for (char *line = text; line;) {
    char *end = strchr(line, '\n');
    if (end) *end = 0;
    rh_make_plain(line);
    if (end) *end = '\n';
    line = end ? end + 1 : NULL;
  }
}

static int read_texts(json_t *json, rh_entry *entry) {
  const char *from[7];
  if (json_unpack(json, "[s,s,s,s,s,s,s!]", &from[0], &from[1], &from[2], &from[3], &from[4],
                  &from[5], &from[6]) != 0 ||
      !rh_strategy_name_is_valid(from[0]))
    return -1;
  char **to[7] = {&entry->name,   &entry->summary, &entry->about, &entry->version,
                  &entry->author, &entry->license, &entry->build};
  for (size_t k = 0; k < 7; k++) {
    if (!(*to[k] = strdup(from[k]))) return -1;
    make_printable(*to[k]);
  }
  return 0;
}

static int read_param(json_t *json, rh_param *param) {
  const char *key, *doc, *choices; /* empty: a number */
  json_int_t min, max, initial, step, flags;
  if (json_unpack(json, "[s,s,s,I,I,I,I,I!]", &key, &doc, &choices, &min, &max, &initial, &step,
                  &flags) != 0)
    return -1;
  *param = (rh_param){.key = strdup(key),
                      .doc = strdup(doc),
                      .choices = *choices ? strdup(choices) : NULL,
                      .min = min,
                      .max = max,
                      .initial = initial,
                      .step = step,
                      .flags = (uint32_t)flags};
  return param->key && param->doc && (param->choices || !*choices) ? 0 : -1;
}

static int read_params(json_t *json, rh_entry *entry) {
  size_t n = json_array_size(json);
  if (!json_is_array(json) || n > 64) return -1;
  entry->params = calloc(n + 1, sizeof *entry->params);
  if (!entry->params) return -1;
  for (size_t k = 0; k < n; k++) {
    entry->n_params++;
    if (read_param(json_array_get(json, k), &entry->params[k]) != 0) return -1;
  }
  return 0;
}

static int read_offer(json_t *json, const json_t *reasons, rh_offers offers) {
  int op, type, status, score, reason;
  json_int_t why, launches, on_host, scratch, local, depth;
  if (json_unpack(json, "[i,i,i,I,i,I,I,I,I,I,i!]", &op, &type, &status, &why, &score, &launches,
                  &on_host, &scratch, &local, &depth, &reason) != 0 ||
      op < 1 || op > RH_N_OPS || type < 1 || type > RH_N_TYPES)
    return -1;
  rh_offer *offer = &offers[op][type];
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

int rh_wire_read_entry(const json_t *json, rh_entry *entry) {
  json_int_t promises, needs, determinism, kinds;
  size_t k;
  json_t *offer, *reasons = json_object_get(json, "reasons"),
                 *offers = json_object_get(json, "offers"), *bits = json_object_get(json, "bits");
  memset(entry, 0, sizeof *entry);
  rh_wire_clear_offers(entry->offers);
  int good = json_is_array(offers) &&
             json_unpack(bits, "[I,I,I,I!]", &promises, &needs, &determinism, &kinds) == 0 &&
             read_texts(json_object_get(json, "texts"), entry) == 0 &&
             read_params(json_object_get(json, "params"), entry) == 0;
  if (good) {
    entry->promises = (uint64_t)promises;
    entry->needs = (uint64_t)needs;
    entry->determinism = (uint32_t)determinism;
    entry->device_kinds = (uint32_t)kinds;
    json_array_foreach(offers, k, offer) {
      if (read_offer(offer, reasons, entry->offers) != 0) good = 0;
    }
  }
  if (good) return 0;
  rh_entry_finish(entry);
  return -1;
}

void rh_entry_finish(rh_entry *entry) {
  for (uint32_t k = 0; k < entry->n_params; k++) {
    /* Owned by the entry, although the ABI's type is const. */
    free((void *)(uintptr_t)entry->params[k].key);
    free((void *)(uintptr_t)entry->params[k].doc);
    free((void *)(uintptr_t)entry->params[k].choices);
  }
  char *owned[] = {entry->name,   entry->summary, entry->about, entry->version,
                   entry->author, entry->license, entry->build};
  for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) free(owned[k]);
  free(entry->params);
  memset(entry, 0, sizeof *entry);
}
