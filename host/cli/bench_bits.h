/* Whether a strategy's results have the same bits on several devices. */
#pragma once

#include "../tools/records/records.h"

/* A line on standard output for each strategy, operator and type with results of the same data on
 * more than one device: "bits: onepass, sum f32: equal on 2 devices (0x44ffd2e5)". */
void rh_bench_bits_print(const rh_records *results);
