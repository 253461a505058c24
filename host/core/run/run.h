/* One reduction by one strategy: context, operands, parameters, instance, job, and its check. */
#pragma once

#include "../check/check.h"
#include "../cl/cl.h"
#include "../plug/plug.h"

/* ---- The caller's options, and everything that was opened and found so far ---- */

struct rh_job;
struct rh_known;
typedef struct rh_context rh_context;

/* rh_choosing, which stands above a context and knows operators and what was measured; or null,
 * where nothing is tuned and no operator is a user's. */
typedef struct rh_context_calls {
  /* Enters the parameters that are the best known ones into a job that was opened. */
  rh_status (*use_tuned)(struct rh_job *job, rh_error *error);
  void (*wrong)(rh_context *context, const char *strategy, const char *path, const rh_operator *op,
                uint64_t n); /* rh_context_blame() */
  /* RH_E_PLUGIN if the user's operator breaks its laws on these elements. */
  rh_status (*examine)(const rh_operator *op, const rh_arrays *arrays, uint64_t first, uint64_t n,
                       rh_error *error);
  void (*finish)(struct rh_known *known); /* may be null */
  rh_describe *describe;                  /* rh_plugin_open() */
} rh_context_calls;

/* Devices are discovered when one is first needed: host strategies, and --list on a machine without
 * a driver, never use OpenCL. */
struct rh_context {
  rh_options options;          /* strings owned */
  const uint32_t *opened_here; /* 1 here, 0 in what is forked from this process */
  rh_cache cache;
  rh_cl_devices devices;
  int devices_found;
  double opening_s;           /* what finding devices and opening sessions took */
  int looks_first;            /* 1: a child process lists the devices before this process does */
  rh_error unusable;          /* why devices must not be listed, or status 0 */
  const rh_cl_device *device; /* null until chosen */
  rh_cl_session session;      /* its context is null until it is opened */
  rh_registry registry;       /* the plugins, from when they are first needed on */
  const rh_context_calls *calls;
  struct rh_known *known; /* theirs; null at first */
  /* incremented for each wrong result, because an earlier choice of `auto` may be that strategy */
  uint32_t blame;
  /* Arrays of more bytes are streamed to a device with memory of its own; in chunks of so many, or
   * 0: what suits it.  Tests make both small. */
  uint64_t most_whole_bytes, chunk_bytes;
  /* the last choice of `auto` and the reason: "onepass, measured here at 2^20: ...", or "" */
  char chosen[512];
  char chose[64]; /* its name; "" if a strategy was named, or none could be chosen */
  /* 1: since then, the device or memory for the data failed, which is not the strategy's fault */
  int device_failed;
  int operator_failed; /* 1: since then, the user's operator was found to be at fault */
};

enum { RH_WHOLE_BYTES = 16u << 20 }; /* most_whole_bytes: beyond, a stream is soon faster */

/* Copies *options; null: the defaults.  One thread at a time uses a context. */
rh_status rh_context_open(rh_context **opened, const rh_options *options,
                          const rh_context_calls *calls, rh_error *error);
void rh_context_close(rh_context *context); /* null is legal */

/* RH_E_INVALID: the process was forked since devices were used, whose drivers stay with its parent.
 * They would neither answer nor let themselves be released. */
rh_status rh_context_check_process(const rh_context *context, rh_error *error);

rh_status rh_context_devices(rh_context *context, const rh_cl_devices **devices, rh_error *error);
rh_status rh_context_device(rh_context *context, const rh_cl_device **device, rh_error *error);
/* Finds a device for strategies to be queried with; null: there is none, and *why says why. */
rh_status rh_context_any_device(rh_context *context, const rh_cl_device **device, rh_error *why,
                                rh_error *error);
rh_status rh_context_session(rh_context *context, rh_cl_session **session, rh_error *error);

/* Selects `device`, one of rh_context_devices(), and releases whatever was opened for another. */
rh_status rh_context_use_device(rh_context *context, const rh_cl_device *device, rh_error *error);

