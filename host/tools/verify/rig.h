/* One strategy on one problem under a test's control: what the host would do, with every service
 * watched, and with faults on demand. */
#ifndef RH_VERIFY_RIG_H
#define RH_VERIFY_RIG_H

#include "../../core/cl/services.h"
#include "../../core/io/array.h"
#include "../../core/reduce/params.h"
#include "../../core/reduce/reference.h"
#include "fence.h"
#include "footprint.h"
#include "place.h"
#include "trial.h"

enum { RH_AROUND = 64, RH_RIG_STRUCTS = 8 };

/* How the structs that a plugin is given lie in memory. */
enum {
  RH_RIG_PLAIN,
  RH_RIG_EXACT, /* of ABI 1.0's size, and behind each a page that cannot be touched */
  RH_RIG_GROWN  /* larger than today's, with nonsense in what is new */
};

typedef struct rh_rig {
  rh_trial *trial;
  const rh_strategy *strategy;
  uint32_t op;
  rh_type type;
  uint64_t max_n;
  int64_t params[RH_MAX_PARAMS];
  rh_cl_session *session;  /* null for a host strategy */
  const rh_device *device; /* what the plugin is told; set before setup to lie */
  int layout;              /* RH_RIG_*; set before setup */
  const char *broken_line; /* put before every source, or null */
  rh_footprint *footprint; /* null: what the plugin changes in the process is not looked at */

  char *prelude;
  rh_op row;
  rh_answer answer;
  rh_services services;
  rh_host *host; /* what the plugin has: watches, and hands on to `services` */
  void *self;
  int is_set_up, has_ended;
  rh_error error;
  struct {
    void *address;
    size_t bytes; /* mapped */
  } structs[RH_RIG_STRUCTS];
  uint32_t n_structs;

  rh_place own, *place; /* the one that runs use is its own unless a test has more */
  unsigned char poison; /* of the input where no range is */
  uint64_t first, n;    /* the range in the place's input, and its elements once more */
  const void *data;
  rh_array array;  /* them, where rh_rig_fill made them */
  rh_fence *fence; /* around what the plugin asks for, or null; set before setup */

  /* Seen since setup, or since the last run where it says so. */
  uint32_t calls, fail_at; /* services called; the one that fails, from 1; 0: none */
  int injected;            /* it did */
  uint32_t launches;       /* of the last run */
  uint32_t reads;          /* of the last run */
  uint64_t local_bytes;    /* the most of one launch */
  uint64_t code;           /* hash of every source and its options */
  uint32_t calls_after_end;
  char out_of_phase[96];    /* "launch() in setup", or "" */
  const char *left_fpstate; /* the function that left another control word behind, or null */
} rh_rig;

/* Takes the default parameters and a place of its own, of RH_AROUND elements, max_n and RH_AROUND
 * more; asks nothing yet.  Everything fails with rig->error set. */
rh_status rh_rig_init(rh_rig *rig, rh_trial *trial, uint32_t op, rh_type type, uint64_t max_n);
/* The same without a place: the caller brings one. */
rh_status rh_rig_begin(rh_rig *rig, rh_trial *trial, uint32_t op, rh_type type, uint64_t max_n);
rh_status rh_rig_setup(rh_rig *rig);        /* asks first */
rh_status rh_rig_setup_anyway(rh_rig *rig); /* whatever query says */
/* `n` elements of `kind` between poison, the first of them element `first` of the place's input. */
rh_status rh_rig_fill(rh_rig *rig, const char *kind, uint64_t seed, uint64_t n, uint64_t first);
/* Reduces what was filled in, or whatever `place`, `first`, `n` and `data` say. */
rh_status rh_rig_run(rh_rig *rig, unsigned char value[16]);
/* RH_OK, or RH_E_WRONG with what is wrong. */
rh_status rh_rig_judge(rh_rig *rig, const unsigned char value[16]);
void rh_rig_teardown(rh_rig *rig);
void rh_rig_finish(rh_rig *rig); /* zero-initialised is fine */

/* Fill, run and judge.  rig->error names the case. */
rh_status rh_rig_case(rh_rig *rig, const char *kind, uint64_t seed, uint64_t n, uint64_t first);

/* Bytes of a value that are compared: pairs have padding, so of them the index. */
int rh_rig_same(const rh_rig *rig, const unsigned char *a, const unsigned char *b);

#endif
