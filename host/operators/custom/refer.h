/* The exact facts about elements under a user's operator, and verdicts by them: rh_operator_calls,
 * which says more of each. */
#pragma once

#include "../../core/check/reference.h"
#include "custom.h"

rh_status rh_custom_refer(const rh_operator *op, const rh_arrays *arrays, uint64_t n,
                          rh_reference *reference, rh_error *error);
/* How many orders a struct is tried in. */
uint32_t rh_sampled_orders(const rh_custom *custom);
/* One more: one element after the other. */
void rh_sample_serial(const rh_operator *op, const rh_arrays *arrays, uint64_t n,
                      rh_reference *reference);
void rh_custom_conclude(rh_reference *reference);

/* The exact numbers that results are made of. */
void rh_reference_given(const rh_reference *reference, rh_result_field *given);
/* and how many elements they are of */
uint64_t rh_reference_count(const rh_reference *reference);

void rh_custom_judge(const rh_reference *reference, const rh_result *result, uint64_t depth,
                     int flushes, rh_verdict *verdict);
void rh_custom_judge_value(const rh_reference *reference, const void *value, uint64_t depth,
                           int flushes, rh_verdict *verdict);
double rh_custom_error_part(const rh_operator *op, uint64_t depth);
