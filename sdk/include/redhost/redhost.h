/* redhost/redhost.h: libredhost, for programs that want a reduction.  SPDX-License-Identifier: MIT
 *
 *     rh_redhost *redhost;
 *     rh_error error;
 *     if (rh_open(&redhost, NULL, &error) != RH_OK) { ... error.message ... }
 *     rh_request request = {.struct_size = sizeof request, .type = RH_TYPE_f32, .op = "sum",
 *                           .data = x, .n = n};
 *     rh_result result = {.struct_size = sizeof result};
 *     if (rh_reduce(redhost, &request, &result, &error) == RH_OK) use(result.value.f);
 *     rh_close(redhost);
 *
 * rh_prepare(), below, is for a program that controls when setup happens, or whose data are on a
 * device.
 *
 * The library never prints, never exits and keeps no global state.  A failing function returns a
 * status and describes the error in the caller's rh_error.  A null pointer that is not allowed is
 * RH_E_USAGE, with a message; functions that return nothing then do nothing.  The library exports
 * exactly what this header declares.
 *
 * Sizes.  rh_options, rh_request, rh_segmentation, rh_result, rh_communicator and rh_call_spec will
 * grow: later versions append fields.  The caller sets struct_size to the struct's sizeof, and
 * every field that it does not use to zero, as an initialiser does.  Zero means the default.
 *   - A struct of an earlier version is shorter: the missing fields count as zero.
 *   - A struct of a later version is longer: the call succeeds if the fields that are unknown to
 *     this version are zero, and is RH_E_USAGE otherwise.
 *   - A size of 0, or one smaller than in 0.1, is RH_E_USAGE.
 *   - Of an rh_result, the fields that both sides know are written; struct_size keeps its value.
 * rh_error, rh_reporter, rh_setting and rh_output carry no size and will not change.
 *
 * Threads.  These calls may run at the same time:
 *   - all calls on different rh_redhosts, including rh_open() and rh_close();
 *   - rh_reduce(), rh_reduce_distributed(), the calls on parts, rh_prepare() and
 *     rh_prepared_destroy() on one rh_redhost: they take turns;
 *   - calls of different rh_prepareds, with each other and with all of the above: they take no
 *     lock, and share only the device, or the caller's queue, which runs their commands in turn.
 * These may not:
 *   - two calls of one rh_prepared: the later one returns RH_E_INVALID, and the earlier one's
 *     answer is correct.  rh_prepared_forget() and rh_prepared_destroy() wait for a call in
 *     progress; no call may begin after rh_prepared_destroy();
 *   - rh_close() and any call on the same rh_redhost, except those of its rh_prepareds;
 *   - a callback of rh_reporter that calls the library on the same rh_redhost: it gets
 *     RH_E_INVALID.
 *
 * Floating point.  A caller may round otherwise, flush subnormals or trap exceptions: every call,
 * with the threads that it starts and the callbacks that it makes, runs in the default environment,
 * and gives the caller's back, flags included.
 *
 * fork().  A driver's threads do not follow into the child.  There an rh_redhost that has used
 * devices, and what was prepared with it for a device, answer RH_E_INVALID, and rh_close() and
 * rh_prepared_destroy() of them release nothing.  A new rh_redhost in the child has no device,
 * which is RH_E_DEVICE, if this library had used OpenCL before the fork; strategies of the host
 * work, also those prepared before.  A program that opens a device itself and forks then has to
 * know that. */
#ifndef REDHOST_REDHOST_H
#define REDHOST_REDHOST_H

#include "plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Why a call failed.  Every function that takes one fills it whenever it does not return RH_OK; may
 * be null. */
typedef struct rh_error {
  rh_status status;
  int32_t cl_code;    /* OpenCL's own error, or 0 */
  char message[1024]; /* one or more sentences, without a newline: what, where, and what to do */
} rh_error;

/* Receives log messages and progress.  Both functions may be null.  They are called on the thread
 * that called the library, so possibly on several threads at once. */
typedef struct rh_reporter {
  void *user;
  void (*log)(void *user, uint32_t level, const char *text); /* RH_LOG_* */
  /* `done` of `total` bytes or elements (total 0: unknown) of "reading", "upload", "streaming",
   * "reference"...; called a few times a second.  Non-zero cancels the call: it returns
   * RH_E_CANCELLED. */
  int (*progress)(void *user, const char *phase, uint64_t done, uint64_t total);
} rh_reporter;

