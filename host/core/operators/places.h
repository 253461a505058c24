/* Lines and columns of values in a JSON text, which the JSON library does not tell. */
#ifndef RH_OPERATORS_PLACES_H
#define RH_OPERATORS_PLACES_H

#include "definition.h"

#include <stddef.h>

enum { RH_PLACE_SELF = -1 }; /* not one of its members, but the value itself */

/* Where the value of member `key` of the text's object begins; with `item`, the value of the item
 * or member of that number in it; of_name: the member's name instead.  Members are counted in their
 * order in the text.  The text has been read as JSON: of another one, some place is returned. */
rh_json_place rh_json_place_find(const char *json, size_t length, int64_t key, int64_t item,
                                 int of_name);

#endif