/* All strategies, queried for the chosen device and n elements.  Without any device, host
 * strategies are queried for the host and *no_device (may be null) says why. */
rh_status rh_context_registry(rh_context *context, uint64_t n, const rh_registry **registry,
                              rh_error *no_device, rh_error *error);

typedef struct rh_wanted {
  uint64_t n;
  const rh_operator *op;
  const rh_cl_device *device; /* null: the host alone */
  /* of the plugins that came with redhost those of these strategies; 0: all */
  const char **names;
  uint32_t n_names;
} rh_wanted;

/* Examines for `auto`, which seldom needs all of them, and the offers for one operator and type
 * only: the others may be those of other sizes.  registry->n_skipped says how many are missing.
 * Whatever was examined before, by these functions, is not examined again. */
rh_status rh_context_examine(rh_context *context, const rh_wanted *wanted, rh_error *error);

/* The strategy of that name, as rh_registry_locate() finds it. */
rh_status rh_context_locate(rh_context *context, const char *name, rh_found *found,
                            rh_error *error);

/* Call it after rh_context_registry() when running several strategies, listing them or letting
 * `auto` choose.  Logs one line if a plugin is missing that was requested by its file, came with
 * redhost or could not be examined.  The last two cases are logged as errors. */
void rh_context_report_missing_plugins(const rh_context *context);

/* Records a wrong result of the strategy in the plugin's file: `auto` no longer selects it for this
 * operator.  Logs nothing. */
void rh_context_blame(rh_context *context, const char *strategy, const char *path,
                      const rh_operator *op, uint64_t n);

/* ---- Where the operands of an operator that has them are, for one run ---- */

/* On the device: element 0 of the run is element at[k] of buffers[k].  On the host: arrays.
 * Buffers and arrays are borrowed.  It must not be moved: arrays.constants is `constants`. */
typedef struct rh_operands {
  uint32_t n;
  cl_mem buffers[RH_MOST_OPERANDS];
  uint64_t at[RH_MOST_OPERANDS];
  rh_arrays arrays;
  int count_slot;   /* of the constants: the number of elements, which each run sets; -1: none */
  uint64_t whole_n; /* that number, of a run on a part; 0: the run's own */
  uint64_t constants[RH_MOST_CONSTANT_WORDS];
} rh_operands;

/* The operands' number and the constants' values; not yet where the operands are. */
void rh_operands_begin(rh_operands *operands, const rh_operator *op);

/* One strategy set up for one problem: query, setup, run and teardown, with the host's checks
 * around each call. */

enum { RH_MOST_VALUE_BYTES = RH_ANY_VALUE_BYTES };

struct rh_instance_spec;
/* A strategy that runs in another process: what stands above has it asked, set up and run there. */
typedef struct rh_remote {
  rh_strategy strategy;       /* its name and promises, as of one of the host; no functions */
  const rh_cl_device *device; /* that it runs on there; null: the host */
  rh_status (*ask)(struct rh_remote *, const struct rh_instance_spec *spec, rh_answer *answer,
                   rh_error *error);
  rh_status (*set_up)(struct rh_remote *, const struct rh_instance_spec *spec, rh_error *error);
  rh_status (*run)(struct rh_remote *, const struct rh_instance_spec *spec, const rh_run *run,
                   void *value, rh_error *error);
} rh_remote;

typedef struct rh_instance_spec {
  const rh_strategy *strategy;
  rh_remote *remote;     /* null: it runs in this process */
  const rh_operator *op; /* borrowed */
  uint64_t max_n;        /* of a layout: of its longest segment */
  /* Null, or of a strategy that promises RH_SERVES_LAYOUTS: what all runs have; borrowed. */
  const rh_layout *layout;
  int64_t params[RH_MAX_PARAMS];
  rh_cl_session *session; /* null for a host strategy */
  const rh_reporter *reporter;
} rh_instance_spec;

/* The data: a buffer for OpenCL strategies, memory for host strategies. */
typedef struct rh_data {
  cl_mem buffer;
  const void *host;
  uint64_t first;        /* elements */
  rh_operands *operands; /* of an operator that has them: instead of the others */
} rh_data;

