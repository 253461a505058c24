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
