/* Checks a shared object's headers before any of its code runs. */
#pragma once

#include <redhost/redhost.h>

/* Is `path` a whole ELF shared object for this machine?  RH_E_PLUGIN with a message without the
 * path, which the caller prepends ("is cut off: 200 bytes of at least 15640").  RH_E_FILE: it
 * cannot be read. */
rh_status rh_elf_check(const char *path, rh_error *error);
