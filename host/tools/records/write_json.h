/* The document "redhost/1" and the struct that it stands for.  From JSON nothing is believed: a
 * value of a wrong kind or out of all measure is refused by a sentence that begins with its place,
 * "time_s.median: ...".  Keys that nobody knows are passed over; those that are missing, or null,
 * mean "not known". */
#ifndef RH_RECORDS_WRITE_JSON_H
#define RH_RECORDS_WRITE_JSON_H

#include "records.h"

/* New references, null where memory runs out. */

json_t *rh_row_to_json(const rh_row *row);
/* {"schema", "tool", "run", "devices", "calibration", "settings", "strategies"}: JSONL's first
 * line. */
json_t *rh_header_to_json(const rh_records *results);
/* [{"device", "op", "type", "n", "strategy", "tied"}]: for each point the best strategy, and those
 * that tie with it. */
json_t *rh_best_to_json(const rh_records *results);

/* RH_E_FILE.  On failure *row owns nothing. */
rh_status rh_row_from_json(rh_row *row, const json_t *object, rh_error *error);
/* Fills what the header holds, by reference.  RH_E_FILE for another schema and for what does not
 * come from redhost. */
rh_status rh_header_from_json(rh_records *results, const json_t *object, rh_error *error);

#endif
