/* Conformance tests: what each of them is given, and how it judges. */
#pragma once

#include "../../core/run/run.h"
#include "../../engine/ranks/ranks.h"
#include "verify.h"

#define RH_COUNT(array) (sizeof(array) / sizeof *(array))

/* Memory between inaccessible pages: at least as many bytes as were asked for, zeroed, from the
 * beginning of a page to the end of one. */
typedef struct rh_guard {
  unsigned char *begin, *end;
} rh_guard;

rh_status rh_guard_map(rh_guard *guard, size_t bytes, rh_error *error);
void rh_guard_unmap(rh_guard *guard); /* zero-initialised is fine */

/* Memory, or a device's buffer, of which only a part may be written: all other bytes are poison. */
typedef struct rh_watched {
  unsigned char *memory;  /* or */
  rh_cl_session *session; /* with */
  cl_mem buffer;
  uint64_t bytes, first, n; /* all of it, and the part */
  unsigned char poison;
} rh_watched;

/* Fills a part of it with poison. */
rh_status rh_watched_fill(const rh_watched *watched, uint64_t at, uint64_t bytes, rh_error *error);
/* *away: 0, or how many bytes before (negative) or behind the part another one was written. */
rh_status rh_watched_check(const rh_watched *watched, int64_t *away, rh_error *error);

/* A pair of buffers, one for an input and one for results, with poison around the range and the
 * result. */
enum { RH_POISON = 0xAA };
typedef struct rh_fixture {
  rh_cl_session *session; /* null for a host strategy */
  uint32_t element_size;

  uint64_t elements;            /* that the input holds, including the range */
  unsigned char *memory, *copy; /* the input on the host, and a buffer to compare it with, or null
                                 * if the input is the caller's */
  cl_mem input;

  uint64_t slots, index; /* values that the result holds; the one to be written */
  /* The result; of very many slots on the host, indices wrap around.  A host strategy has no
   * of_device.buffer. */
  rh_watched of_host, of_device;
} rh_fixture;

/* Allocates `slots` result values of type `row`, all poison, and an uninitialised input of
 * `elements`; releases what the place had before.  memory: null, or the input of the caller's,
 * which outlives the place: a device that works in the host's memory uses it in place, others get a
 * copy, and rh_fixture_check_input must not be called. */
rh_status rh_fixture_make(rh_fixture *place, rh_cl_session *session, const rh_op *row,
                          unsigned char *memory, uint64_t elements, uint64_t slots,
                          rh_error *error);
void rh_fixture_finish(rh_fixture *place); /* zero-initialised is fine */

/* That element of the input, as it was written last. */
const unsigned char *rh_fixture_at(const rh_fixture *place, uint64_t element);
/* Copies `memory` to the device's input. */
rh_status rh_fixture_write(rh_fixture *place, rh_error *error);
/* The result goes to `index` from now on; the previous slot becomes poison again. */
rh_status rh_fixture_aim(rh_fixture *place, uint64_t index, rh_error *error);
/* Fills the slot to be written with poison. */
rh_status rh_fixture_clear(rh_fixture *place, rh_error *error);
/* Reads n values from that slot on, which the run wrote on the host or on the device. */
rh_status rh_fixture_fetch(rh_fixture *place, int on_host, uint64_t n, void *values,
                           rh_error *error);
/* RH_E_WRONG if anything but the result's slot was written; or if the input has changed. */
rh_status rh_fixture_check_result(rh_fixture *place, rh_error *error);
rh_status rh_fixture_check_input(rh_fixture *place, rh_error *error);

/* The state of this process that a plugin must not change, as lines of text that can be compared:
 * the keys of an object.  The kernel is asked where it knows the answer: libc's own records miss
 * changes made by raw system calls. */

/* Its parts, in the order of reports: X(name, what adds its lines, in messages, how they are
 * compared; see state.c) */
