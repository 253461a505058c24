/* The answers of strategies about an operator that is not built in, for --list and --info. */
#pragma once

#include "../operators/custom/custom.h"
#include "app.h"

/* Zero-initialised is empty. */
typedef struct rh_own_offers {
  rh_custom *custom; /* for operands of --type; else of f32, or the first type that it has */
  const rh_registry *registry; /* borrowed */
  rh_offer *list;              /* of the registry's entries, in their order */
} rh_own_offers;

/* Makes the operator of the command line, and asks every strategy whether it can reduce n elements
 * by it.  Opens the plugins that came with redhost in this process; others decline. */
rh_status rh_own_offers_ask(rh_own_offers *own, const rh_app *app, const rh_registry *registry,
                            uint64_t n, rh_error *error);
void rh_own_offers_finish(rh_own_offers *own);