/* Operands that stand offsets[k] bytes behind `host`, which `buffer`, if there is one, has from its
 * byte `first` on.  What rh_operands_begin() says is in *operands, where the operator has them. */
rh_data rh_operands_data(rh_operands *operands, const rh_operator *op, const uint64_t *offsets,
                         cl_mem buffer, uint64_t first, const void *host);
/* They are elements of `whole_n`, of which the first has the index `base`. */
void rh_operands_set_part(const rh_data *data, const rh_operator *op, uint64_t whole_n,
                          uint64_t base);

/* [one thread at a time] */
typedef struct rh_instance {
  rh_instance_spec spec;
  rh_services services; /* with the device memory that it holds */
  rh_op op;             /* the operator's row of the table, with the prelude */
  char *prelude;
  rh_problem problem;
  uint32_t finishes_on_host;
  cl_mem result;         /* null for host strategies */
  rh_cl_visible visible; /* one value for synchronous calls, if the device supports that */
  void *self;
  rh_run run; /* of each call only what differs is written: all have operands, or none */
  /* written by strategies that finish on the host */
  _Alignas(16) unsigned char value[RH_MOST_VALUE_BYTES];
} rh_instance;

/* Sets up a problem that rh_instance_query() accepted; *answer is its answer. */
rh_status rh_instance_create(rh_instance **instance, const rh_instance_spec *spec,
                             const rh_answer *answer, rh_error *error);
void rh_instance_destroy(rh_instance *instance); /* null is legal */

/* One reduction of n elements.  Returns when it is enqueued or, if the strategy finishes on the
 * host, done. */
rh_status rh_instance_run(rh_instance *instance, const rh_data *data, uint64_t n, rh_error *error);

/* Runs with the value in the caller's result[index], counted in values: for strategies that finish
 * on the device. */
rh_status rh_instance_run_to(rh_instance *instance, const rh_data *data, uint64_t n, cl_mem result,
                             uint64_t index, rh_error *error);

/* Where values of segments go: from host on, or if the strategy finishes on the device from
 * buffer[index] on, counted in values. */
typedef struct rh_values {
  void *host;
  cl_mem buffer;
  uint64_t index;
} rh_values;

/* Of a strategy that was set up with a layout: the values of the segments of `layout`, which are
 * some of those, in the `n` elements in which they lie. */
rh_status rh_instance_run_layout(rh_instance *instance, const rh_layout *layout,
                                 const rh_data *data, uint64_t n, const rh_values *to,
                                 rh_error *error);

/* The value of the last rh_instance_run(); waits for it. */
rh_status rh_instance_value(rh_instance *instance, void *value, rh_error *error);

/* One reduction, returning its value, by the fastest way on this device. */
rh_status rh_instance_call(rh_instance *instance, const rh_data *data, uint64_t n, void *value,
                           rh_error *error);

/* Does a value arrive in memory that the host sees (core/cl)?  Then a call can be made in two
 * steps, with others' in between: the first enqueues it, and the second waits for its value. */
static inline int rh_instance_shows(const rh_instance *instance) {
  return instance->visible.buffer && !instance->finishes_on_host;
}
rh_status rh_instance_begin(rh_instance *instance, const rh_data *data, uint64_t n,
                            rh_error *error);
rh_status rh_instance_end(rh_instance *instance, void *value, rh_error *error);

/* Can this strategy serve this problem with these parameters?  Does not use OpenCL.  `device` null:
 * the host. */
rh_status rh_instance_query(const rh_instance_spec *spec, const rh_device *device,
                            rh_answer *answer, rh_error *error);

/* The sources of a job's parameters: the plugin's defaults, tuned values, the caller's settings;
 * later ones override earlier ones. */

/* X(name, number, text): the last of these sources that any value in use comes from. */
#define RH_PARAMS_FROM_LIST(X)                                                                     \
  X(DEFAULT, 0, "default")                                                                         \
  X(TUNED, 1, "tuned")                                                                             \
  X(USER, 2, "user")
