/* Values of a JSON document from what C has. */
#ifndef RH_BASE_JSON_VALUE_H
#define RH_BASE_JSON_VALUE_H

#include <jansson.h>

/* New references; null where memory runs out. */

/* A finite number, or null. */
json_t *rh_json_number(double number);
/* A string of bytes that need not be UTF-8, such as a path: what is not becomes '?'.  Null is
 * null. */
json_t *rh_json_bytes(const char *s);

#endif
