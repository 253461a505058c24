/* The files that --new-plugin and --new-operator write: sdk/template and sdk/operator, under
 * another name. */
#ifndef RH_CLI_TEMPLATE_H
#define RH_CLI_TEMPLATE_H

#include "../core/base/text.h"
#include <redhost/redhost.h>

typedef enum rh_template { RH_TEMPLATE_PLUGIN, RH_TEMPLATE_OPERATOR, RH_TEMPLATE_CODE } rh_template;

/* Writes a plugin or an operator `name` into `directory`, which is created if missing.  For a
 * plugin it must otherwise be empty; for an operator, by expressions or OpenCL C, files are not
 * replaced.  All or nothing: on
 * failure, begun files are removed.  files: the names of the written files, a space before each. */
rh_status rh_template_write(rh_template kind, const char *name, const char *directory,
                            rh_text *files, rh_error *error);

#endif