/* All strings are copied.  Null or 0 means the default. */
typedef struct rh_options {
  uint32_t struct_size; /* sizeof(rh_options) */
  uint32_t no_cache;    /* 1: neither read nor write compiled programs and tuning results */
  /* "0:1", "gpu", part of a name; default: REDHOST_DEVICE, else GPU, accelerator, CPU */
  const char *device;
  /* one more plugin, or description of a foreign function, searched before all others */
  const char *plugin_file;
  const char *plugin_path; /* colon-separated directories, before the environment's */
  const char *cache_dir;   /* default: REDHOST_CACHE_DIR, else $XDG_CACHE_HOME/redhost */
  /* the redhost program, which examines plugins in a child process; default: ../bin/redhost beside
   * the library.  If there is none, plugins that came with redhost are examined in this process,
   * and others are refused */
  const char *program;
  rh_reporter reporter;
  /* The caller's cl_command_queue, in-order, on a device that is not a sub-device.  redhost then
   * uses its device, its context and the queue itself, so that buffers of that context can be
   * reduced, and the caller's commands run in order with redhost's.  Null: redhost creates its own.
   * Mutually exclusive with `device`; REDHOST_DEVICE is ignored.  The queue must live until
   * rh_close and the last rh_prepared_destroy.  An unsuitable queue is RH_E_USAGE or RH_E_DEVICE
   * when a device is first needed. */
  struct _cl_command_queue *queue;
  /* 1: where nothing is known of this machine, `auto` does without the short measurement that it
   * otherwise keeps in the cache: at most 0.3 s, once, in rh_reduce() or rh_prepare(); also set by
   * REDHOST_NO_MEASURE */
  uint32_t no_measure;
  uint32_t reserved;      /* 0 */
  uint32_t kept_setups;   /* how many problems rh_reduce() keeps set up; 0: 8 */
  uint32_t reserved_kept; /* 0 */
} rh_options;

typedef struct rh_redhost rh_redhost;

typedef struct rh_setting {
  const char *key, *value;
} rh_setting; /* "tile", "256" */

/* An operand of a map: n elements in a row.  It has no shape: element k of one operand meets
 * element k of another, so arrays of several dimensions must have the same memory order. */
typedef struct rh_input {
  const char *name; /* as the map calls it; null: x, y, z, w, v, u, s, r, in this order */
  rh_type type;
  uint32_t reserved; /* 0 */
  /* n elements in host memory, naturally aligned, never written; null if n is 0.  rh_prepare() does
   * not look at it. */
  const void *data;
} rh_input;

/* A named number in a map or in `finalize`.  It is an argument of kernels: other values need no
 * other build. */
typedef struct rh_constant {
  const char *name;  /* "t" */
  uint32_t is_float; /* 0: value.i, 1: value.f */
  uint32_t reserved; /* 0 */
  union {
    int64_t i;
    double f;
  } value;
} rh_constant;

/* ---- Segments: many reductions of one array ----
 *
 *     uint64_t lengths[] = {1000, 20};
 *     double means[1000];
 *     rh_segmentation rows = {.struct_size = sizeof rows, .n_axes = 2, .reduced = 1u << 1,
 *                             .lengths = lengths};
 *     rh_output mean = {.type = RH_TYPE_f64, .data = means, .n = 1000};
 *     rh_request request = {.struct_size = sizeof request, .type = RH_TYPE_f64, .op = "mean",
 *                           .data = x, .n = 20000, .segments = &rows, .outputs = &mean,
 *                           .n_outputs = 1};
 *     status = rh_reduce(redhost, &request, &result, &error);
 *
 * Each segment has the result, with the bits, of its elements reduced alone, one behind the other
 * in the order of the memory.  Indices, and `i` and `n` in maps, are those of the segment.  One
 * without elements has the operator's identity, or is RH_E_USAGE if the operator has none. */

#define RH_MOST_AXES 8

/* Which elements make a segment, in one of three ways.  Its lists are read during the function only
 * that gets it. */
