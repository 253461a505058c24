/* A caller's rh_request: what it asks for, whether it can be meant, and whether another one asks
 * for the same. */
#pragma once

#include "../core/run/job.h"
#include "../operators/custom/custom.h"

/* *spec = what is reduced; its strings and settings are the request's.  context: where operator
 * files are searched for and remembered; the caller has locked the rh_redhost.  *made: what
 * spec->op points to, to be destroyed by the caller, or null if the operator is built in. */
rh_status rh_request_name(const rh_request *request, rh_context *context, rh_job_spec *spec,
                          rh_custom **made, rh_error *error);

/* The values of `self` with those that the constants name changed. */
rh_status rh_request_constants(const rh_custom *self, const rh_constant *constants, uint64_t n,
                               rh_expr_value values[RH_MOST_CONSTANTS], rh_error *error);

/* The operands' elements: the inputs', or else the request's own. */
void rh_request_data(const rh_request *request, const void *data[RH_MOST_OPERANDS]);

/* RH_E_USAGE if a field cannot be meant, or data are null or misaligned.  No elements are not
 * refused. */
rh_status rh_request_check(const rh_request *request, const rh_job_spec *spec,
                           const void *const *data, rh_error *error);

/* Where the data of rh_prepare() are, RH_JOB_*: with the caller's queue, its buffers may follow as
 * well as arrays. */
uint32_t rh_request_place(const rh_request *request, const rh_context *context);

/* Does nothing of what rh_request_asks_same() passes over keep rh_reduce() from the fast path? */
static inline int rh_request_is_plain(const rh_request *request) {
  return request->unchecked && !request->accuracy && !request->data_on_device &&
         !request->result_on_device && !(request->inputs && request->data) && !request->outputs;
}

/* A copy without data, which shares nothing with the caller's: *to, which rh_request_release()
 * frees, also after a failure. */
rh_status rh_request_copy(rh_request *to, const rh_request *from, rh_error *error);
void rh_request_release(rh_request *copy); /* zero-initialised is fine */

/* Does the request name the same problem, word by word, as the copy?  Data, n, the values of
 * constants, and whether and how the answer is checked are not compared. */
int rh_request_asks_same(const rh_request *copy, const rh_request *request);
