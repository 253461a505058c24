/* Conformance tests of every rule for plugins and transports, each in a child process of its own.
 * docs/extend/verify.md lists them. */
#pragma once

#include <redhost/redhost.h>

/* The parent sets CRASH and TIMEOUT, because the child could not report them. */
#define RH_VERDICT_LIST(X)                                                                         \
  X(PASS, "pass")                                                                                  \
  X(SKIP, "skip") /* does not apply, or cannot be tested here: the text says why */                \
  X(WARN, "warn") /* allowed, and worth knowing */                                                 \
  X(FAIL, "fail")                                                                                  \
  X(CRASH, "crash")                                                                                \
  X(TIMEOUT, "timeout")
typedef enum rh_outcome {
#define RH_X(name, word) RH_##name,
  RH_VERDICT_LIST(RH_X)
#undef RH_X
} rh_outcome;

const char *rh_outcome_name(rh_outcome outcome); /* "pass" */

/* Does the plugin break a rule? */
static inline int rh_outcome_is_bad(rh_outcome outcome) { return outcome >= RH_FAIL; }

typedef struct rh_verified {
  const char *test, *title; /* "V42", "tier 1: ..."; constant */
  char *strategy;           /* null: a test of the file */
  rh_outcome outcome;
  char *text;  /* the finding, or "" */
  char *again; /* a command that repeats this test */
  double seconds;
} rh_verified;

typedef struct rh_verify_spec {
  const char *file;              /* the plugin; any path */
  const char *strategy;          /* only this one; null: all in the file */
  const char *include, *exclude; /* "V01,V10-V15"; null: all, none */
  /* The operator of V69, as an operation's text, and the options that name it, as they are typed;
   * null: V69 is left out unless it is included by name. */
  const char *own, *own_words;
  /* How a job of several ranks is started, for transports: a command of the shell in which "{n}" is
   * their number; null: tests that need one are skipped. */
  const char *launch;
  uint64_t seed;
  uint32_t quick;      /* 1: a preset of about ten seconds; 2: one operator and type a test */
  double silence_s;    /* how long a test may be silent; 0: each test's own limit */
  uint32_t in_process; /* 1: no child processes, for a debugger; a crash takes redhost down */
  void *user;
  /* Called before each test with the number of tests done and in total, the forecast time left,
   * and the most time that is left; may be null. */
  void (*begin)(void *user, const char *test, const char *strategy, uint32_t done, uint32_t total,
                double left_s, double most_s);
} rh_verify_spec;

typedef struct rh_verify_report {
  char *path; /* absolute */
  rh_verified *results;
  uint32_t n;
  uint32_t counts[RH_TIMEOUT + 1]; /* by outcome */
  double seconds;
} rh_verify_report;

/* Tests the file of a plugin or a transport.  RH_OK regardless of the verdicts.  RH_E_FILE: not a
 * regular file, or neither of them; RH_E_USAGE: an unknown test or strategy.  `options` choose the
 * device, the cache and the program.  The caller finishes the report, after a failure, too. */
rh_status rh_verify(rh_verify_report *report, const rh_options *options, const rh_verify_spec *spec,
                    rh_error *error);
void rh_verify_report_finish(rh_verify_report *report);

/* The child's side: `redhost --trial` calls this and exits with what it returns. */
int rh_trial_main(void);

/* The rank's side: `redhost --rank REPORT ORDER` calls this and exits with what it returns.  The
 * test of a transport has it started by a launcher. */
int rh_rank_main(const char *report, const char *order);