typedef struct rh_segmentation {
  uint32_t struct_size; /* sizeof(rh_segmentation) */
  /* Dimensions of the array, up to RH_MOST_AXES: a segment for each place along those that are not
   * reduced.  Element (i, j, ...) is data[i * strides[0] + j * strides[1] + ...], among the n of
   * the request.  strides: counted in elements, in any order, with gaps or overlaps; null: those of
   * C order; 0 is the same element again.  Where the strategy cannot read the segments in place,
   * each call copies the elements, of buffers on the device, and rh_reporter.log is told.
   * Segments are in the order of their elements in memory: of the axes that stay, that with the
   * largest stride runs slowest, so the results of an array in C or Fortran order are in that
   * order. */
  uint32_t n_axes;
  uint32_t reduced;  /* bit k: along axis k; at least one */
  uint32_t reserved; /* 0 */
  const uint64_t *lengths;
  const uint64_t *strides;
  /* Of `length` elements, back to back; the request's n must be a multiple of it. */
  uint64_t length;
  /* Segment s is elements starts[s] .. stops[s]-1; n_segments of each.  Segments may overlap, leave
   * gaps, and come in any order.  Back to back: n_segments + 1 offsets o are starts = o and
   * stops = o + 1. */
  const uint64_t *starts, *stops;
  uint64_t n_segments;
} rh_segmentation;

/* Where results of segments go: data[s] is that of segment s.  The results of an operator that has
 * several go to an array each, those that are wanted. */
typedef struct rh_output {
  /* Of several results, "mean"; of argmin and its like "index", or "value" for the element at it.
   * null: the first result in the first output, the second one in the second; that of argmin is the
   * index. */
  const char *name;
  /* Of the array's elements: that of the result (rh_result); RH_TYPE_i64 for indices, of which -1
   * is none. */
  rh_type type;
  uint32_t reserved; /* 0 */
  /* The caller's, naturally aligned, and no other output's.  Written only if the call succeeds; or
   * where it is not checked, and the strategy fails on its way. */
  void *data;
  uint64_t n; /* elements of it, at least one for each segment */
} rh_output;

/* What is reduced, and how: now, by rh_reduce() and rh_reduce_distributed(), or in the calls of an
 * rh_prepared.  Its strings and lists are read during the function only that gets it. */
typedef struct rh_request {
  uint32_t struct_size; /* sizeof(rh_request) */
  rh_type type;         /* of the elements */
  uint32_t unchecked;   /* 1: skip the check against the exact reference */
  /* rh_prepare() only.  1: the data of all calls are on the device, and no buffer is allocated for
   * host data: only rh_prepared_call() with buffers may be called.  Host strategies decline.
   * RH_E_USAGE without rh_options.queue, whose context the buffers belong to. */
  uint32_t data_on_device;
  /* null or "auto": the best for problem and device.  Unless the data are on the device, or buffers
   * of rh_options.queue may follow, the upload counts, and host strategies compete with those of a
   * device that has memory of its own */
  const char *strategy;
  const char *op; /* "sum", ... */
  /* n elements in host memory, naturally aligned; never written; null if n is 0.  rh_prepare() does
   * not look at it. */
  const void *data;
  uint64_t n;                 /* of rh_prepare(), the most elements of a call */
  const rh_setting *settings; /* as `redhost --param` takes them */
  uint64_t n_settings;
  /* Maps and operators of one's own, docs/use/operators.md: as the options of `redhost --run` of
   * these names.  `op` may then be several with commas between, the name of an operator that comes
   * along ("dot") or whose file NAME.op.json stands beside the plugins, a file ("FILE.json"), or
   * the text of such a file. */
  const rh_input *inputs; /* the operands, up to 8; null: one, `data` of `type`, called x */
  uint64_t n_inputs;
  const char *map;      /* "x*y"; null: the only operand */
  const char *reduce;   /* instead of `op`: "a > b ? a : b" */
  const char *identity; /* of `reduce`: "0" */
  const char *finalize; /* "a.0/n", "mean = a.0/a.1": fields of the result */
  /* For names in `map`, `where`, `finalize` and `initial`, and instead of those in an operator's
   * file.  One that no text uses is RH_E_USAGE ("constant t is not used"), unless the operator's
   * file has a constant of that name. */
  const rh_constant *constants;
  uint64_t n_constants;
  uint32_t commutes; /* 1: `reduce` gives the same for b and a */
  /* 1: a broken operator is used, too.  Otherwise its laws are examined before its first use, which
   * the cache remembers, and RH_E_PLUGIN has a counterexample. */
  uint32_t unchecked_op;
  const char *where; /* "x > 0": other elements change nothing; null: all count */
  uint32_t accuracy; /* RH_ACCURACY_* */
  /* rh_prepare() only.  1: the result stays on the device, in rh_call_spec.values; implies
   * data_on_device.  A strategy that finishes on the host declines; many have a parameter
   * finish=device. */
  uint32_t result_on_device;
  /* Not with rh_reduce_part().  Not null: a result for each segment, which go to `outputs`, or with
   * rh_prepare() to those of each call.  *result is that of segment 0, or
   * if the status is RH_E_WRONG of the first one found wrong, and names the strategy.  rh_reduce()
   * keeps the latest setup for the same segments, of which it compares the numbers, if it takes at
   * most 64 MiB.  Arrays go to a device as a whole, and
   * results come back in portions of at most 256 MiB. */
  const rh_segmentation *segments;
  const rh_output *outputs;
  uint64_t n_outputs;
  /* "0.5", or a constant's name: what the value of sum, prod, min, max, and, or or xor is combined
   * with; of no elements it is the answer.  null: nothing */
  const char *initial;
} rh_request;

