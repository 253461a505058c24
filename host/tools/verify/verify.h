/* The conformance tests of a strategy. */
#pragma once

#include <redhost/redhost.h>

/* One rank of a job that tests a transport: what the launcher starts, and what the rank reports.
 *
 * The ranks and the test share a file on one host.  Each rank appends lines to it: what it does,
 * and what it finds wrong. */

/* All ranks of a job do this, after they have joined it. */
typedef enum rh_rank_task {
  RH_RANK_GREET,  /* one gather, and they leave */
  RH_RANK_SIZES,  /* gathers of every kind of size */
  RH_RANK_MANY,   /* many gathers, at varying speed, on busy processors */
  RH_RANK_LATE,   /* `special` comes late to one of them */
  RH_RANK_LASTS,  /* they gather until the job breaks, and abort it then */
  RH_RANK_LEAVES, /* the same, but `special` ends without a word */
  RH_RANK_ABORTS, /* the same, but `special` aborts the job */
  RH_RANK_CLOSES, /* they leave at different times */
  RH_RANK_STATE   /* like GREET, while each looks what the transport changes in its process */
} rh_rank_task;

/* Seconds that ranks which wait for a lost one give to gather. */
#define RH_RANK_PATIENCE_S 2.0

/* The rank's side: `redhost --rank REPORT ORDER` calls this and exits with what it returns.  ORDER
 * is "TASK,SIZE,SPECIAL,SEED,TRANSPORT", four numbers and a path.  The lines that the rank adds to
 * the file REPORT begin with its process id and host, a word each:
 *     begin               it has read its task
 *     joined RANK SIZE LOCAL
 *     ready               it has gathered several times
 *     broke SECONDS       gather failed, after this time
 *     wrong TEXT          a finding
 *     closed              close has returned */
int rh_rank_main(const char *report, const char *order);

/* Texts that a transport writes into a caller's array: one sentence, terminated, within its bytes.
 * The least that transport.h promises: */
enum { RH_SENTENCE_BYTES = 256 };
/* RH_SENTENCE_BYTES before a page that cannot be written, so that a longer text crashes.  One array
 * for the whole process; each call makes it blank. */
char *rh_sentence_room(void);
/* Null, or what is wrong with the text that was written there: "writes no sentence". */
const char *rh_sentence_fault(const char *text);

/* Conformance tests: check every rule for plugins and transports, each test in a separate child
 * process.
 * docs/extend/verify.md lists the tests. */

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
  /* The operator of V69, as an operation's text, and the options that name it; null: V69 is
   * left out unless it is included by name. */
  const char *own;
  const char *const *own_words;
  uint32_t n_own_words;
  /* How a job of several ranks is started, for transports: a command of the shell in which "{n}" is
   * their number; null: tests that need one are skipped. */
  const char *launch;
  uint64_t seed;
  uint32_t quick;      /* 1: a preset of about ten seconds; 2: one operator and type a test */
  double silence_s;    /* how long a test may be silent; 0: each test's own limit */
  uint32_t in_process; /* 1: no child processes, for a debugger; a crash takes redhost down */
  double random_s;     /* how long V53 tries random cases; 0: the preset's time */
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
 * device, the cache and the program. */
rh_status rh_verify(rh_verify_report *report, const rh_options *options, const rh_verify_spec *spec,
                    rh_error *error);
void rh_verify_report_finish(rh_verify_report *report);

/* The child's side: `redhost --trial` calls this and exits with what it returns. */
int rh_trial_main(void);
