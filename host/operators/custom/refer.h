/* The exact facts about elements under a user's operator, and verdicts by them: rh_operator_calls,
 * which says more of each. */
#pragma once

#include "../../core/check/reference.h"
#include "custom.h"

rh_status rh_custom_refer(const rh_operator *op, const rh_arrays *arrays, uint64_t n,
                          rh_reference *reference, rh_error *error);
/* sums[k] = that of field k of n elements, for the fields that are sums. */
rh_status rh_field_sums_compute(rh_field_sum *sums, const rh_custom *custom,
                                const rh_arrays *arrays, uint64_t n, rh_error *error);
void rh_custom_conclude(rh_reference *reference);

/* *mean = the exact sum divided by n, rounded once to the type; 0: it is special, or n is 0. */
int rh_custom_mean(const rh_reference *reference, rh_type type, double *mean);

/* The exact numbers that results are made of. */
void rh_reference_given(const rh_reference *reference, rh_operator_result *given);
/* and how many elements they are of */
uint64_t rh_reference_count(const rh_reference *reference);

void rh_custom_judge(const rh_reference *reference, const rh_result *result, uint64_t depth,
                     int flushes, rh_verdict *verdict);
void rh_custom_judge_value(const rh_reference *reference, const void *value, uint64_t depth,
                           int flushes, rh_verdict *verdict);
double rh_custom_error_part(const rh_operator *op, uint64_t depth);
