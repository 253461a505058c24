/* A test rig: runs one strategy on one problem as the host does, but watches every service and
 * injects faults on demand. */
#pragma once

#include "../../core/cl/services.h"
#include "../../core/data/array.h"
#include "../../core/run/job.h"
#include "fence.h"
#include "fixture.h"
#include "footprint.h"
#include "trial.h"

enum { RH_AROUND = 64, RH_RIG_STRUCTS = 8 };

/* How the structs that a plugin is given lie in memory. */
enum {
  RH_RIG_PLAIN,
  RH_RIG_EXACT, /* as small as in ABI 1.0, each followed by an inaccessible page */
  RH_RIG_GROWN  /* larger than today's, with garbage in the new part */
};

typedef struct rh_pair {
  uint32_t op;
  rh_type type;
} rh_pair;

/* Null or 0 in each field: as usual. */
typedef struct rh_rig_with {
  const rh_op *row; /* another operator, of the same type; with its prelude */
  const int64_t *params;
  const rh_device *device;   /* the description given to the plugin */
  int layout;                /* RH_RIG_* */
  uint32_t fail_at;          /* the service call that is made to fail, from 1 */
  const char *broken_line;   /* put before every source, */
  const char *in_front;      /* and before the operator's */
  rh_footprint *footprint;   /* the state of the process is compared */
  rh_fence *fence;           /* around the memory that the plugin requests */
  const rh_layout *segments; /* what all runs reduce; borrowed */
  int is_refused;            /* setup is called whatever query answers */
  int has_no_place;          /* the caller makes one in rig->own before the first run */
} rh_rig_with;

typedef struct rh_rig {
  rh_trial *trial;
  const rh_strategy *strategy;
  uint32_t op;
  rh_type type;
  uint64_t max_n;
  rh_rig_with with; /* fail_at and segments may be changed at any time */
  int64_t params[RH_MAX_PARAMS];
  rh_cl_session *session;  /* null for a host strategy */
  const rh_device *device; /* the description given to the plugin */
  rh_layout given;         /* with.segments, of a device: with offsets there */
  unsigned char *results;  /* where their values, and one behind, go: runs give no value then */

  char *prelude;
  rh_op row;
  rh_answer answer;
  rh_services services;
  rh_host *host; /* given to the plugin: watches each call and forwards it to `services` */
  void *self;
  int is_set_up, has_ended;
  rh_error *error; /* the trial's */
  rh_guard structs[RH_RIG_STRUCTS];
  uint32_t n_structs;

  rh_fixture own, *place; /* place: the one that runs use */
  const char *run_phase;  /* how a run is named if it does not return; null: "run" */
  unsigned char poison;   /* fills the input outside the range */
  uint64_t first, n;      /* the range in the place's input; data: a copy of its elements */
  const void *data;
  rh_array array; /* holds `data` if rh_rig_fill made it */

  /* Counted since setup, or in the last run where it says so. */
  uint32_t calls;       /* service calls */
  int injected;         /* the fault was injected */
  uint32_t launches;    /* of the last run */
  uint32_t reads;       /* of the last run */
  uint64_t local_bytes; /* the maximum of one launch */
  uint64_t code;        /* hash of every source and its options */
  uint32_t calls_after_end;
  char out_of_phase[96];    /* "launch() in setup", or "" */
  const char *left_fpstate; /* the function that changed the floating-point control word, or null */
} rh_rig;

/* Asks query, and sets up an instance for max_n elements, with a place that has RH_AROUND more on
 * either side.  with: null: as usual.  All functions set *rig->error when they fail; the caller
 * finishes or closes the rig after a failure, too. */
rh_status rh_rig_open(rh_rig *rig, rh_trial *trial, rh_pair pair, uint64_t max_n,
                      const rh_rig_with *with);
/* Finishes the rig, and returns the status. */
rh_status rh_rig_close(rh_rig *rig, rh_status status);
/* Fills in `n` elements of `kind`, starting at element `first` of the place's input, with poison
 * around them. */
rh_status rh_rig_fill(rh_rig *rig, const char *kind, uint64_t seed, uint64_t n, uint64_t first);
/* What runs reduce from now on, as many segments as before. */
rh_status rh_rig_take_segments(rh_rig *rig, const rh_layout *segments);
/* Reduces the elements that were filled in, or those given by `place`, `first`, `n` and `data`. */
rh_status rh_rig_run(rh_rig *rig, unsigned char value[16]);
/* RH_OK, or RH_E_WRONG and a message. */
rh_status rh_rig_judge(rh_rig *rig, const unsigned char value[16]);
void rh_rig_teardown(rh_rig *rig);
void rh_rig_finish(rh_rig *rig); /* zero-initialised is fine */

/* Fill, run and judge.  *rig->error names the case. */
rh_status rh_rig_case(rh_rig *rig, const char *kind, uint64_t seed, uint64_t n, uint64_t first);

/* Compares two values; of pairs only the index, because pairs have padding. */
int rh_rig_same(const rh_rig *rig, const unsigned char *a, const unsigned char *b);
