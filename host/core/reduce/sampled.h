/* Struct operators in several orders, and the judgement of a result by them. */
#ifndef RH_REDUCE_SAMPLED_H
#define RH_REDUCE_SAMPLED_H

#include "reference.h"

/* The values of all elements in the canonical order, and in others that begin new trees at places
 * chosen by chance. */
void rh_sample_orders(rh_sampled *sampled, const rh_operator *custom, const rh_arrays *arrays,
                      uint64_t n);

/* The results of these values, which may have been combined with those of other parts; n: of all
 * elements. */
void rh_sampled_conclude(rh_sampled *sampled, const rh_operator *custom, uint64_t n);

/* depth: the operations one after the other, from query's answer. */
void rh_judge_sampled(const rh_sampled *sampled, const rh_result *result, uint64_t depth,
                      rh_verdict *verdict);

#endif