enum {
  RH_ACCURACY_PLAIN = 0, /* the strategy's answer, within its bound */
  /* The exact sum, rounded once to the result's type, ties to even: of sum and asum, and of the
   * products of two operands of one type, f32 or f64, which are not rounded at all and cannot
   * overflow; and of "mean", or `finalize` "a/n", which is the exact sum divided by n.  With the
   * map "(f64)x" sums of f16 and f32 are rounded to f64 alone.  Operators that are exact anyway are
   * as they are; others are RH_DECLINED.  "auto" takes strategies that promise it, and compares
   * bits; where there are none, the answer is the reference's, and the strategy's must agree with
   * it within its bound.  Prepared calls have no reference: what their strategy does not promise
   * is RH_DECLINED by rh_prepare(). */
  RH_ACCURACY_EXACT = 1
};

#define RH_MOST_RESULTS 16

/* One of several numbers of a result: f16 and f32 are in `f`, exactly. */
typedef struct rh_result_field {
  char name[32]; /* "mean" */
  rh_type type;
  uint32_t reserved; /* 0 */
  union {
    int64_t i;
    uint64_t u;
    double f;
  } value;
} rh_result_field;

/* An answer in the operator's result type: i64 or u64 for sums and products of integers, f32 for
 * those of f16, otherwise the element's type; for magnitudes of integers, the unsigned type of that
 * width.  An operator of one's own has the types that it defines.  f16 and f32 are in `f`,
 * exactly. */
typedef struct rh_result {
  uint32_t struct_size; /* sizeof(rh_result), set by the caller */
  rh_type type;
  /* 1: `index` is the answer, and `value` the element at it, or for argamax its magnitude */
  uint32_t indexed;
  uint32_t reserved; /* 0 */
  union {
    int64_t i;
    uint64_t u;
    double f;
  } value;
  uint64_t index;
  char strategy[64];
  /* Of an operator with several results, or finalized: their number, and they; `type`, `value` and
   * of argmin and its like `index` are those of the first; 0: `fields` are not written. */
  uint32_t n_fields;
  uint32_t fields_reserved; /* 0 */
  rh_result_field fields[RH_MOST_RESULTS];
  /* Written by rh_reduce() of a whole array, unless `unchecked`, and if there are no `fields`: the
   * exact answer is at most so far away.  0: it is the same; infinity: this could not be judged. */
  double bound;
} rh_result;

/* Opens the library.  Devices and plugins are discovered, and the tuning database is read, when
 * they are first needed; this rh_redhost keeps using what it found then.  So it does with operators
 * in files and with what it learnt of plugins, each of which a child process examines once, before
 * its first use: a file that is new is not seen, an operator's that changes is not read again, and
 * a plugin's that changes is examined again when a strategy of it is named, though one that is in
 * use stays as it is.
 *
 * In a process with raised privileges (set-uid, set-gid or file capabilities) no device is used,
 * and of plugins only those that came with the library.
 * [any thread] */
