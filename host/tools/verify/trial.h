/* The context in which one test of one plugin runs. */
#pragma once

#include "../../core/base/error.h"
#include "../../core/run/context.h"
#include "tests.h"
#include "verify.h"

typedef struct rh_test rh_test;

typedef struct rh_trial {
  /* What the parent asks for.  test null: the names of the plugin's strategies. */
  const rh_options *options;
  const rh_test *test;
  const char *path;          /* of the plugin's file, absolute */
  const char *strategy_name; /* null: the first one in the file */
  uint64_t seed;
  const char *own;         /* of the operator that is named: an operation's text; or null */
  const char *launch;      /* how a job of several ranks is started; {n}: their number; or null */
  uint32_t quick, variant; /* variant: from 0, if a test runs in several processes */
  double random_s;

  /* Where it runs. */
  int alone;           /* the test has a process to itself and may change it */
  uint64_t digest;     /* hash of what all of a test's processes must agree on; 0: nothing */
  rh_context *context; /* opened, no plugins discovered yet */
  int watches_end;     /* output at the end of the process is a failure */
  const rh_plugin *plugin;
  const rh_strategy *strategy;
  /* Set by rh_trial_device(): where the strategy runs.  session: null for a host strategy. */
  rh_cl_session *session;
  const rh_device *device;
  rh_error error; /* why the test fails or is skipped; of any call that needs one */
  int warns;      /* the text is a warning */
  void *user;
  void (*say_phase)(void *user, const char *phase);
} rh_trial;

/* The request to a child. */
rh_status rh_trial_request(rh_text *to, const rh_trial *trial, rh_error *error);
/* Runs its test in this process.  trial->error has the text of an outcome other than RH_PASS. */
rh_outcome rh_trial_run(rh_trial *trial);

/* Announces which of the plugin's code runs next; the parent names it if it does not return. */
void rh_trial_phase(rh_trial *trial, const char *phase);

/* Set the text and return RH_E_WRONG, RH_E_WRONG and RH_DECLINED, for `return rh_trial_fail(...)`.
 * An argument may be trial->error.message. */
rh_status rh_trial_fail(rh_trial *trial, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
rh_status rh_trial_warn(rh_trial *trial, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
rh_status rh_trial_skip(rh_trial *trial, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Where a strategy may decline. */
static inline rh_status rh_unless_declined(rh_status status) {
  return status == RH_DECLINED ? RH_OK : status;
}

/* Sets trial->plugin and trial->strategy, or skips the test: V10 to V20 fail files that cannot be
 * loaded. */
rh_status rh_trial_load(rh_trial *trial);
/* Sets trial->session and trial->device, or skips the test. */
rh_status rh_trial_device(rh_trial *trial);
/* A copy with a context of its own, opened with these options; the caller closes that. */
rh_status rh_trial_copy(rh_trial *copy, rh_trial *trial, const rh_options *options);

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

/* RH_OK: passed; RH_DECLINED: skipped; else failed, or a warning. */
typedef rh_status rh_test_run(rh_trial *trial);

struct rh_test {
  const char *id, *title;
  rh_test_run *run;
  uint32_t needs;
  uint32_t of;                   /* RH_OF_* */
  uint32_t variants;             /* processes it runs in; the worst outcome counts */
  uint32_t limit_s;              /* of silence */
  double usual_s, usual_quick_s; /* typical times on two cores, for the forecast */
};

/* All tests, in order. */
const rh_test *rh_tests(uint32_t *n);

#define RH_X(id, name, ...) rh_test_run rh_##name;
RH_TEST_LIST(RH_X)
#undef RH_X