enum {
#define RH_X(name, number, word) RH_PARAMS_FROM_##name = number,
  RH_PARAMS_FROM_LIST(RH_X)
#undef RH_X
      RH_N_PARAMS_FROM
};

typedef struct rh_origin {
  uint32_t from;    /* RH_PARAMS_FROM_* */
  uint32_t n_tuned; /* values in use that were tuned */
  char note[320];   /* "tuned here"; "" without tuned values */
} rh_origin;

const char *rh_params_from_name(uint32_t from); /* "tuned"; "default" for an unknown number */

/* Checks a caller's settings: RH_E_USAGE if the array, a key or a value is null. */
rh_status rh_settings_check(const rh_setting *settings, uint64_t n, rh_error *error);

/* One reduction of one array by one strategy, from the strategy's name to the checked answer. */

/* Where the data are when the clock starts: in the host's memory, so that an upload counts; where
 * the strategy reads them, so that on a device with memory of its own only its strategies compare;
 * or on the device, where the result may have to stay, too. */
enum { RH_JOB_ON_HOST, RH_JOB_IN_PLACE, RH_JOB_DATA_ON_DEVICE, RH_JOB_RESULT_ON_DEVICE };

typedef struct rh_job_spec {
  const char *strategy; /* or "auto", for rh_locate() alone */
  const char *plugin;   /* the strategy's file; null: it was not located yet */
  rh_remote *remote;    /* null, or what runs it instead of this process */
  rh_operation operation;
  uint32_t unchecked_op; /* 1: a user's operator is not examined before its first use */
  uint64_t offsets[RH_MOST_OPERANDS]; /* of its operands: bytes behind the data's beginning */
  const rh_setting *settings;
  uint64_t n_settings;
  /* 1: ignore settings that the strategy does not have */
  uint32_t others_too;
  /* 1: parameters are the plugin's defaults and the settings, without tuned values */
  uint32_t untuned;
  /* 1: an array that the device cannot hold is brought there in pieces, and segments of one that
   * the memory cannot hold are taken where it is mapped, so that neither is refused */
  uint32_t in_pieces;
  uint32_t on_device; /* what `auto` must find: RH_JOB_* */
  /* 1: nothing else is asked of this process, so that opening a device counts, too */
  uint32_t once;
} rh_job_spec;

/* Fields from `strategy` on are read-only. */
typedef struct rh_job {
  rh_context *context;
  rh_job_spec spec;
  const rh_strategy *strategy;
  char *path;                  /* the plugin's file */
  const rh_cl_device *device;  /* that has the data; null for a host strategy */
  const rh_cl_device *runs_on; /* the same, but of a remote strategy its own */
  rh_instance_spec instance_spec;
  rh_origin params_from;
  rh_answer answer;
  rh_cl_input input;
  rh_data data;
  rh_operands operands; /* where data.operands points */
  rh_instance *instance;
  double setup_s; /* query, build and allocation, without the upload */
} rh_job;

/* RH_E_USAGE if spec->settings are invalid for spec->strategy in spec->plugin.  Opens the plugin in
 * this process. */
rh_status rh_job_check_settings(const rh_context *context, const rh_job_spec *spec,
                                rh_error *error);

/* The device for a strategy of these kinds, null for one that runs on the host; RH_E_DEVICE if it
 * does not support the type or cannot hold the elements. */
rh_status rh_job_device(rh_context *context, const rh_job_spec *spec, uint32_t device_kinds,
                        const rh_cl_device **device, rh_error *error);

/* Opens the strategy, which was located, finds the device, and queries the strategy.  Touches no
 * data and creates nothing on the device, so that every refusal comes early.  In two steps, or in
 * one. */
rh_status rh_job_open(rh_job *job, rh_context *context, const rh_job_spec *spec, rh_error *error);
rh_status rh_job_ask(rh_job *job, rh_error *error);
rh_status rh_job_init(rh_job *job, rh_context *context, const rh_job_spec *spec, rh_error *error);