rh_status rh_open(rh_redhost **redhost, const rh_options *options, rh_error *error);

/* Reduces one array and, unless `unchecked` is set, checks the answer against an exact reference
 * computed on the host.  A wrong answer is RH_E_WRONG, and *result holds it.  The plugin runs in
 * this process, because the data are in its memory; `redhost --run --isolate' runs it in another.
 *
 * The setup for a problem is kept for the next call on the same problem: the same strategy,
 * operator, texts, types and settings, compared word by word, constants of the same names, whose
 * values may differ, and n, rounded up to a power of two while that is at most 16 MiB.  Such a
 * call, unchecked, costs little more than a prepared call: it reads no file, allocates nothing, and
 * does not look at a text again.  The rh_options.kept_setups most recently used problems are kept,
 * each with at most 64 MiB of scratch memory on the device, and a buffer of at most 64 MiB for each
 * input; rh_close() releases them.
 *
 * To a device with memory of its own, arrays of more than 16 MiB (the largest of several) are
 * streamed, and to any device those that it cannot hold: threads of redhost copy them into pinned
 * memory, while the device copies and reduces what was copied before.  That takes some 100 MiB of
 * the host's memory, and as much of the device's, for each input, whatever n is; both are obtained
 * once and kept until rh_close().  The answer has the same bits.  With rh_options.queue, the call
 * first waits for the commands in it.
 *
 * The caller's memory is not kept: `data` may be changed
 * or freed between calls.  After a failure or a wrong answer the strategy is chosen and set up
 * anew.
 * [any thread; calls on one rh_redhost take turns] */
rh_status rh_reduce(rh_redhost *redhost, const rh_request *request, rh_result *result,
                    rh_error *error);

/* ---- Distributed: data that several processes hold ----
 *
 *     static int32_t gather(void *comm, const void *mine, uint32_t n, void *all) {
 *       return MPI_Allgather(mine, (int)n, MPI_BYTE, all, (int)n, MPI_BYTE, *(MPI_Comm *)comm);
 *     }
 *     rh_communicator ranks = {.struct_size = sizeof ranks, .rank = rank, .size = size,
 *                              .gather = gather, .user = &comm};
 *     status = rh_reduce_distributed(redhost, &request, &ranks, &result, &error);
 *
 * The processes, or *ranks*, of a job exchange a few KiB through a function of the program: redhost
 * is not linked with MPI and opens no MPI library, so any MPI, any communicator and anything else
 * that gathers will do. */

/* This rank's place, and how the ranks exchange bytes. */
typedef struct rh_communicator {
  uint32_t struct_size; /* sizeof(rh_communicator) */
  uint32_t rank;        /* 0 .. size-1 */
  uint32_t size;        /* ranks, 1 to 2^20 */
  uint32_t reserved;    /* 0 */
  /* Copies mine[0] .. mine[n-1] of every rank to every rank: all[r * n] .. all[r * n + n - 1] are
   * those of rank r.  n: 1 to 65536 bytes, the same in all ranks.  The arrays are redhost's, valid
   * during the call, and do not overlap.  Returns 0, or another number if it failed; then it fails
   * in all ranks sooner or later, or ends the job.  Called in the thread that called redhost, which
   * holds no lock meanwhile, by all ranks equally often; never if size is 1, and may be null
   * then. */
  int32_t (*gather)(void *user, const void *mine, uint32_t n, void *all);
  void *user; /* the first argument of gather */
} rh_communicator;

