#include "offers.h"
#include "own_offers.h"

/* The default type without --type: f32, or i32 for operators on integers. */
static rh_type offer_type(const rh_app *app) {
  if (app->type) return app->type;
  return rh_op_is_defined(app->op, RH_TYPE_f32) ? RH_TYPE_f32 : RH_TYPE_i32;
}

const rh_offer *rh_offer_for(const rh_app *app, const rh_entry *entry) {
  if (app->own) return &app->own->list[entry - app->own->registry->entries];
  const rh_offer *usual = &entry->offers[app->op][offer_type(app)];
  if (usual->status == RH_OK || app->type) return usual;
  for (uint32_t o = 1; o <= RH_N_OPS; o++)
    for (uint32_t t = 1; t <= RH_N_TYPES; t++)
      if ((!app->typed->op || o == app->op) && entry->offers[o][t].status == RH_OK)
        return &entry->offers[o][t];
  return usual;
}

void rh_offer_problem(const rh_app *app, const rh_entry *entry, const rh_offer *offer,
                      const char **op, rh_type *type) {
  if (app->own) {
    *op = app->own->custom->name;
    *type = app->own->custom->operands[0].type;
    return;
  }
  size_t bytes = (size_t)((const char *)offer - (const char *)entry->offers);
  *op = rh_op_name((uint32_t)(bytes / sizeof entry->offers[0]));
  *type = (rh_type)(bytes % sizeof entry->offers[0] / sizeof *offer);
}

static int serves_type(const rh_entry *entry, uint32_t type) {
  for (uint32_t op = 1; op <= RH_N_OPS; op++)
    if (entry->offers[op][type].status == RH_OK) return 1;
  return 0;
}

static int serves_op(const rh_entry *entry, uint32_t op) {
  for (uint32_t type = 1; type <= RH_N_TYPES; type++)
    if (entry->offers[op][type].status == RH_OK) return 1;
  return 0;
}

static void list(const rh_entry *entry, uint32_t n, int (*serves)(const rh_entry *, uint32_t),
                 const char *(*name)(uint32_t), rh_text *text) {
  uint32_t served = 0, missing = 0;
  for (uint32_t k = 1; k <= n; k++) {
    if (serves(entry, k))
      served++;
    else
      missing = k;
  }
  if (served == n)
    rh_text_add(text, "all");
  else if (served == 0)
    rh_text_add(text, "-");
  else if (served == n - 1)
    rh_text_add(text, "all but %s", name(missing));
  else
    for (uint32_t k = 1, first = 1; k <= n; k++)
      if (serves(entry, k)) {
        rh_text_add(text, "%s%s", first ? "" : " ", name(k));
        first = 0;
      }
}

void rh_offer_types(const rh_entry *entry, rh_text *text) {
  list(entry, RH_N_TYPES, serves_type, rh_type_name, text);
}

/* Whole families of operators may be missing (index, bitwise), so lists the missing ones if that
 * is shorter. */
void rh_offer_ops(const rh_entry *entry, rh_text *text) {
  uint32_t missing = 0;
  for (uint32_t op = 1; op <= RH_N_OPS; op++) missing += !serves_op(entry, op);
  if (missing == 0 || 2 * missing > RH_N_OPS) {
    list(entry, RH_N_OPS, serves_op, rh_op_name, text);
    return;
  }
  rh_text_add(text, "all but");
  for (uint32_t op = 1; op <= RH_N_OPS; op++)
    if (!serves_op(entry, op)) rh_text_add(text, " %s", rh_op_name(op));
}

void rh_offer_passes(const rh_answer *answer, rh_text *text) {
  if (answer->launches == 0)
    rh_text_add(text, "host");
  else
    rh_text_add(text, "%u%s", answer->launches, answer->finishes_on_host ? "+host" : "");
}
