/* Notes on standard error: what may surprise in an answer. */
#pragma once

#include "inputs.h"

/* An answer that is not a number: which elements are none, and how to leave them out.  Without
 * --quiet and --json.  Files of up to 1 GiB are read once more. */
void rh_note_nan(const rh_app *app, const rh_result *result);

/* An index into a file in Fortran order, integers that wrap. */
void rh_note_operator(const rh_app *app, const rh_inputs *inputs, const rh_job_spec *spec);