#define RH_STATE_LIST(X)                                                                           \
  X(STREAMS, take_streams, "the standard streams", 0)                                              \
  X(CHILDREN, take_children, "child processes", MAY_GO)                                            \
  X(SIGNALS, take_signals, "signals and timers", 0)                                                \
  X(ENVIRONMENT, take_environment, "the environment", 0)                                           \
  X(LOCALE, take_locale, "the locale", 0)                                                          \
  X(DIRECTORIES, take_directories, "directories and the file mode mask", 0)                        \
  X(ATTRIBUTES, take_attributes, "process attributes", 0)                                          \
  X(FLOATING, take_floating, "the floating-point control word", 0)                                 \
  X(DESCRIPTORS, take_descriptors, "open descriptors", MAY_HOLD | MAY_SETTLE)                      \
  X(THREADS, take_threads, "threads", MAY_HOLD | MAY_GO | MAY_SETTLE)                              \
  X(CODE, take_code, "writable and executable memory", MAY_GO | MAY_SETTLE)                        \
  X(FILES, take_files, "mapped files", MAY_HOLD | MAY_GO | MAY_SETTLE)                             \
  X(LIBRARIES, take_libraries, "loaded libraries", MAY_GO)
enum {
#define RH_X(name, take, words, how) RH_STATE_##name,
  RH_STATE_LIST(RH_X)
#undef RH_X
      RH_STATE_PARTS
};

json_t *rh_state_take(int part); /* now */
/* Bytes of anonymous private memory that malloc does not account for; 0 if malloc does not tell. */
uint64_t rh_state_other_memory(void);
/* "PID (NAME)" of a process, whose name may hold anything, its state and its parent; 0: none. */
int rh_state_process(const char *pid, char who[512], char *state, int *parent);

/* Finds what a plugin's code changes in its process: compares its state from before and after it
 * runs, without the changes that the host and the drivers make in between.
 *
 * The plugin's own code runs during its phases, except inside the host services that it calls.
 * The host and the drivers work inside these services and between the phases.  Their changes are
 * applied to the state that the plugin is compared with, so no list of each driver's side effects
 * is needed. */

/* Zero-initialised is ready.  Every function accepts a null pointer and then does nothing. */
typedef struct rh_footprint {
  /* Of each part: what is expected, from before the plugin ran, with the host's and drivers'
   * changes; lines that the host and drivers added, which may stay or go; and those when the
   * plugin's code last returned or called the host. */
  json_t *base[RH_STATE_PARTS], *allowed[RH_STATE_PARTS], *outside[RH_STATE_PARTS];
  uint32_t unsteady; /* bits of parts that are not compared */
  int part;          /* the part with the first change */
  char said[1024];   /* "setup changes the environment: no longer 'HOME=/root'", or "" */
} rh_footprint;

/* The plugin's code is about to run: in a phase, or because the host returns to it.  Kernels run
 * while the host works, and their output counts as the plugin's. */
void rh_footprint_enter(rh_footprint *footprint, int kernels_may_print);
/* It calls the host. */
void rh_footprint_leave(rh_footprint *footprint);
/* It has returned: checks the phase.  ends: no instance is left that may hold anything. */
void rh_footprint_judge(rh_footprint *footprint, const char *phase, int ends);
/* Such a line may come. */
void rh_footprint_allow(rh_footprint *footprint, int part, const char *line);
void rh_footprint_finish(rh_footprint *footprint);

/* ---- The tests of docs/extend/verify.md: by number, in the order in which they run ---- */

/* clang-format off */
#define RH_TEST_LIST(X) \
  X(01) X(02) X(03) X(04) X(05) X(06) X(07) X(08) X(09) X(10) X(11) X(12) X(13) X(14) X(15) \
  X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(59) X(23) X(24) X(25) X(26) X(27) X(28) X(29) \
  X(30) X(31) X(32) X(33) X(34) X(35) X(36) X(37) X(38) X(39) X(40) X(41) X(42) X(43) X(44) \
  X(45) X(46) X(47) X(48) X(49) X(50) X(51) X(52) X(53) X(54) X(55) X(56) X(57) X(58) X(60) \
  X(65) X(66) X(67) X(68) X(69) X(61) X(62) X(63) X(64) X(84) X(85) X(70) X(71) X(72) X(73) \
  X(74) X(75) X(76) X(77) X(78) X(79) X(80) X(81) X(82) X(83)
