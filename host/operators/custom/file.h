/* Operators as JSON: files, and those that come with redhost.  docs/use/operators.md has the
 * format. */
#pragma once

#include "definition.h"

enum { RH_OPERATOR_FILE_BYTES = 1 << 20 }; /* at most */

/* Reads a definition.  RH_E_FILE for what is wrong, with "ORIGIN:LINE:COLUMN: " and what is
 * expected.  Expressions are parsed later, when the operands' types are known: definition->origin
 * is a copy of `origin`, for messages about them.  On failure *definition is empty. */
rh_status rh_definition_read(rh_definition *definition, const char *json, size_t length,
                             const char *origin, rh_error *error);
/* Reads a regular file. */
rh_status rh_definition_read_file(rh_definition *definition, const char *path, rh_error *error);

/* The operators that come with redhost: the text of number k, from 0, and its name (may be null);
 * null if there are fewer. */
const char *rh_library_text(size_t k, const char **name);
