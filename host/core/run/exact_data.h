/* Data whose result is the same in every order of operations: for a strategy whose answer has a
 * weak bound or none.  A strategy with the same parameters, on as many elements, must give exactly
 * this result. */
#pragma once

#include "../data/array.h"
#include "job.h"

/* Zero-initialised is empty. */
typedef struct rh_exact_data {
  rh_array array; /* "hash", whose sums of any elements are exact, or "units", whose products are */
  rh_reference reference;
} rh_exact_data;

/* Does the verdict need this check? */
static inline int rh_exact_data_is_needed(const rh_verdict *verdict) {
  return verdict->weak && verdict->verdict != RH_VERDICT_WRONG &&
         verdict->exact_data == RH_EXACT_DATA_NONE;
}

/* kind: null, or other data for an operator that is exact anyway. shared: in memory that can be
 * shared with another process. */
rh_status rh_exact_data_make(rh_exact_data *exact, const rh_operator *op, uint64_t n,
                             const char *kind, int shared, const rh_reporter *reporter,
                             rh_error *error);
/* Makes them in the memory of `array`, whose elements they replace; its type and length stay.
 * *exact borrows the array, and is not to be finished. */
rh_status rh_exact_data_overwrite(rh_exact_data *exact, const rh_array *array,
                                  const rh_operator *op, const rh_reporter *reporter,
                                  rh_error *error);
void rh_exact_data_finish(rh_exact_data *exact);

int rh_exact_data_agrees(const rh_exact_data *exact, const rh_result *result);

/* Makes a strategy's result on these data part of the verdict on its answer: a different result is
 * RH_VERDICT_WRONG. */
void rh_exact_data_add(const rh_exact_data *exact, const rh_result *result, rh_verdict *verdict);
/* The rule of every way: an answer that is inside a bound which allows much, and that nothing else
 * confirms, is not judged.  why: such data were not tried. */
void rh_exact_data_settle(rh_verdict *verdict, const char *why);
/* Why an answer is not judged. */
const char *rh_verdict_why(const rh_verdict *verdict, char text[512]);
/* Does this failure only mean that the data cannot be tried, so that the run continues? */
int rh_exact_data_is_too_much(rh_status status);

/* All of these steps, if the verdict needs them, for a strategy that is set up in this process. */
rh_status rh_job_confirm(rh_job *job, const rh_job_spec *spec, const rh_reporter *reporter,
                         rh_verdict *verdict, rh_error *error);
