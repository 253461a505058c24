/* The files that --new-plugin writes: sdk/template, under another name. */
#ifndef RH_CLI_TEMPLATE_H
#define RH_CLI_TEMPLATE_H

#include "../core/base/text.h"
#include <redhost/redhost.h>

/* Writes a plugin `name` into `directory`, which is created if missing and must otherwise be empty.
 * All or nothing: on failure, begun files are removed.  files: the names of the written files, a
 * space before each. */
rh_status rh_template_write(const char *name, const char *directory, rh_text *files,
                            rh_error *error);

#endif
