/* Shared objects: the one header whose .c opens them. */
#pragma once

#include <redhost/redhost.h>

typedef struct rh_dl {
  void *handle;
} rh_dl;

/* A failure is RH_E_PLUGIN with a message without the path, which the caller prepends.  RH_E_NOMEM:
 * the loader lacked resources; the file need not be bad. */

/* RTLD_NOW | RTLD_LOCAL on an absolute path.  The loader's message is explained: built for another
 * machine, a library that is missing, an undefined symbol, a C library too old. */
/* RH_E_PLUGIN if raised privileges forbid the file. */
rh_status rh_dl_check_privileges(const char *path, rh_error *error);

rh_status rh_dl_open(rh_dl *dl, const char *path, rh_error *error);
/* A library that is not a plugin, by the name that the loader looks for: "libopenblas.so.0".
 * RH_DECLINED: it is not installed. */
rh_status rh_dl_open_library(rh_dl *dl, const char *soname, rh_error *error);
/* What the process has already: where objects find `function` by themselves, as in a preloaded
 * library, else in the first library whose file's name begins with `name`.  0: neither. */
int rh_dl_find_loaded(rh_dl *dl, const char *function, const char *name);
/* A function of the library, or of one that it needs. */
rh_status rh_dl_function(const rh_dl *dl, const char *name, void (**function)(void),
                         rh_error *error);
/* The symbol, only if this file itself defines it (dlsym also finds it in a dependency). */
rh_status rh_dl_symbol(const rh_dl *dl, const char *path, const char *name, const void **symbol,
                       rh_error *error);
/* Is this function or object in that file? */
int rh_dl_is_from(const void *address, const char *path);
/* Never called in normal operation: a plugin stays mapped until the process ends. */
void rh_dl_close(rh_dl *dl);
