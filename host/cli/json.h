/* Output for programs: schema "redhost/1".  Additive changes keep the 1; readers ignore keys they
 * do not know. */
#pragma once

#include "../core/base/json_value.h"
#include "app.h"

/* {"schema", "tool"}: the beginning of every document. */
json_t *rh_json_document(void);
json_t *rh_json_device(const rh_cl_device *device);
/* A strategy, and whether it can serve --op and --type on the registry's device. */
json_t *rh_json_strategy(const rh_app *app, const rh_entry *entry);
/* Prints and releases the document. */
rh_status rh_json_print(json_t *document, rh_error *error);