/* clang-format on */

/* ---- The context in which one test of one plugin runs ---- */

typedef struct rh_test rh_test;

typedef struct rh_trial {
  /* What the parent asks for.  test null: the names of the plugin's strategies. */
  const rh_options *options;
  const rh_test *test;
  const char *path;          /* of the plugin's file, absolute */
  const char *strategy_name; /* null: the first one in the file */
  const char *own;           /* of the operator that is named: an operation's text; or null */
  const char *launch;        /* how a job of several ranks is started; {n}: their number; or null */
  uint64_t seed, quick, variant; /* variant: from 0, if a test runs in several processes */

  /* Where it runs. */
  int channel;         /* to the parent; the process is the test's own.  0: it is not */
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
} rh_trial;

/* Runs its test in this process.  trial->error has the text of an outcome other than RH_PASS. */
rh_outcome rh_trial_run(rh_trial *trial);
/* Bytes on standard output and error, which the parent made one file; -1: they are none. */
long long rh_printed_so_far(void);
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

/* RH_OK: passed; RH_DECLINED: skipped; else failed, or a warning. */
typedef rh_status rh_test_run(rh_trial *trial);

struct rh_test {
  const char *id, *title;
  rh_test_run *run;
  enum {
    RH_NEEDS_NOTHING,     /* before it starts: the file alone */
    RH_NEEDS_PLUGIN,      /* loaded and validated */
    RH_NEEDS_INTERPRETER, /* and runs in an interpreter, whose own crash is not the plugin's */
    RH_NEEDS_DEVICE       /* and a session on a device, unless the strategy is host code */
  } needs;
  enum {
    RH_OF_FILE,      /* of every file, once */
    RH_OF_PLUGIN,    /* of a plugin's file, once */
    RH_OF_STRATEGY,  /* of each strategy in a plugin */
    RH_OF_TRANSPORT, /* of a transport's file, once */
  } of;
  uint32_t variants;             /* processes it runs in; the worst outcome counts */
  uint32_t limit_s;              /* of silence */
  double usual_s, usual_quick_s; /* typical times on two cores, for the forecast */
};

#define RH_X(number) extern const rh_test rh_v##number;
RH_TEST_LIST(RH_X)
#undef RH_X

/* They are numbered without a gap. */
#define RH_X(number) +1
enum { RH_N_TESTS = RH_TEST_LIST(RH_X) };
#undef RH_X
extern const rh_test *const rh_tests[RH_N_TESTS];

/* Each kind of test says what it needs, what it is of, in how many processes it runs, how long it
 * may be silent, and what it usually takes: in full, and with --quick. */
#define RH_FILE_TEST             RH_NEEDS_NOTHING, RH_OF_FILE, 1, 20, 0.05, 0.05
#define RH_LOADING_TEST          RH_NEEDS_NOTHING, RH_OF_PLUGIN, 1, 20, 0.05, 0.05
#define RH_QUERY_TEST            RH_NEEDS_PLUGIN, RH_OF_STRATEGY, 1, 20, 0.3, 0.1
#define RH_RUN_TEST(s, quick)    RH_NEEDS_DEVICE, RH_OF_STRATEGY, 1, 60, s, quick
#define RH_TRANSPORT_TEST        RH_NEEDS_NOTHING, RH_OF_TRANSPORT, 1, 20, 0.1, 0.1
#define RH_JOB_TEST(n, s, quick) RH_NEEDS_NOTHING, RH_OF_TRANSPORT, n, 120, s, quick

