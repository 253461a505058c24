/* One entry, as JSON and as a struct. */
#pragma once

#include "tunedb.h"
#include <jansson.h>

/* Validates an entry: RH_E_FILE with a message that begins with the key.  Unknown keys are ignored.
 * *known is 0 if this redhost does not know the operator, the type or their combination, as with
 * entries of a later redhost: such an entry is kept in the file but not used. */
rh_status rh_tunedb_entry_take(const json_t *object, rh_tunedb_entry *entry, int *known,
                               rh_error *error);

/* A new reference, or null if out of memory.  Origin and driver are not part of it. */
json_t *rh_tunedb_entry_pack(const rh_tunedb_entry *entry);
