/* Candidates of a search: quick measurements of one, and the choice among a few. */
#pragma once

#include "../bench/bench.h"

/* Opens, warms up and takes a few checked samples, or fewer if the first ones take more than
 * `give_up_s`. row->status is ok, with row->time, or `skipped' if it was given up, or the
 * failure.  Like rh_contender_start, returns only RH_E_CANCELLED and RH_E_NOMEM.  The caller
 * finishes *row. */
rh_status rh_tune_candidate_measure(rh_sampler *sampler, const rh_bench_data *data,
                                    const rh_bench_scale *scale, double give_up_s, rh_row *row,
                                    rh_error *error);

/* Chooses one of the rows, which were measured in the same rounds.  The first row, the defaults,
 * wins unless another is better by more than 1 % and the intervals do not overlap.  Among those
 * that are as good as the best, the one with the fewest settings wins. */
uint32_t rh_tune_candidate_decide(const rh_row *rows, const uint32_t *n_settings, uint32_t n);
