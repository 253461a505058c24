/* Operators by OpenCL C, evaluated on a device for what the host needs: the identity, and the
 * orders of combining that a result is compared with. */
#pragma once

#include "../../core/operation/operator.h"
#include "../../core/run/context.h"

/* Builds the operator's code for the session's device, once, and finds its identity.  RH_E_FILE,
 * with the file, line and reason, if it does not compile.  Nothing for operators by expressions. */
rh_status rh_by_code_open(const rh_operator *op, rh_cl_session *session, rh_error *error);
/* Prepares it for the session of *context, which is opened if it must be. */
rh_status rh_by_code_prepare(const rh_operator *op, rh_context *context, rh_error *error);

/* The first failure of the device since then; RH_OK if there was none, or none is needed. */
rh_status rh_by_code_status(const rh_operator *op, rh_error *error);

/* Why a strategy cannot serve it; null if it can. */
const char *rh_by_code_decline(const rh_operator *op, const rh_strategy *strategy,
                               const rh_answer *answer);

/* The first error of a build log, for a message: "far.cl:3:5: unknown type name 'q', at column 5 of
 * '...'".  code: the operator's text, with #line directives.  An error in what redhost adds to it
 * has the place of the compiler's note on it, or the end of the file.  0: there is none. */
int rh_code_complaint(const char *log, const char *code, char *to, size_t bytes);
