/* The host's services to a plugin: rh_host, and a record of everything that the plugin obtained. */
#pragma once

#include "session.h"

enum { RH_PHASE_NONE, RH_PHASE_SETUP, RH_PHASE_RUN, RH_PHASE_TEARDOWN };

typedef struct rh_handed {
  void *thing;
  int kind;
} rh_handed;

/* launch() puts these in the place of RH_ARG_OPERANDS. */
typedef struct rh_operand_arguments {
  uint32_t n;  /* 0: the run's input */
  int expands; /* the program has RH_HAS_OPERANDS: each operand and its `at`, then the constants */
  const cl_mem *buffers;
  const uint64_t *at; /* the run's first element in each buffer, in elements */
  const void *constants;
  uint32_t constants_size;
} rh_operand_arguments;

/* One for each instance of a strategy. [one thread at a time] */
typedef struct rh_services {
  rh_host host;           /* what the plugin sees; host.priv is this struct */
  rh_cl_session *session; /* null for host strategies */
  const char *prelude, *strategy;
  const char *options; /* for every build, before the plugin's; "" */
  const rh_reporter *reporter;
  int phase;           /* services are refused outside their phase */
  rh_error *error;     /* of the call in progress */
  int failed;          /* a service failed or fail() was called: *error has the reason */
  int short_of_memory; /* it was out of memory, and *error has RH_E_DEVICE */
  rh_handed *handed;   /* released in reverse order */
  uint32_t n_handed;
  uint64_t scratch_bytes;
  uint32_t launches;             /* of the current run */
  rh_operand_arguments operands; /* of the current run; its arrays are borrowed */
} rh_services;

/* session, prelude, strategy and reporter are borrowed. */
void rh_services_init(rh_services *services, rh_cl_session *session, const char *prelude,
                      const char *strategy, const rh_reporter *reporter);
/* Before every call into the plugin. */
static inline void rh_services_enter(rh_services *services, int phase, rh_error *error) {
  services->phase = phase;
  services->error = error;
  services->failed = services->short_of_memory = 0;
  services->launches = 0;
}
/* After it: *error is the caller's, and may no longer exist at the next call. */
static inline void rh_services_leave(rh_services *services) {
  services->phase = RH_PHASE_NONE;
  services->error = NULL;
}
/* Waits for the queue and releases everything that the plugin obtained. */
void rh_services_finish(rh_services *services);
