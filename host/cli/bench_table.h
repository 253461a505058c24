/* The tables of --bench. */
#pragma once

#include "../tools/records/records.h"
#include "terminal.h"

/* On standard output: a table for each device, operator and type, each with the best strategy at
 * each size, and one line on the method; with --verbose the parts of each call.  Behind them a line
 * for each strategy, operator and type with results of the same data on more than one device:
 * "bits: onepass, sum f32: equal on 2 devices (0x44ffd2e5)". */
void rh_bench_table_print(const rh_records *results, const rh_terminal *terminal);