/* Reduces the elements that all ranks hold, as rh_reduce() does those of one array.  `data`, or
 * those of `inputs`, are this rank's own n elements, which may be none; the whole are those of rank
 * 0, then those of rank 1, and so on.  Indices in the answer, and `i` in maps, count from the first
 * element of the whole, and `n` in maps counts all.
 *
 * Every rank of the communicator makes the same call, with the same operator, types, constants,
 * `segments`, `accuracy` and `unchecked`.  n, strategy, settings, outputs and device may differ.
 * Every rank gets the same result, with the bits that one process gets for the whole, however it is
 * divided: with any strategy if the operator is exact, else with those that promise
 * RH_CANONICAL_ORDER, of which "auto" takes one.  result->strategy is that of the first rank that
 * has elements.
 *
 * Each rank reduces its own elements where they are, in its thread, or streams them to its device
 * as rh_reduce() does, and checks them against an exact reference.  Ranks exchange values, and the
 * elements of at most one tile of 2 KiB for each boundary between them.  Setups are kept as those
 * of rh_reduce() are.
 *
 * `segments` are those of the whole, whose n they count from, in C order; axes whose segments are
 * neither rows nor columns of that order are RH_E_USAGE.  All results go to the outputs of every
 * rank; one that wants none has no outputs.  A segment may have elements of several ranks, which
 * reduce nodes of its canonical order each: for each boundary the elements up to the next node of
 * a segment, up to 2 KiB of it, go to the rank before, and so do those of all columns that are cut
 * there.  Nothing is kept set up, and a rank starts a thread.
 *
 * A failure in one rank is the failure of all: each returns that status, with the same sentence,
 * which names the rank and its host.  A rank that fails says so when it exchanges next, so the
 * others return when they have reduced their own elements.  Differing requests are RH_E_USAGE in
 * all ranks.  Only three failures are not shared, after which the program must end the job, as by
 * MPI_Abort(): a communicator that is malformed (RH_E_USAGE), a gather that fails (RH_E_PLUGIN),
 * and no memory for what the ranks say (RH_E_NOMEM; at least 24 bytes for each rank).  *result is
 * written only on success.
 * [any thread; calls on one rh_redhost take turns while they reduce, not while they exchange] */
rh_status rh_reduce_distributed(rh_redhost *redhost, const rh_request *request,
                                const rh_communicator *communicator, rh_result *result,
                                rh_error *error);

/* ---- Parts: for any scheduler, between processes, machines and days ----
 *
 *     rh_reduce_part(redhost, &request, first, 0, &part, &bytes, &error);   in each task
 *     rh_merge_parts(redhost, parts, sizes, n, &all, &all_bytes, &error);   in any order
 *     rh_part_result(redhost, all, all_bytes, &result, &error);
 *
 * A part is what a run of elements comes to, as bytes that know their operator, their place in the
 * whole, and what was exactly computed for the check: a few KiB, however many elements it is of.
 * docs/inside/partial-file.md has each byte.  `redhost --partial` writes and `redhost --merge`
 * reads the same. */

/* Reduces request->n elements, which may be none, to a part: element 0 of the request's arrays is
 * number `first` of the whole.  whole_n: the number of elements of the whole, which maps that use n
 * need, or 0 if it is not known; then the whole ends with the last part that is merged.  The
 * request is as rh_reduce() takes it, and each part is checked as that would check it; RH_E_WRONG
 * names the elements.  Any cut will do, but for maps whose functions have other bits on other
 * devices (sin, exp, ...): their parts begin at multiples of a tile, 2 KiB of the widest operand;
 * else RH_E_USAGE.  On success *part has *bytes bytes, to be released by rh_part_free().
 * [any thread; calls on one rh_redhost take turns] */
rh_status rh_reduce_part(rh_redhost *redhost, const rh_request *request, uint64_t first,
                         uint64_t whole_n, void **part, uint64_t *bytes, rh_error *error);

/* Merges n_parts parts, parts[k] with bytes[k] bytes, in any order and with any gaps, to one, to be
 * released by rh_part_free(); the parts stay as they are.  RH_E_FILE, in a sentence, for bytes that
 * redhost did not write, that are cut or damaged, that are of another version or machine, or of
 * another operator, type, accuracy or check than the first one, and for elements that two have.
 * A part of an operator in OpenCL C holds a program, which merging compiles and runs: merge only
 * parts of which you know where they come from.
 * [any thread; calls on one rh_redhost take turns] */
rh_status rh_merge_parts(rh_redhost *redhost, const void *const *parts, const uint64_t *bytes,
                         uint64_t n_parts, void **merged, uint64_t *merged_bytes, rh_error *error);

/* The answer of a part of which no element is missing from number 0 on: the value, with the bits of
 * one call on the whole by a strategy that promises RH_CANONICAL_ORDER, compared with the exact
 * reference unless the parts were unchecked (RH_E_WRONG).  RH_E_FILE names the first element that
 * is missing, or is as rh_merge_parts() says.  *result is written only on success.
 * [any thread; calls on one rh_redhost take turns] */
