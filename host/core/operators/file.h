/* Operators as JSON: files, and those that come with redhost.  docs/operators.md has the format. */
#ifndef RH_OPERATORS_FILE_H
#define RH_OPERATORS_FILE_H

#include "definition.h"

enum { RH_OPERATOR_FILE_BYTES = 1 << 20 }; /* at most */

/* Reads a definition.  RH_E_FILE, with the line or the key, for what is wrong; `origin` begins the
 * message.  Expressions are parsed later, when the operands' types are known. */
rh_status rh_definition_read(rh_definition *definition, const char *json, size_t length,
                             const char *origin, rh_error *error);
rh_status rh_definition_read_file(rh_definition *definition, const char *path, rh_error *error);

/* The text of an operator that comes with redhost, by its name; null for other names. */
const char *rh_library_find(const char *name);

#endif