/* Defines test V`number`; behind the title stands its kind.  The body has `trial`. */
#define RH_TEST(number, title, ...)                                                                \
  static rh_test_run run_v##number;                                                                \
  const rh_test rh_v##number = {"V" #number, title, run_v##number, __VA_ARGS__};                   \
  static rh_status run_v##number(rh_trial *trial)
/* One that is a call. */
#define RH_TEST_IS(number, title, call, ...)                                                       \
  RH_TEST(number, title, __VA_ARGS__) { return call; }

/* A test rig: runs one strategy on one problem as the host does, but watches every service and
 * injects faults on demand. */

enum { RH_AROUND = 64, RH_RIG_STRUCTS = 8, RH_MOST_FENCED = 48 };

typedef struct rh_pair {
  uint32_t op;
  rh_type type;
} rh_pair;

/* Null or 0 in each field: as usual. */
typedef struct rh_rig_with {
  const rh_op *row; /* another operator, of the same type; without a prelude: with the usual one */
  const int64_t *params;
  const rh_device *device; /* the description given to the plugin */
  enum rh_rig_layout {
    RH_RIG_PLAIN, /* how the structs lie that it is given */
    RH_RIG_EXACT, /* as small as in ABI 1.0, each followed by an inaccessible page */
    RH_RIG_GROWN  /* larger than today's, with garbage in the new part */
  } layout;
  uint32_t fail_at;        /* the service call that is made to fail, from 1 */
  const char *in_front;    /* put before the operator's source */
  rh_footprint *footprint; /* the state of the process is compared */
  enum rh_rig_fence {
    RH_FENCE_NONE,
    RH_FENCE_BEHIND,  /* the memory that the plugin requests */
    RH_FENCE_IN_FRONT /* of it, too: scratch memory is a sub-buffer, which can have none itself */
  } fence;
  const rh_layout *segments; /* what all runs reduce; borrowed */
  uint64_t results_at;       /* and the index of the first one's value: 1 or 2 */
  int is_refused;            /* setup is called whatever query answers */
  int has_no_place;          /* the caller makes one in rig->own before the first run */
} rh_rig_with;

typedef struct rh_rig {
  rh_services services; /* first: rig->host->priv is both */
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
  rh_host *host; /* given to the plugin: watches each call and forwards it to `services` */
  void *self;
  int is_set_up;
  rh_error *error; /* the trial's */
  rh_guard structs[RH_RIG_STRUCTS];
  uint32_t n_structs;
  struct rh_fenced { /* the memory that was requested, if there is a fence; not all of very much */
    rh_watched watched;
    rh_guard guard; /* of memory */
    cl_mem part;    /* of a buffer that has bytes in front */
  } fenced[RH_MOST_FENCED];
  uint32_t n_fenced;

  rh_fixture own, *place; /* place: the one that runs use */
  const char *run_phase;  /* how a run is named if it does not return; null: "run" */
  unsigned char poison;   /* fills the input outside the range */
  uint64_t first, n;      /* the range in the place's input */

  /* Counted since setup, or in the last run where it says so. */
  uint32_t calls;                       /* service calls */
  int injected;                         /* the fault was injected */
  _Alignas(16) unsigned char value[16]; /* of the last run */
  uint32_t reads;                       /* of the last run */
  uint64_t local_bytes;                 /* the maximum of one launch */
  uint64_t code;                        /* hash of every source and its options */
  const char *left_fpstate; /* the function that changed the floating-point control word, or null */
} rh_rig;

/* Asks query, and sets up an instance for max_n elements, with a place that has RH_AROUND more on
 * either side.  with: null: as usual.  All functions set *rig->error when they fail; the caller
 * finishes the rig after a failure, too. */
rh_status rh_rig_open(rh_rig *rig, rh_trial *trial, rh_pair pair, uint64_t max_n,
                      const rh_rig_with *with);
/* Fills in `n` elements of `kind`, starting at element `first` of the place's input, with poison
 * around them. */