rh_status rh_part_result(rh_redhost *redhost, const void *part, uint64_t bytes, rh_result *result,
                         rh_error *error);

/* null is legal.  [any thread] */
void rh_part_free(void *part);

/* ---- Prepared: set up once, run many times ----
 *
 *     rh_request most = {.struct_size = sizeof most, .type = RH_TYPE_f32, .op = "sum",
 *                        .n = 1 << 20};
 *     rh_prepared *sum;
 *     if (rh_prepare(redhost, &most, &sum, &error) != RH_OK) { ... error.message ... }
 *     while (...) rh_prepared_run(sum, x, n, &result, &error);
 *     rh_prepared_destroy(sum);
 *
 * rh_prepare() chooses the strategy, builds and allocates.  A call then costs the strategy's own
 * commands and one small read, or with a host strategy the strategy itself and some 50 ns: nothing
 * is allocated, built or mapped, and OpenCL is queried only for the context, flags and size of a
 * caller's buffers, which takes some 100 ns.  Only a call with arrays of the host that are streamed
 * starts threads, and allocates a little of the host's memory for them.
 *
 * A call's answer is not compared with a reference, which would cost more than the call.  Instead
 * rh_prepare() runs a self-test: the strategy reduces a few thousand generated elements twice, or
 * some segments of them, and its answers are checked as in rh_reduce().  The self-test also absorbs
 * the driver's work at a first launch.  To have every answer checked, call rh_reduce().  The plugin
 * runs in this process, as there.
 *
 * After a failed call everything can be used as before. */
typedef struct rh_prepared rh_prepared;

/* With "auto", a strategy that cannot be set up is left out from then on, as a warning says, and
 * another one is chosen; so it is in rh_reduce().  If all fail, the error is the first one's.
 * *prepared is null on failure: RH_DECLINED if the strategy cannot serve this problem, RH_E_WRONG
 * if its answers are wrong, RH_E_DEVICE if the device cannot hold request->n elements and they are
 * not streamed, RH_E_USAGE for unknown names.  After rh_close() an rh_prepared keeps working, and
 * the last rh_prepared_destroy() releases the rest.  [any thread, in turn with rh_reduce and
 * rh_prepared_destroy] */
rh_status rh_prepare(rh_redhost *redhost, const rh_request *request, rh_prepared **prepared,
                     rh_error *error);

/* Reduces data[0] .. data[n-1] in host memory, naturally aligned, never written; null if n is 0.
 * Rejects more elements than the reduction was prepared for, null or misaligned data, and n = 0 if
 * the operator has no answer for it.
 *
 * If the device has its own memory, the data are first copied there, into a buffer from
 * rh_prepare(), or if they have more than 16 MiB, are streamed as in rh_reduce(): where a call may
 * have as many, rh_prepare() pins and allocates what that takes, for this rh_prepared alone.  So
 * they may be more than the device holds, unless there is rh_options.queue, whose buffers may
 * follow.  If the device shares the host's memory, they are used in place, through a small OpenCL
 * object for the array.  With a CPU device that object is kept: another call on the same array, or
 * on a part of it, costs nothing extra; a call on another array replaces the object.  Until then,
 * or until rh_prepared_forget() or rh_prepared_destroy(), the array must stay allocated; its
 * contents may change between calls.  With other devices each call creates and releases the object,
 * because OpenCL lets a device cache such memory.  [one call at a time per rh_prepared, else
 * RH_E_INVALID; several rh_prepareds in parallel] */
rh_status rh_prepared_run(rh_prepared *prepared, const void *data, uint64_t n, rh_result *result,
                          rh_error *error);

/* Where the elements of a call are, and where its value goes. */
typedef struct rh_call_spec {
  uint32_t struct_size; /* sizeof(rh_call_spec) */
  uint32_t n_operands;  /* of `arrays` or `buffers`, in the order of rh_request.inputs; 0: 1 */
  uint64_t n;           /* elements of each */
  /* Operands in host memory, or buffers: one of the two lists.  Reduced are elements first[k] ..
   * first[k]+n-1 of operand k; first: null means zeros.  Indices in the answer count from there. */
  const void *const *arrays;
  struct _cl_mem *const *buffers;
  const uint64_t *first;
  /* Not null, and only with buffers: the value is written to values[index], counted in values of
   * rh_prepared_value_bytes(), for rh_prepared_decode() to read, and nothing waits for it; that of
   * segment s to values[index + s]. */
  struct _cl_mem *values;
  uint64_t index;
  /* Of a reduction that was prepared for segments, and of no other: as in rh_request.  None with
   * `values`. */
  const rh_output *outputs;
  uint64_t n_outputs;
} rh_call_spec;

