/* The operator of a request or of a prepared reduction: a built-in one by its name, or one of the
 * user's. */
#pragma once

#include "job.h"

/* What rh_request and rh_prepare_spec have in common. */
typedef struct rh_asked {
  rh_context *context; /* where operator files are searched for and remembered */
  const char *op, *map, *reduce, *identity, *finalize, *where;
  rh_type type;
  const rh_input *inputs;
  uint64_t n_inputs;
  const rh_constant *constants;
  uint64_t n_constants;
  uint32_t commutes;
} rh_asked;

/* Enters the operator into the spec.  The caller has locked the rh_redhost.  *made: what
 * spec->custom points to, to be destroyed by the caller, or null if the operator is built in. */
rh_status rh_asked_name(const rh_asked *asked, rh_job_spec *spec, rh_operator **made,
                        rh_error *error);

/* The values of `self` with those that the constants name changed. */
rh_status rh_asked_change(const rh_operator *self, const rh_constant *constants, uint64_t n,
                          rh_expr_value values[RH_MOST_CONSTANTS], rh_error *error);
