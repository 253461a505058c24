/* Converts between the JSON document "redhost/1" and its struct.  JSON input is untrusted: a
 * value of a wrong type or out of range is rejected with a message that begins with its key,
 * "time_s.median: ...".  Unknown keys are ignored; missing keys and null mean "unknown". */
#pragma once

#include "records.h"

/* New references, null if out of memory. */

json_t *rh_row_to_json(const rh_row *row);
/* {"schema", "tool", "run", "devices", "calibration", "settings", "strategies"}: JSONL's first
 * line. */
json_t *rh_header_to_json(const rh_records *results);
/* [{"device", "op", "type", "n", "strategy", "tied"}]: the best strategy of each point, and
 * those that tie with it. */
json_t *rh_best_to_json(const rh_records *results);

/* RH_E_FILE.  On failure *row owns nothing. */
rh_status rh_row_from_json(rh_row *row, const json_t *object, rh_error *error);
/* Fills the header's fields by reference.  RH_E_FILE for another schema and for files that are
 * not redhost's. */
rh_status rh_header_from_json(rh_records *results, const json_t *object, rh_error *error);
