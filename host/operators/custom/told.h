/* An operator as one text, for redhost's own child processes: they need no file of it, and make the
 * same operator even where a file has changed since. */
#pragma once

#include "custom.h"

/* Its name, the values of its constants, and its key.  malloc'ed; null if out of memory. */
char *rh_custom_tell(const rh_custom *self);

/* Accepts any text.  RH_E_USAGE: not such a text, or not one of this redhost. */
rh_status rh_custom_hear(rh_custom **made, const char *text, rh_error *error);
