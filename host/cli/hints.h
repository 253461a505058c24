/* The program's additions to errors of the library, which does not know about options. */
#pragma once

#include <redhost/redhost.h>

/* Appends the option that helps, if there is one. */
void rh_add_hint(rh_error *error);

/* A hint on a log message of the library: a sentence, or null. */
const char *rh_hint_on(const char *warning);

/* The expression that the message quotes, and under it a caret at the column that it names, each on
 * a line of its own; "" if it names none. */
void rh_point_at_place(char *text, size_t bytes, const char *message);
