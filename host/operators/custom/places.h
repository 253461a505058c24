/* Lines and columns of values in a JSON text, which the JSON library does not tell. */
#pragma once

#include "definition.h"

#include <jansson.h>
#include <stddef.h>

enum { RH_PLACE_SELF = -1 }; /* no member of it, but the value itself */

/* Where the value begins that a path leads to: path[0] is the number of a member of the text's
 * object, path[1] that of an item or member in it, and so on, up to RH_PLACE_SELF or `depth`
 * numbers; of_name: the last member's name instead.  Members are counted in their order in the
 * text.  The text has been read as JSON: of another one, some place is returned. */
rh_json_place rh_json_place_find(const char *json, size_t length, const int64_t *path, int depth,
                                 int of_name);

/* The place of byte `byte` of the string that begins at `string`, once its escapes are read.  From
 * the end on, that of the quotation mark. */
rh_json_place rh_json_place_in(const char *json, size_t length, rh_json_place string, size_t byte);

/* RH_E_FILE with the place and the line of what is wrong in a text that is not JSON. */
rh_status rh_json_refuse(const char *json, size_t length, const char *origin,
                         const json_error_t *why, rh_error *error);
