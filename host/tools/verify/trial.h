/* The context in which one test of one plugin runs. */
#pragma once

#include "../../core/base/text.h"
#include "../../core/run/context.h"
#include "verify.h"

typedef struct rh_trial {
  const char *path;          /* of the plugin's file, absolute */
  const char *strategy_name; /* null: the first one in the file */
  uint64_t seed;
  const char *own;         /* of the operator that is named: an operation's text; or null */
  const char *launch;      /* how a job of several ranks is started; {n}: their number; or null */
  uint32_t quick, variant; /* variant: from 0, if a test runs in several processes */
  double random_s;
  int alone;           /* the test has a process to itself and may change it */
  uint64_t digest;     /* hash of what all of a test's processes must agree on; 0: nothing */
  rh_context *context; /* opened, no plugins discovered yet */
  int watches_end;     /* output at the end of the process is a failure */
  const rh_plugin *plugin;
  const rh_strategy *strategy;
  rh_text text,
      again;      /* of the verdict; again: options of redhost --run that reproduce it, or "" */
  rh_error error; /* for calls that need one */
  void *user;
  void (*say_phase)(void *user, const char *phase);
} rh_trial;

/* Announces which of the plugin's code runs next; the parent names it if it does not return. */
void rh_trial_phase(rh_trial *trial, const char *phase);

/* Sets the text and returns the outcome, for `return rh_trial_fail(...)`. */
rh_outcome rh_trial_fail(rh_trial *trial, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
rh_outcome rh_trial_warn(rh_trial *trial, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
rh_outcome rh_trial_skip(rh_trial *trial, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Sets trial->plugin and trial->strategy: RH_PASS, or RH_SKIP with the reason.  V10 to V20 fail
 * files that cannot be loaded. */
rh_outcome rh_trial_load(rh_trial *trial);

/* A test needs this before it starts. */
enum {
  RH_NEEDS_NOTHING,     /* the file alone */
  RH_NEEDS_PLUGIN,      /* loaded and validated */
  RH_NEEDS_INTERPRETER, /* and runs in an interpreter, whose own crash is not the plugin's */
  RH_NEEDS_DEVICE       /* and a session on a device, unless the strategy is host code */
};

/* A test is of this. */
enum {
  RH_OF_FILE,      /* of every file, once */
  RH_OF_PLUGIN,    /* of a plugin's file, once */
  RH_OF_STRATEGY,  /* of each strategy in a plugin */
  RH_OF_TRANSPORT, /* of a transport's file, once */
};

typedef struct rh_test {
  const char *id, *title;
  rh_outcome (*run)(rh_trial *trial);
  uint32_t needs;
  uint32_t of;                   /* RH_OF_* */
  uint32_t variants;             /* processes it runs in; the worst outcome counts */
  uint32_t limit_s;              /* of silence */
  double usual_s, usual_quick_s; /* typical times on two cores, for the forecast */
} rh_test;

/* All tests, in order. */
const rh_test *rh_tests(uint32_t *n);

/* One file for each group. */
rh_outcome rh_v01_machine(rh_trial *), rh_v02_exports(rh_trial *), rh_v03_undefined(rh_trial *),
    rh_v04_needed(rh_trial *), rh_v05_static_tls(rh_trial *), rh_v06_hardened(rh_trial *),
    rh_v07_unique(rh_trial *), rh_v08_rpath(rh_trial *), rh_v09_imports(rh_trial *);
rh_outcome rh_v10_loads(rh_trial *), rh_v11_fpstate(rh_trial *), rh_v12_locale(rh_trial *),
    rh_v13_process(rh_trial *), rh_v14_entry(rh_trial *), rh_v15_unloads(rh_trial *);
rh_outcome rh_v16_version(rh_trial *), rh_v17_texts(rh_trial *), rh_v18_functions(rh_trial *),
    rh_v19_params(rh_trial *), rh_v20_promises(rh_trial *), rh_v21_constant(rh_trial *);
rh_outcome rh_v59_depends_only_on_question(rh_trial *);
rh_outcome rh_v22_pure(rh_trial *), rh_v23_matrix(rh_trial *), rh_v24_reasons(rh_trial *),
    rh_v25_unknown(rh_trial *), rh_v26_ends_of_ranges(rh_trial *), rh_v27_starved(rh_trial *),
    rh_v28_keeps_promise(rh_trial *), rh_v29_forecast(rh_trial *), rh_v30_threads(rh_trial *);
rh_outcome rh_v31_no_run(rh_trial *), rh_v32_runs(rh_trial *), rh_v33_faults(rh_trial *),
    rh_v34_references(rh_trial *), rh_v35_states(rh_trial *), rh_v36_afterwards(rh_trial *),
    rh_v37_instances(rh_trial *), rh_v38_older_host(rh_trial *), rh_v39_newer_host(rh_trial *),
    rh_v40_recovers(rh_trial *);
rh_outcome rh_v41_nothing(rh_trial *), rh_v42_exact(rh_trial *), rh_v43_bound(rh_trial *),
    rh_v44_smaller(rh_trial *), rh_v45_offsets(rh_trial *), rh_v46_input(rh_trial *),
    rh_v47_neighbours(rh_trial *), rh_v48_poison(rh_trial *), rh_v51_specials(rh_trial *),
    rh_v52_depth(rh_trial *), rh_v53_random(rh_trial *);
rh_outcome rh_v49_order(rh_trial *), rh_v50_determinism(rh_trial *), rh_v54_params(rh_trial *),
    rh_v55_rebuild(rh_trial *), rh_v56_enqueues(rh_trial *), rh_v57_build_error(rh_trial *);
rh_outcome rh_v58_footprint(rh_trial *);
rh_outcome rh_v60_places(rh_trial *), rh_v61_huge(rh_trial *), rh_v62_edges(rh_trial *),
    rh_v63_memory(rh_trial *), rh_v64_interpreter(rh_trial *);
rh_outcome rh_v65_canonical(rh_trial *);
rh_outcome rh_v66_operands(rh_trial *), rh_v67_any_value(rh_trial *),
    rh_v68_large_in_order(rh_trial *), rh_v69_named(rh_trial *);
rh_outcome rh_v84_schedule(rh_trial *);
rh_outcome rh_v70_descriptor(rh_trial *), rh_v71_probe(rh_trial *),
    rh_v72_probe_changes_nothing(rh_trial *), rh_v73_alone(rh_trial *);
rh_outcome rh_v74_places(rh_trial *), rh_v75_gathers(rh_trial *), rh_v76_many_gathers(rh_trial *),
    rh_v77_waits_for_late(rh_trial *), rh_v78_killed(rh_trial *), rh_v79_stopped(rh_trial *),
    rh_v80_leaves(rh_trial *), rh_v81_aborts(rh_trial *), rh_v82_closes(rh_trial *),
    rh_v83_state(rh_trial *);
