/* JSON values from C values. */
#pragma once

#include <jansson.h>

/* New references; null if out of memory. */

/* A finite number, or null. */
json_t *rh_json_number(double number);
/* A string of bytes that need not be UTF-8, such as a path: invalid bytes become '?'.  Null gives
 * null. */
json_t *rh_json_bytes(const char *s);
