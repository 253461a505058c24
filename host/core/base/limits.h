/* The limits of this process that are unusually tight. */
#pragma once

#include "text.h"

/* Adds what may be why something did not start: "; the address space is limited to 250000 KiB
 * (ulimit -v)".  Adds nothing if nothing is tight. */
void rh_limits_add(rh_text *to);
