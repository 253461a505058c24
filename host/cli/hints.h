/* What the program adds to an error of the library, which knows nothing of options. */
#ifndef RH_CLI_HINTS_H
#define RH_CLI_HINTS_H

#include <redhost/redhost.h>

/* Appends the option that helps, where there is one. */
void rh_add_hint(rh_error *error);

#endif