/* RH_DECLINED if the strategy that was asked cannot read data on the device, or leave its result
 * there, as spec.on_device wants it. */
rh_status rh_job_check_place(const rh_job *job, rh_error *error);

/* Only sets up the strategy, in instance_spec.session, or if that is null in the context's.  If
 * tuned parameters fail, such as those of another device of the kind, the plugin's defaults are
 * used. */
rh_status rh_job_instantiate(rh_job *job, rh_error *error);

/* Brings the data, spec.n elements `offset` bytes after the page-aligned `region`, to the device
 * and sets up. */
rh_status rh_job_setup(rh_job *job, void *region, uint64_t offset, rh_error *error);

/* Is the strategy's value only near the answer that is asked for, rounded once?  It promises that
 * of built-in operators alone. */
int rh_job_is_near(const rh_job *job);

/* Converts the operator's value to a result. */
static inline void rh_job_result(const rh_job_spec *spec, const char *strategy, const void *value,
                                 rh_result *result) {
  spec->operation.op->calls->decode(spec->operation.op, value, spec->operation.n, result);
  memccpy(result->strategy, strategy, 0, sizeof result->strategy - 1);
}

/* The exact answer, computed before the strategy runs: a strategy that writes to its input must not
 * change its own reference. */
rh_status rh_job_reference(const rh_job_spec *spec, const void *data, const rh_reporter *reporter,
                           rh_reference *reference, rh_error *error);
/* operands[k] = where operand k of the data lies */
void rh_job_operands_at(const rh_job_spec *spec, const void *data, const void **operands);
/* Elements first .. first+n-1 of whole_n. */
typedef struct rh_job_part {
  const void *const *operands; /* where they lie, each operand's */
  uint64_t first, n, whole_n;
  uint32_t threads; /* 0: one per processor */
  int may_change;   /* 1: others than the strategy can write to them */
} rh_job_part;
/* The arrays as the operator reads them; `constants` is room for its own. */
void rh_job_arrays(const rh_job_spec *spec, const rh_job_part *part, rh_arrays *arrays,
                   uint64_t constants[RH_MOST_CONSTANT_WORDS]);
rh_status rh_job_reference_of(const rh_job_spec *spec, const rh_job_part *part,
                              const rh_reporter *reporter, rh_reference *reference,
                              rh_error *error);
/* Does the device, or null, flush subnormals of the operator's type? */
int rh_job_flushes(const rh_job_spec *spec, const rh_cl_device *device);

void rh_job_finish(rh_job *job); /* zero-initialised is fine */

/* ---- A second look at the data before a strategy is blamed for a wrong answer ---- */

/* A strategy's answer: a result, or the value of a part of the data. */
typedef struct rh_answered {
  rh_context *context;
  const rh_cl_device *device; /* null: the host */
  uint64_t depth;             /* from query's answer */
  const rh_result *result;    /* null: `value` is judged */
  const void *value;
} rh_answered;

/* Judges an answer while the data are still there.  Before the verdict is that it is wrong:
 * - RH_E_FILE if the data are not those that *reference was computed of, and others than the
 *   strategy may write to them;
 * - *reference may then know more than before, of a struct operator, and the answer is judged
 *   again;
 * - RH_E_PLUGIN, with a counterexample, if it is the user's operator that is at fault on these
 *   data. */
rh_status rh_job_judge_on(const rh_job_spec *spec, const rh_job_part *part,
                          const rh_answered *answered, rh_reference *reference, rh_verdict *verdict,
                          rh_error *error);

/* The last step alone, where an answer was judged that the part has contributed to. */
rh_status rh_job_trust_on(rh_context *context, const rh_job_spec *spec, const rh_job_part *part,
                          rh_error *error);

/* Data whose result is the same in every order of operations: for a strategy whose answer has a
 * weak bound or none.  A strategy with the same parameters, on as many elements, must give exactly
 * this result. */

/* Zero-initialised is empty. */
typedef struct rh_exact_data {
  rh_array array; /* "hash", whose sums of any elements are exact, or "units", whose products are */
  rh_reference reference;
} rh_exact_data;