rh_status rh_rig_fill(rh_rig *rig, const char *kind, uint64_t seed, uint64_t n, uint64_t first);
/* What runs reduce from now on, as many segments as before. */
rh_status rh_rig_take_segments(rh_rig *rig, const rh_layout *segments);
/* Reduces the elements that were filled in, or those given by `place`, `first` and `n`. */
rh_status rh_rig_run(rh_rig *rig);
/* Fill and run. */
rh_status rh_rig_reduce(rh_rig *rig, const char *kind, uint64_t seed, uint64_t n, uint64_t first);
/* RH_OK, or RH_E_WRONG and a message. */
rh_status rh_rig_judge(rh_rig *rig, const unsigned char value[16]);
/* Was that the last run's value? */
int rh_rig_gave(const rh_rig *rig, const unsigned char *value);
/* RH_E_WRONG, with the byte, if an access was out of bounds. */
rh_status rh_rig_check_fence(rh_rig *rig);
void rh_rig_teardown(rh_rig *rig);
void rh_rig_finish(rh_rig *rig); /* zero-initialised is fine */

/* Fill, run and judge.  *rig->error names the case. */
rh_status rh_rig_case(rh_rig *rig, const char *kind, uint64_t seed, uint64_t n, uint64_t first);
/* Cases of every kind of data at every size that the rig is set up for, `times` each; the range
 * begins at one of the first `offsets` elements. */
#define RH_KINDS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define RH_SIZES(...) ((const uint64_t[]){__VA_ARGS__, 0})
rh_status rh_rig_cases(rh_rig *rig, uint64_t seed, const char *const *kinds, const uint64_t *at,
                       uint64_t times, uint64_t offsets);

/* ---- The problems that a strategy is tried on ---- */

enum { RH_MOST_PAIRS = RH_N_OPS * RH_N_TYPES };
typedef struct rh_pairs {
  rh_pair list[RH_MOST_PAIRS];
  uint32_t n;
} rh_pairs;

/* The pairs of operator and type that the strategy serves here, for max_n elements with its
 * default parameters, those first that are likeliest to expose a fault; of a quick run, so many as
 * it has time for.  RH_DECLINED if there is none. */
rh_status rh_served_pairs(rh_trial *trial, uint64_t max_n, uint32_t most_when_quick,
                          rh_pairs *pairs);

/* One served pair of each kind that a strategy may treat in its own way: the first of all, one
 * whose bits depend on the order, and one that returns an index. */
rh_status rh_pair_kinds(rh_trial *trial, uint64_t max_n, rh_pairs *kinds);

/* Cases on a rig that is set up, until one fails; null: none. */
typedef rh_status rh_try_rig(rh_rig *rig, uint64_t seed);
/* Tries an instance for this pair. */
rh_status rh_try_pair(rh_trial *trial, rh_pair pair, uint64_t max_n, const rh_rig_with *with,
                      rh_try_rig *try);
/* Tries each served pair that is `wanted` (null: all) on a separate instance, set up for max_n. */
rh_status rh_try_pairs(rh_trial *trial, uint64_t max_n, uint32_t most_when_quick,
                       int (*wanted)(rh_pair), const rh_rig_with *with, rh_try_rig *try);
/* Tries the simplest problem that is served. */
rh_status rh_try_one(rh_trial *trial, uint64_t max_n, enum rh_rig_layout layout, rh_try_rig *try);
/* One simple case, of all max_n elements, from query to teardown. */
rh_status rh_try_any_problem(rh_trial *trial, uint64_t max_n);

/* Tests that consist of such cases; a body has `rig` and `seed`. */
#define RH_CASES_TEST(number, title, tries, ...)                                                   \
  static rh_try_rig try_v##number;                                                                 \
  RH_TEST_IS(number, title, tries, __VA_ARGS__)                                                    \
  static rh_status try_v##number(rh_rig *rig, uint64_t seed)
