/* Candidates of a search: a quick look at one, and the verdict among a few. */
#ifndef RH_TUNE_CANDIDATE_H
#define RH_TUNE_CANDIDATE_H

#include "../measure/bench.h"
#include "../measure/local.h"
#include "space.h"

/* Opens, warms up and takes a few samples, all of them judged; or fewer where the first ones take
 * more than `give_up_s`.  row->status says how it ended: ok with row->time, `skipped' where it was
 * given up.  As rh_contender_start, only RH_E_CANCELLED and RH_E_NOMEM come back.  The caller
 * finishes *row. */
rh_status rh_tune_candidate_look(rh_sampler *sampler, const rh_bench_data *data,
                                 const rh_bench_scale *scale, double give_up_s, rh_row *row,
                                 rh_error *error);

/* Which of the rows, taken in the same rounds, is to be kept: the first, which is the defaults,
 * unless another is better by more than 1 % and the intervals do not meet; among those that are as
 * good as the best, that with the fewest settings. */
uint32_t rh_tune_candidate_decide(const rh_row *rows, const uint32_t *n_settings, uint32_t n);

#endif