/* Does the verdict need this check? */
static inline int rh_exact_data_is_needed(const rh_verdict *verdict) {
  return verdict->weak && verdict->verdict != RH_VERDICT_WRONG &&
         verdict->exact_data == RH_EXACT_DATA_NONE;
}

/* kind: null, or other data for an operator that is exact anyway. shared: in memory that can be
 * shared with another process. */
rh_status rh_exact_data_make(rh_exact_data *exact, const rh_operator *op, uint64_t n,
                             const char *kind, int shared, const rh_reporter *reporter,
                             rh_error *error);
/* Makes them in the memory of `array`, whose elements they replace; its type and length stay.
 * *exact borrows the array, and is not to be finished. */
rh_status rh_exact_data_overwrite(rh_exact_data *exact, const rh_array *array,
                                  const rh_operator *op, const rh_reporter *reporter,
                                  rh_error *error);
void rh_exact_data_finish(rh_exact_data *exact);

int rh_exact_data_agrees(const rh_exact_data *exact, const rh_result *result);

/* Makes a strategy's result on these data part of the verdict on its answer: a different result is
 * RH_VERDICT_WRONG. */
void rh_exact_data_add(const rh_exact_data *exact, const rh_result *result, rh_verdict *verdict);
/* The rule of every way: an answer that is inside a bound which allows much, and that nothing else
 * confirms, is not judged.  why: such data were not tried. */
void rh_exact_data_settle(rh_verdict *verdict, const char *why);
/* Why an answer is not judged. */
const char *rh_verdict_why(const rh_verdict *verdict, char text[512]);
/* Does this failure only mean that the data cannot be tried, so that the run continues? */
int rh_exact_data_is_too_much(rh_status status);

/* All of these steps, if the verdict needs them, for a strategy that is set up in this process. */
rh_status rh_job_confirm(rh_job *job, const rh_job_spec *spec, const rh_reporter *reporter,
                         rh_verdict *verdict, rh_error *error);

/* Lists OpenCL's devices in a child, so that a crashing driver takes down only the child. */

/* RH_OK: the drivers start, or did in the same state.  RH_E_DEVICE: one of them does not, and this
 * process must not ask for devices. */
rh_status rh_look_at_drivers(const rh_options *options, const rh_cache *cache, rh_error *error);

/* The child's side: `redhost --look` calls this and exits with its result. */
int rh_look_main(void);

/* rh_limits_add(), and what else may be why a driver did not start. */
void rh_drivers_limits(rh_text *to);

/* The operands of a problem: their types, their arrays, and generated elements for them, side by
 * side in one piece of memory. */

/* Is the array there, and aligned to its elements of `size` bytes, a power of two? */
static inline int rh_operand_is_aligned(const void *data, uint32_t size) {
  return data && ((uintptr_t)data & (size - 1)) == 0;
}
/* RH_E_USAGE if the array of an operand is null or misaligned, or no process can have n elements of
 * it.  No elements need no arrays. */
rh_status rh_operands_check(const rh_operator *op, const void *const *operands, uint64_t n,
                            rh_error *error);

/* offsets[k] = where operand k of spec->n elements begins, in bytes; all in all that many bytes are
 * needed.  UINT64_MAX stands for more than 2^64. */
uint64_t rh_operand_layout(const rh_job_spec *spec, uint64_t offsets[RH_MOST_OPERANDS]);

/* *placed = n elements of each operand, from operands[k] on, brought to the job's device if it has
 * one.  inputs: buffers of the operands, kept for the next call.  *placed may point into *job. */
rh_status rh_operands_bring(rh_job *job, rh_cl_input *inputs, const void *const *operands,
                            uint64_t n, rh_data *placed, rh_error *error);
/* The same of elements on the device: from element first[k] of buffers[k] on; first: null means
 * zeros.  What the operator's constants are was said by rh_operands_begin(). */
rh_data rh_operands_in_buffers(rh_job *job, const cl_mem *buffers, const uint64_t *first);

