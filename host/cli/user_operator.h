/* The operator of --map, --reduce, --finalize, --let and lists of --op and --input, and its
 * operands. */
#pragma once

#include "../core/run/job.h"
#include "inputs.h"

/* Zero-initialised is empty. */
typedef struct rh_user_operator {
  rh_custom *custom;
  uint32_t n_arrays;
  rh_array arrays[RH_MOST_OPERANDS]; /* of inputs; their regions have become parts of one */
} rh_user_operator;

/* Does the command line name one? */
int rh_user_operator_is_wanted(const rh_typed *typed);

/* Asks where a list of operators means one after the other, not one pass. */
int rh_user_operator_is_one(const rh_typed *typed);

/* Makes it, to be destroyed by the caller, for the types of the inputs; inputs null: for operands
 * of one type, as many as the map names.  options: where files are searched for. */
rh_status rh_user_operator_define(const rh_typed *typed, const rh_options *options,
                                  const rh_inputs *inputs, rh_type type, rh_custom **made,
                                  rh_error *error);

/* RH_E_PLUGIN if a law of it is broken, unless the user accepts that. */
rh_status rh_user_operator_trust(const rh_app *app, const rh_custom *self, rh_error *error);

/* The same, or without inputs for operands that are to be generated, once it is trusted; enters it
 * into the spec. */
rh_status rh_user_operator_open(rh_user_operator *user, const rh_app *app, const rh_inputs *inputs,
                                rh_job_spec *spec, rh_error *error);

/* Brings the inputs into memory.  *array gets that of all operands; n and where the operands are,
 * the spec. */
rh_status rh_user_operator_arrays(rh_user_operator *user, rh_inputs *inputs, rh_array *array,
                                  rh_job_spec *spec, rh_error *error);

/* RH_E_FILE if a file changed since it was opened. */
rh_status rh_user_operator_check_unchanged(const rh_user_operator *user, const rh_inputs *inputs,
                                           rh_error *error);

void rh_user_operator_finish(rh_user_operator *user);
