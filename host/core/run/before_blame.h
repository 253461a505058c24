/* A second look at the data before a strategy is blamed for a wrong answer. */
#pragma once

#include "job.h"

/* A strategy's answer: a result, or the value of a part of the data. */
typedef struct rh_answered {
  rh_context *context;
  const rh_cl_device *device; /* null: the host */
  uint64_t depth;             /* from query's answer */
  const rh_result *result;    /* null: `value` is judged */
  const void *value;
} rh_answered;

/* Judges an answer while the data are still there.  Before the verdict is that it is wrong:
 * - RH_E_FILE if the data are not those that *reference was computed of, and others than the
 *   strategy may write to them;
 * - *reference may then know more than before, of a struct operator, and the answer is judged
 *   again;
 * - RH_E_PLUGIN, with a counterexample, if it is the user's operator that is at fault on these
 *   data. */
rh_status rh_job_judge_on(const rh_job_spec *spec, const rh_job_part *part,
                          const rh_answered *answered, rh_reference *reference, rh_verdict *verdict,
                          rh_error *error);

/* The last step alone, where an answer was judged that the part has contributed to. */
rh_status rh_job_trust_on(rh_context *context, const rh_job_spec *spec, const rh_job_part *part,
                          rh_error *error);
