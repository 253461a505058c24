/* Descriptions of operators, for --ops and --info. */
#pragma once

#include "../operators/catalog/catalog.h"
#include "app.h"
#include "json.h"

/* "x, y": names with commas between. */
void rh_operator_operands(const rh_catalog_entry *entry, rh_text *to);
void rh_operator_results_list(const rh_catalog_entry *entry, rh_text *to);
/* "associative, commutative"; "none" */
const char *rh_operator_claims(const rh_catalog_entry *entry);
/* "yes", "integers", "no" */
const char *rh_operator_exactness(const rh_catalog_entry *entry);
/* One line; never null. */
const char *rh_operator_summary(const rh_catalog_entry *entry);

/* Everything that --ops says of it; whole: its texts, too. */
json_t *rh_operator_json(const rh_catalog_entry *entry, int whole);

/* --info of an operator. */
rh_status rh_operator_page(const rh_app *app, const rh_catalog_entry *entry, rh_error *error);