/* Fills the operands, which stand spec->offsets[k] bytes behind the beginning of `array`.  Operands
 * of equal types get different elements.  RH_E_USAGE for an unknown kind. */
rh_status rh_operand_data_fill(const rh_array *array, const rh_job_spec *spec, const char *kind,
                               uint64_t seed, const rh_reporter *reporter, rh_error *error);

/* A call on arrays of the host by a job that is set up: its fast path, the arrays' way, and its
 * result.
 *
 * A call on few elements takes most of its time on the way to the strategy, so the fast path checks
 * only what differs from call to call. */

/* Copying all fields that a result may have would take longer than the rest. */
enum { RH_WITHOUT_FIELDS = offsetof(rh_result, fields) };

/* [one thread at a time] */
typedef struct rh_call {
  rh_decoding decoding; /* of values */
  uint64_t fast_max_n;  /* up to so many elements take the fast path; 0: none do */
  rh_instance *instance;
  rh_arrays *arrays; /* of an operator with operands: the job's are used; else null */
  uint32_t n_operands;
  uint32_t sizes[RH_MOST_OPERANDS]; /* of the operands' elements, in bytes */
  int may_be_empty;                 /* -0 may be the sum of nothing */
  const rh_op *decodes; /* whose values are decoded, unless the operator has results of its own */
  rh_result blank;      /* a result that lacks its value and index only */
  rh_job *job;
  const rh_operator *op;
  /* The operands' way to a device, which a CPU keeps for the next call; borrowed. */
  rh_cl_input *inputs;
  /* Streams arrays of more than most_whole elements to the device, if there is a ring. */
  rh_status (*stream)(void *ring, const void *const *arrays, uint64_t n, void *value,
                      uint64_t *depth, rh_error *error);
  void *ring;
  uint64_t most_whole;
} rh_call;

/* The job has an instance, and must not be moved. */
void rh_call_begin(rh_call *call, rh_job *job, rh_cl_input *inputs);

/* Reduces n of at least 1 elements up to fast_max_n: of the array `from`, or if there are operands
 * of `arrays`, which say where they are.  The result's struct has all fields before `fields`. */
rh_status rh_call_fast(const rh_call *call, const void *from, uint64_t n, rh_result *result,
                       rh_error *error);

/* Reduces any n, up to the job's, or if there is a ring any, of each operand's array.  After RH_OK
 * nothing reads the arrays any more: the value was read after all other commands in the queue, or
 * the strategy finished on the host, with all partial results read, or the data had been copied to
 * a device with memory of its own. */
rh_status rh_call_arrays(const rh_call *call, const void *const *arrays, uint64_t n,
                         rh_result *result, rh_error *error);

/* `result` has been checked. */
void rh_call_decode(const rh_call *call, const void *value, uint64_t n, rh_result *result);

/* The self-test of a strategy that is set up: runs on generated data, checked, before unchecked
 * runs. */

/* Reduces a few thousand elements, or as many as the job is set up for, and then the last two
 * thirds of them: several work-groups, a partial one, and a range that does not start at 0.  It
 * also absorbs the driver's work at a first launch.  RH_E_WRONG, and the strategy is blamed, if an
 * answer is wrong. */
rh_status rh_job_self_test(rh_job *job, rh_error *error);

/* Reduces the elements of `array`, of a strategy that is set up for one operand. */
rh_status rh_job_reduce(rh_job *job, const rh_job_spec *spec, const rh_array *array,
                        rh_result *result, rh_error *error);

/* Tries n elements of a kind, at most as many as the job is set up for. */
rh_status rh_job_try(rh_job *job, uint64_t n, const char *kind, rh_error *error);

/* Are the bits of a strategy that promises RH_CANONICAL_ORDER those of the order, on some thousand
 * elements of an operator that rounds?  RH_OK for any other strategy.  RH_E_WRONG: they are not,
 * which is recorded, so that `auto` leaves it out. */
rh_status rh_job_check_order(rh_job *job, rh_error *error);
