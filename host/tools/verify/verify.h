/* Conformance: every rule of the plugin ABI tried on a plugin, each test in a child process of its
 * own.  docs/verify.md lists the tests. */
#ifndef RH_VERIFY_VERIFY_H
#define RH_VERIFY_VERIFY_H

#include <redhost/redhost.h>

/* CRASH and TIMEOUT are the parent's: the child could not say anything. */
#define RH_VERDICT_LIST(X)                                                                         \
  X(PASS, "pass")                                                                                  \
  X(SKIP, "skip") /* does not apply, or cannot be tried here: the text says why */                 \
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

/* Does the plugin fall short? */
static inline int rh_outcome_is_bad(rh_outcome outcome) {
  return outcome >= RH_FAIL;
}

typedef struct rh_verified {
  const char *test, *title; /* "V42", "tier 1: ..."; constant */
  char *strategy;           /* null: the test is about the file */
  rh_outcome outcome;
  char *text;  /* what was found; "" */
  char *again; /* a command that does this one test again */
  double seconds;
} rh_verified;

typedef struct rh_verify_spec {
  const char *file;              /* the plugin; any path */
  const char *strategy;          /* only this one; null: all that are in the file */
  const char *include, *exclude; /* "V01,V10-V15"; null: all, none */
  uint64_t seed;
  uint32_t quick;      /* 1: a preset of about ten seconds; 2: one operator and type a test */
  double silence_s;    /* so long may a test say nothing; 0: as long as each test says */
  uint32_t in_process; /* 1: no children, for a debugger: a crash is one */
  double random_s;     /* how long V53 tries random cases; 0: by the preset */
  void *user;
  /* Before each test, with how many there are, and how long they will take by the forecast and at
   * most; may be null. */
  void (*begin)(void *user, const char *test, const char *strategy, uint32_t done, uint32_t total,
                double left_s, double most_s);
  /* After each. */
  void (*end)(void *user, const rh_verified *verified);
} rh_verify_spec;

typedef struct rh_verify_report {
  char *path; /* absolute */
  rh_verified *results;
  uint32_t n;
  uint32_t counts[RH_TIMEOUT + 1]; /* by outcome */
  double seconds;
} rh_verify_report;

/* Tests one plugin file.  RH_OK whatever the verdicts are.  RH_E_FILE: the file is none, or no
 * plugin; RH_E_USAGE: an unknown test or strategy.  `options` choose the device, the cache and the
 * program. */
rh_status rh_verify(rh_verify_report *report, const rh_options *options, const rh_verify_spec *spec,
                    rh_error *error);
void rh_verify_report_finish(rh_verify_report *report);

/* The child's side: `redhost --trial` calls this and exits with what it returns. */
int rh_trial_main(void);

#endif
