/* What the program adds to an error of the library, which knows nothing of options. */
#ifndef RH_CLI_HINTS_H
#define RH_CLI_HINTS_H

#include <redhost/redhost.h>

/* Appends the option that helps, where there is one. */
void rh_add_hint(rh_error *error);

/* The same for what the library logs: a sentence, or null. */
const char *rh_hint_on(const char *warning);

#endif