#define RH_PAIRS_TEST(number, title, max_n, most_when_quick, wanted, ...)                          \
  RH_CASES_TEST(number, title,                                                                     \
                rh_try_pairs(trial, max_n, most_when_quick, wanted, NULL, try_v##number),          \
                __VA_ARGS__)
#define RH_RIG_TEST(number, title, max_n, ...)                                                     \
  RH_CASES_TEST(number, title, rh_try_one(trial, max_n, RH_RIG_PLAIN, try_v##number), __VA_ARGS__)
/* One case over all elements: hashed data. */
rh_try_rig rh_one_case;

/* The real device's description with other numbers or names, on which a launch shape may depend
 * but which are safe here.  `how` says what was changed; 0 after the last. */
int rh_other_device(const rh_device *real, uint32_t k, rh_device *device, char how[160]);

/* The k-th point.  First the defaults; then each parameter at its least and its greatest value,
 * the others at their defaults; then all at their least and all at their greatest; then random
 * legal points without end, from trial->seed. */
void rh_point(const rh_trial *trial, uint32_t k, int64_t params[RH_MAX_PARAMS]);
/* The number of points before the random ones, and so many of these; 1 without parameters. */
uint32_t rh_n_points(const rh_strategy *strategy, uint32_t random);
/* The least (0) or the greatest legal value. */
int64_t rh_end_value(const rh_param *param, int greatest);
/* " --param tile=4 --param ..." of those that differ from the defaults. */
void rh_point_words(const rh_strategy *strategy, const int64_t *params, rh_text *words);

/* ---- Calls a strategy's query directly, bypassing the host's own checks ---- */

typedef struct rh_question {
  uint32_t op;
  rh_type type;
  rh_device device;
  uint64_t n;
  int64_t params[RH_MAX_PARAMS];
  uint32_t next; /* rh_next_question()'s */
  rh_status said;
  rh_answer answer;
} rh_question;

/* Sets said and answer, which is zeroed before, as the host does.  Each question's structs have
 * other addresses.  The type may be unknown. */
void rh_ask(const rh_strategy *strategy, rh_question *question);
/* Is the answer the same again? */
int rh_asks_again(const rh_strategy *strategy, const rh_question *question);
/* 0: the host declines such a problem itself, so the strategy's query never sees it. */
int rh_reaches_query(const rh_strategy *strategy, const rh_question *question);

/* Every combination of operator, type, common device and so many sizes from 0 to 2^40, with the
 * default parameters, and the answer:
 *
 *     rh_question q = rh_first_question(trial);
 *     while (rh_next_question(trial, &q)) { ... } */
enum { RH_N_ASKED = 6 };
rh_question rh_first_question(rh_trial *trial);
int rh_next_question(const rh_trial *trial, rh_question *question);

/* Like rh_trial_fail(), with "sum of f32 on a GPU, n = 1000: " before the text. */
rh_status rh_question_fail(rh_trial *trial, const rh_question *question, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- A trial in a child process, read from for as long as it sends something ---- */

typedef struct rh_time_limits {
  double silence_s, busy_s; /* of silence: on its stopwatch, and in processor time */
  double most_s;            /* in total, on its stopwatch */
  double end_s;             /* until it ends, after its verdict */
} rh_time_limits;

typedef struct rh_attempt {
  rh_outcome outcome;
  char *text;
  uint64_t digest;
  json_t *names;
  char phase[64];     /* the last one it named */
  double spent_s;     /* on its stopwatch, until its end was seen */
  int is_late_to_end; /* it gave its verdict, but had to be killed */
} rh_attempt;

rh_status rh_attempt_run(rh_attempt *attempt, const char *program, const rh_trial *trial,
                         const rh_time_limits *limits, rh_error *error);
void rh_attempt_set(rh_attempt *attempt, rh_outcome outcome, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void rh_attempt_finish(rh_attempt *attempt);

/* ---- The ranks of a job that tests a transport ---- */

/* All of them do this, after they have joined it. */
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

/* What a rank has reported so far.  It appends this to a file, which all ranks of a job and the
 * test share, each time that it changes. */
typedef struct rh_rank_said {
  pid_t pid;
  char host[64];
  int has_joined, is_ready, has_closed; /* is_ready: it has gathered several times */
  rh_rank_place place;                  /* if it has joined */
  double broken_s;                      /* how long its gather took that broke; 0: none did */
  char wrong[512];                      /* its first finding, or "" */
} rh_rank_said;

/* For the text that a transport writes, one sentence, terminated: as many bytes as transport.h
 * promises at least, before a page that cannot be written, so that a longer text crashes.  One
 * array for the whole process; each call makes it blank. */
enum { RH_SENTENCE_BYTES = 256 };
char *rh_sentence_room(void);
/* Null, or what is wrong with the text that was written there: "writes no sentence". */
const char *rh_sentence_fault(const char *text);

/* ---- A shared object's file, read without running any of its code ---- */

/* A plugin and a transport export these. */
#define RH_PLUGIN_SYMBOL    "redhost_plugin_v1"
#define RH_TRANSPORT_SYMBOL "redhost_transport_v1"

typedef struct rh_image_symbol {
  const char *name;
  uint32_t defined, weak, unique; /* unique: STB_GNU_UNIQUE */
} rh_image_symbol;

/* Strings point into the file's bytes. */
enum { RH_MOST_NEEDED = 64 };
typedef struct rh_image {
  rh_elf elf;
  char *path;
  rh_image_symbol *symbols;           /* global and weak ones, and one without a name */
  const char *needed[RH_MOST_NEEDED]; /* DT_NEEDED */
  uint32_t n_needed;
  uint64_t strings, strings_size; /* of the dynamic section: an address in memory */
  const char *rpath;              /* DT_RUNPATH, else DT_RPATH; null if there is none */
  uint32_t static_tls, text_relocations, executable_stack, relro, bind_now;
} rh_image;

/* As rh_elf_read(); RH_E_PLUGIN, too, if the file contradicts itself. */
rh_status rh_image_read(rh_image *image, const char *path, rh_error *error);
void rh_image_finish(rh_image *image);
int rh_image_defines(const rh_image *image, const char *symbol);

/* A library that every system has, one of the compiler's, or the OpenCL loader. */
int rh_library_is_ordinary(const char *soname);

/* The libraries that a file needs, and those that they need: the loader finds them, and runs none
 * of their code. */
enum { RH_MOST_LIBRARIES = 128 };
typedef struct rh_libraries {
  rh_image list[RH_MOST_LIBRARIES];
  uint32_t n;
} rh_libraries;

/* RH_E_PLUGIN if one is not found. */
rh_status rh_libraries_read(rh_libraries *libraries, const char *path, rh_error *error);
void rh_libraries_finish(rh_libraries *libraries);

/* ---- A plugin's own calls into libraries, by its table of imports ---- */

/* An imported function, its replacement, and where to put the function itself; null: nowhere. */
typedef struct rh_redirect {
  const char *name;
  void (*to)(void);
  void (**real)(void);
} rh_redirect;

/* Redirects these functions until rh_imports_restore(). 0 if this machine's relocations are not
 * supported. */
int rh_imports_redirect(const char *path, const rh_redirect *table, size_t n);
void rh_imports_restore(void);
/* The same with functions that count the file's calls: of memory functions (malloc etc.) and of
 * OpenCL. */
int rh_imports_watch(const char *path);

typedef struct rh_imports_seen {
  unsigned memory, waits, opencl; /* waits: clFinish etc.; opencl: those that query must not call */
  const char *last;               /* the name of the last of these, or "" */
  uint32_t launches;
  uint64_t buffer_bytes; /* allocated in total */
  uint64_t code;         /* hash of every source and its options; 0: none */
  /* Not only since then: mappings that the file made by mmap and has not unmapped; negative if it
   * unmapped one in parts. */
  int mapped;
} rh_imports_seen;

/* The counts since the last call. */
rh_imports_seen rh_imports_take(void);

/* Keeps every processor busy, so that other threads are scheduled in another order each time. */
void rh_load_start(void);
void rh_load_stop(void);
