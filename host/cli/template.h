/* The files that --new-plugin writes: sdk/template, under another name. */
#ifndef RH_CLI_TEMPLATE_H
#define RH_CLI_TEMPLATE_H

#include "../core/base/text.h"
#include <redhost/redhost.h>

/* Writes a plugin `name` into `directory`, which is made where it is not there and must be empty
 * where it is.  All of it or nothing: what was begun is taken away again.  files: the names of what
 * was written, a space before each. */
rh_status rh_template_write(const char *name, const char *directory, rh_text *files,
                            rh_error *error);

#endif
