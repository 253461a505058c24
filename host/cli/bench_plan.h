/* --dry-run: the number of measurements, and their estimated duration. */
#pragma once

#include "../tools/bench/stage.h"

/* Prints the plan for one device, or returns it as an element of `plan`
 * (docs/inside/measuring.md). */
void rh_bench_plan_print(const rh_stage *stage);
json_t *rh_bench_plan_json(const rh_stage *stage);
