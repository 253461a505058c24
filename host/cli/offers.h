/* Describes strategies and operators, for --list, --ops and --info. */
#pragma once

#include "../operators/catalog/catalog.h"
#include "app.h"

/* The problem size for --list: --run's default. */
enum { RH_DEFAULT_LOG2_SIZE = 24 };

/* The offer that represents the strategy: that by app->own, if there is such; else that of --op, or
 * sum, and --type, or f32 (i32 for operators on integers); if it is declined, and --type (and --op)
 * is not given, the first accepted one. */
const rh_offer *rh_offer_for(const rh_app *app, const rh_entry *entry);

/* rh_strategies_select() among the registry's. */
rh_status rh_registry_select(const rh_registry *registry, const char *list, unsigned char *selected,
                             rh_error *error);

/* "all" or the names of the types (operators) that are served with any operator (type). */
const char *rh_offer_types(const rh_entry *entry);
const char *rh_offer_ops(const rh_entry *entry);

/* The launches, and whether the host finishes: "1", "1+host", "host". */
const char *rh_offer_passes(const rh_answer *answer);

/* Where the command line has an operator that is not built in: makes it, which is app->own then,
 * for operands of --type, else of f32, or the first type that it has; and asks every strategy
 * whether it can reduce the default number of elements by it.  Opens the plugins that came with
 * redhost in this process; others decline. */
rh_status rh_own_offers_ask(rh_app *app, rh_error *error);
static inline void rh_app_finish(rh_app *app) { rh_custom_destroy(app->own); }

/* A strategy, and whether it can serve --op and --type on the registry's device. */
json_t *rh_json_strategy(const rh_app *app, const rh_entry *entry);

/* --info of an operator. */
rh_status rh_operator_page(const rh_app *app, const rh_catalog_entry *entry, rh_error *error);
