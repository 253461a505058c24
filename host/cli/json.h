/* Output for programs: schema "redhost/1".  Additive changes keep the 1; readers ignore keys they
 * do not know. */
#pragma once

#include "../core/base/json_value.h"
#include "app.h"

/* A document: "schema", "tool", and these members, which it takes over; null if out of memory. */
json_t *rh_json_document(json_t *members);
/* Prints a document of these members, which it takes over. */
rh_status rh_json_print(json_t *members, rh_error *error);
json_t *rh_json_strings(char *const *list, uint32_t n);
json_t *rh_json_device(const rh_cl_device *device);
/* A strategy, and whether it can serve --op and --type on the registry's device. */
json_t *rh_json_strategy(const rh_app *app, const rh_entry *entry);
