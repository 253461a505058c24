/* The problems of a benchmark: operators on types, built in or a user's. */
#pragma once

#include "../../core/run/job.h"
#include "settings.h"

/* Is `op`, one of settings->ops, defined for types.list[t]? */
int rh_bench_is_defined(const rh_bench_settings *settings, uint32_t t, uint32_t op);

/* The operator, the type and the operands' places for n elements; spec.what is not set. */
rh_job_spec rh_bench_problem(const rh_bench_settings *settings, uint32_t t, uint32_t op,
                             uint64_t n);

/* The first that is defined, of no elements. */
rh_job_spec rh_bench_first_problem(const rh_bench_settings *settings);

/* Bytes of one element of every operand; of several operators, the most. */
uint32_t rh_bench_element_bytes(const rh_bench_settings *settings, uint32_t t);

/* How many points n elements are: 1, or one for each way to cut them into segments. */
uint32_t rh_bench_cuts(const rh_bench_settings *settings, uint64_t n);

/* "sum", or the name of the user's operator. */
const char *rh_bench_op_name(const rh_bench_settings *settings, uint32_t op);