/* Reduces what *call says.  *call and its lists are read during the call only.
 *
 * Arrays are treated as those of rh_prepared_run().
 *
 * Buffers are cl_mems in the context of rh_options.queue, borrowed, and may be sub-buffers.  The
 * call runs in that queue, after the commands already enqueued there, and returns when the answer
 * is available.  RH_E_USAGE without rh_options.queue, for a buffer of another context, one that is
 * too short for first+n elements, and one that is CL_MEM_WRITE_ONLY; other arguments are checked as
 * above.  If a buffer uses the caller's memory (CL_MEM_USE_HOST_PTR), that memory must start at a
 * multiple of the device's CL_DEVICE_MEM_BASE_ADDR_ALIGN, as sub-buffers do, because kernels load
 * vectors.
 *
 * With `values` the call only enqueues commands.  It requires result_on_device, and *result is not
 * used and may be null.  The buffers and `values` must live until these commands complete; the
 * queue is not flushed.  `values` is checked as buffers are, must have room for index+1 values, and
 * must not be CL_MEM_READ_ONLY.
 *
 * For segments, arrays or buffers have the n elements of rh_prepare(), and results are written to
 * `outputs`, or with `values` stay there, as many as there are segments.  Of arrays a copy of
 * elements, and large outputs, start threads.  rh_prepared_run() is RH_E_USAGE.
 * [threads as above] */
rh_status rh_prepared_call(rh_prepared *prepared, const rh_call_spec *call, rh_result *result,
                           rh_error *error);

/* Other values for constants of rh_prepare(), by name, for all calls that follow; those that are
 * not named keep theirs.  Nothing is built or copied to a device.  RH_E_USAGE, with nothing
 * changed, for a name that rh_prepare() did not get, or a fraction for a constant that was an
 * integer.
 * [threads as above] */
rh_status rh_prepared_set_constants(rh_prepared *prepared, const rh_constant *constants, uint64_t n,
                                    rh_error *error);

/* Bytes of a value: 4, 8 or 16; of several operators in one pass and of `reduce` a
 * multiple of 4 up to 128.  For sums, and products of integers, a value is the plain number (64-bit
 * for integers, float for f16 and f32); for products of floats a pair of mantissa and exponent
 * (docs/inside/bits.md); for min, max and amax of floats an order key, as computed by rh_key() in
 * kernels/prelude/operators.cl; for argmin, argmax and argamax a pair.  [any thread] */
uint32_t rh_prepared_value_bytes(const rh_prepared *prepared);
/* Converts a value over n elements, of a segment its own, to a result.  Does nothing if
 * result->struct_size is wrong.  [any thread] */
void rh_prepared_decode(const rh_prepared *prepared, const void *value, uint64_t n,
                        rh_result *result);

/* Releases the array of the last rh_prepared_run().  Does nothing if no array is kept; null is
 * legal.  Waits for a call in progress in another thread. */
void rh_prepared_forget(rh_prepared *prepared);

/* Waits for a call in progress in another thread and for the queue, and releases everything; null
 * is legal.  [any thread, in turn with rh_reduce and rh_prepare] */
void rh_prepared_destroy(rh_prepared *prepared);

/* Releases everything except the rh_prepareds that still exist and what they need; null is legal.
 * No other call on *redhost may be in progress or follow. */
void rh_close(rh_redhost *redhost);

/* "0.1.0". */
const char *rh_version(void);

/* "RH_E_FILE"; "unknown status" for another number.  A call has succeeded if its status is RH_OK:
 * RH_DECLINED is 1, so to ask whether it is negative is not enough.  [any thread] */
const char *rh_status_name(rh_status status);

/* The answer as a double, which rounds integers beyond 2^53; of argmin and its like the element at
 * the index.  [any thread] */
double rh_result_number(const rh_result *result);

#ifdef __cplusplus
}
#endif
#endif
