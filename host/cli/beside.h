/* --run A,B: the answers of several strategies, side by side. */
#pragma once

#include "../core/check/reference.h"
#include "table.h"
#include <jansson.h>

/* Zero-initialised is empty. */
typedef struct rh_beside {
  rh_table table;
  uint32_t n;                /* answers */
  json_t *devices, *results; /* with --json */
} rh_beside;

/* verdict: null if the answer was not checked.  seconds: 0 if they were not measured. */
void rh_beside_add(rh_beside *beside, const char *strategy, const rh_result *result,
                   const rh_verdict *verdict, double seconds);
/* Takes over both. */
void rh_beside_add_json(rh_beside *beside, json_t *devices, json_t *result);
/* One that has no answer.  Without any answer, nothing is printed. */
void rh_beside_add_failure(rh_beside *beside, const char *strategy, const rh_error *why);
rh_status rh_beside_print(const rh_beside *beside, const rh_terminal *terminal, rh_error *error);
void rh_beside_finish(rh_beside *beside);
