/* The files that --new-plugin, --new-operator and --new-transport write: sdk/template, sdk/operator
 * and sdk/transport, under another name. */
#pragma once

#include "../core/base/text.h"
#include <redhost/redhost.h>

typedef enum rh_template {
  RH_TEMPLATE_PLUGIN,
  RH_TEMPLATE_PYTHON,   /* a plugin that pip installs */
  RH_TEMPLATE_OPERATOR, /* by expressions */
  RH_TEMPLATE_CODE,     /* by OpenCL C */
  RH_TEMPLATE_TRANSPORT
} rh_template;

/* Writes a plugin, an operator or a transport `name` into `directory`, which is created if missing.
 * For plugins and transports it must otherwise be empty; an operator replaces no file.  All or
 * nothing: on failure, begun files are removed.  files: the names of the written files, a space
 * before each. */
rh_status rh_template_write(rh_template kind, const char *name, const char *directory,
                            rh_text *files, rh_error *error);
