/* What one run of a strategy comes to, in plain facts: the same whether it ran in this process or in another. */
#ifndef RH_MEASURE_FACTS_H
#define RH_MEASURE_FACTS_H

#include "quick.h"

/* A parameter as it was used. */
typedef struct rh_used_param {
  char key[64], text[64]; /* "tile", "256" */
  int64_t number;
  uint32_t is_word; /* 1: `text` is one of its choices */
} rh_used_param;

typedef struct rh_facts {
  /* Since rh_facts_ask. */
  rh_answer answer;
  rh_used_param params[RH_MAX_PARAMS];
  uint32_t n_params;
  uint32_t params_from;  /* RH_PARAMS_FROM_* */
  char params_note[320]; /* "tuned for driver 570, now 580", or "" */
  /* Since rh_facts_run. */
  _Alignas(16) unsigned char value[RH_MOST_VALUE_BYTES]; /* as the operator knows it */
  double first_s; /* the first run: what a caller without a warm device waits */
  uint32_t on_device;
  uint32_t builds, builds_cached, in_place; /* where on_device */
  double build_s, upload_s;
  /* Since rh_facts_measure. */
  uint32_t measured;
  rh_quick quick;
} rh_facts;

/* Each step of a job, and what it came to. */
rh_status rh_facts_ask(rh_facts *facts, rh_job *job, rh_error *error);
/* Once more since it was set up: what was tuned may have been given up there. */
void rh_facts_note(rh_facts *facts, const rh_job *job);
rh_status rh_facts_run(rh_facts *facts, rh_job *job, rh_error *error); /* the first time */
rh_status rh_facts_measure(rh_facts *facts, rh_job *job, rh_error *error);

#endif
