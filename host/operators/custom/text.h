/* From an operation's text to the operation. */
#pragma once

#include "../../core/operation/operation.h"
#include "custom.h"

/* The operation that a text is of, without n and `what`.  *own: the operator, to be destroyed, or
 * null: it is built in.  Accepts any text; RH_E_FILE, or what rh_custom_create() returns, for one
 * that this redhost would not write. */
rh_status rh_operation_read(rh_operation *operation, rh_custom **own, const char *text,
                            rh_error *error);
