/* A caller's rh_request: what it asks for, and whether it can be meant. */
#ifndef RH_REDUCE_REQUEST_H
#define RH_REDUCE_REQUEST_H

#include "job.h"

/* *spec = what is reduced; its strings and settings are the request's.  *made: what spec->custom
 * points to, to be destroyed by the caller, or null if the operator is built in. */
rh_status rh_request_name(const rh_request *request, const rh_options *options, rh_job_spec *spec,
                          rh_operator **made, rh_error *error);

/* The operands' elements: the inputs', or else the request's own. */
void rh_request_data(const rh_request *request, const void *data[RH_MOST_OPERANDS]);

/* RH_E_USAGE if a field cannot be meant, or data are null or misaligned.  No elements are not
 * refused. */
rh_status rh_request_check(const rh_request *request, const rh_job_spec *spec,
                           const void *const *data, rh_error *error);

#endif
