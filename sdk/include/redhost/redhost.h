/* redhost/redhost.h: libredhost, for programs that want a reduction.  SPDX-License-Identifier: MIT
 *
 *     rh_redhost *redhost;
 *     rh_error error;
 *     if (rh_open(&redhost, NULL, &error) != RH_OK) { ... error.message ... }
 *     rh_request request = {.struct_size = sizeof request, .op = "sum", .type = RH_TYPE_f32,
 *                           .data = x, .n = n};
 *     rh_result result = {.struct_size = sizeof result};
 *     if (rh_reduce(redhost, &request, &result, &error) == RH_OK) use(result.value.f);
 *     rh_close(redhost);
 *
 * and rh_prepare(), below, for a program that wants to choose when things are set up, or whose data
 * are on a device.
 *
 * The library never prints, never exits and keeps no global state.  Errors come back as a status
 * and, in words, in an rh_error of the caller's.  A null pointer where none is allowed is
 * RH_E_USAGE with a sentence; functions that return nothing then do nothing.  The library exports
 * what this header declares, and nothing else.
 *
 * Sizes.  rh_options, rh_request, rh_result and rh_prepare_spec will grow: later versions append
 * fields.  The caller sets struct_size to the size of the struct as its own compiler sees it, and
 * everything that it does not set to zero, as an initialiser does.  A zero means the default.
 *   - A struct of an earlier version is shorter: the fields that it lacks are zero.
 *   - A struct of a later version is longer: the call succeeds if the fields that this version does
 *     not know are zero, and is RH_E_USAGE otherwise.
 *   - A size of 0, or one smaller than in 0.1, is RH_E_USAGE.
 *   - An rh_result is written as far as both sides know it; struct_size keeps its value.
 * rh_error, rh_reporter and rh_setting carry no size and stay as they are.
 *
 * Threads.  What may run at the same time:
 *   - anything on different rh_redhosts, rh_open() and rh_close() among it;
 *   - rh_reduce(), rh_prepare() and rh_prepared_destroy() on one rh_redhost: they take turns;
 *   - calls of different rh_prepareds, with each other and with all of the above: they take no
 *     lock,
 *     and share only the device, or the caller's queue, which runs their commands in turn.
 * What may not:
 *   - two calls of one rh_prepared: the later one is RH_E_INVALID, and the other one's answer is
 *     right.  rh_prepared_forget() and rh_prepared_destroy() wait for a call that is under way; no
 *     call may begin after rh_prepared_destroy();
 *   - rh_close() beside a call on the same rh_redhost, other than those of its rh_prepareds;
 *   - a callback of rh_reporter that calls the library on the same rh_redhost: RH_E_INVALID. */
#ifndef REDHOST_REDHOST_H
#define REDHOST_REDHOST_H

#include "plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Why a call failed.  Filled by every function that takes one, whenever it returns anything but
 * RH_OK; may be null. */
typedef struct rh_error {
  rh_status status;
  int32_t cl_code;    /* OpenCL's own error, or 0 */
  char message[1024]; /* one sentence or more, no newline: what, where, and what to do */
} rh_error;

/* Receives log messages and progress.  Both functions may be null; they are called on the
 * thread that called the library, so by several at once where several run what they prepared. */
typedef struct rh_reporter {
  void *user;
  void (*log)(void *user, uint32_t level, const char *text); /* RH_LOG_* */
  /* `done` of `total` bytes or elements (total 0: unknown) of "reading", "upload", "reference"...;
   * called a few times a second.  Non-zero cancels the call: it returns RH_E_CANCELLED. */
  int (*progress)(void *user, const char *phase, uint64_t done, uint64_t total);
} rh_reporter;

/* All strings are copied; null or 0 means the default. */
typedef struct rh_options {
  uint32_t struct_size;    /* sizeof(rh_options) */
  uint32_t no_cache;       /* 1: neither read nor write compiled programs and tuning results */
  const char *device;      /* "0:1", "gpu", part of a name; default: REDHOST_DEVICE, else GPU,
                              accelerator, CPU */
  const char *plugin_file; /* one more plugin, or description of a foreign
                              function, before all others */
  const char *plugin_path; /* colon-separated directories, before the environment's */
  const char *cache_dir;   /* default: REDHOST_CACHE_DIR, else $XDG_CACHE_HOME/redhost */
  const char *program; /* the redhost program, which examines plugins in a child; default: beside
                          the library */
  rh_reporter reporter;
  /* A cl_command_queue of the caller's, in order, on a whole device: redhost then works on its
   * device, in its context and in the queue itself, so that buffers of that context can be reduced
   * and commands of the caller's run in turn with redhost's.  Null: redhost makes its own.  Not
   * together with `device`; REDHOST_DEVICE is ignored.  It must live until rh_close
   * and the last rh_prepared_destroy.  One that
   * does not fit is RH_E_USAGE or RH_E_DEVICE where a device is first needed. */
  struct _cl_command_queue *queue;
} rh_options;

typedef struct rh_redhost rh_redhost;

typedef struct rh_setting {
  const char *key, *value;
} rh_setting; /* "tile", "256" */

typedef struct rh_request {
  uint32_t struct_size; /* sizeof(rh_request) */
  rh_type type;         /* of the elements */
  uint32_t unchecked;   /* 1: skip the check against the exact reference */
  uint32_t reserved;    /* 0 */
  const char *strategy; /* null or "auto": the best for problem and device */
  const char *op;       /* "sum", ... */
  /* n elements in host memory, naturally aligned; not written; null where n is 0 */
  const void *data;
  uint64_t n;
  const rh_setting *settings; /* as `redhost --param` takes them */
  uint64_t n_settings;
} rh_request;

/* An answer in the operator's result type: i64 or u64 for sums and products of integers, f32 for
 * those of f16, the element's type else; where magnitudes of integers are combined, the unsigned
 * type of that width.  f16 and f32 stand in `f`, exactly. */
typedef struct rh_result {
  uint32_t struct_size; /* sizeof(rh_result), set by the caller */
  rh_type type;
  uint32_t indexed;  /* 1: `index` is the answer and `value` the element that stands there, of
                       argamax its magnitude */
  uint32_t reserved; /* 0 */
  union {
    int64_t i;
    uint64_t u;
    double f;
  } value;
  uint64_t index;
  char strategy[64];
} rh_result;

/* Opens the library.  Devices and plugins are looked for when they are first needed; what was found
 * then, and what was tuned by then, is what this rh_redhost goes by.  [any thread] */
rh_status rh_open(rh_redhost **redhost, const rh_options *options, rh_error *error);

/* Reduces one array and, unless told otherwise, checks the answer against an exact reference
 * computed on the host: a wrong one is RH_E_WRONG, and *result holds it.  The plugin runs in this
 * process, for the data are this process's own memory; `redhost --run --isolate' runs it in
 * another.
 *
 * What it sets up for a problem (strategy as named, operator, type, settings, and n, which is
 * rounded up to a power of two as long as that is at most 16 MiB) is kept for the next call on that
 * problem.  Without the check that costs little more than a prepared call.  The 8 problems that
 * were used last are kept, each with at most 64 MiB of scratch memory on the device, and one input
 * buffer of at most 64 MiB; rh_close() releases them.  Nothing of the caller's memory is kept:
 * `data` may be changed or freed between calls.  After a failure, and after a wrong answer, it is
 * set up and chosen anew.
 * [any thread; on one rh_redhost one after the other] */
rh_status rh_reduce(rh_redhost *redhost, const rh_request *request, rh_result *result,
                    rh_error *error);

/* ---- Prepared: set up once, run many times ----
 *
 *     rh_prepare_spec spec = {.struct_size = sizeof spec, .op = "sum", .type = RH_TYPE_f32,
 *                             .max_n = 1 << 20};
 *     rh_prepared *sum;
 *     if (rh_prepare(redhost, &spec, &sum, &error) != RH_OK) { ... error.message ... }
 *     while (...) rh_prepared_run(sum, x, n, &result, &error);
 *     rh_prepared_destroy(sum);
 *
 * rh_prepare() chooses the strategy, builds and allocates.  A call then costs what the strategy
 * enqueues and one small read, or with a host strategy the strategy itself and some 50 ns: nothing
 * is allocated, built, mapped or asked of OpenCL.
 *
 * A call's answer is not compared with a reference, which would cost more than the call.  Instead
 * rh_prepare() runs the strategy twice on a few thousand generated elements and judges that as
 * rh_reduce() does; what a driver does only at a first launch is over with it.  To have every
 * answer checked, call rh_reduce().  The plugin runs in this process, as there.
 *
 * After a call that failed everything can be used as before. */
typedef struct rh_prepared rh_prepared;

/* All strings and settings are needed during rh_prepare() only. */
typedef struct rh_prepare_spec {
  uint32_t struct_size; /* sizeof(rh_prepare_spec) */
  rh_type type;         /* of the elements */
  /* 1: the data of all calls stand on the device, and nothing is allocated for others: only
   * rh_prepared_run_buffer() and rh_prepared_enqueue() will do.  A strategy of the host's
   * declines. */
  uint32_t data_on_device;
  uint32_t result_on_device; /* 1: so does the result, for rh_prepared_enqueue(); implies the above.
                                A strategy that finishes on the host declines: many have a
                                parameter finish=device. */
  const char *strategy;      /* null or "auto": the best for problem and device */
  const char *op;            /* "sum", ... */
  uint64_t max_n;            /* elements; no call may have more */
  const rh_setting *settings;
  uint64_t n_settings;
} rh_prepare_spec;

/* *prepared is null on failure: RH_DECLINED where the strategy cannot serve this here, RH_E_WRONG
 * where its answers are wrong here, RH_E_DEVICE where the device cannot hold max_n elements,
 * RH_E_USAGE for unknown names.
 * After rh_close() what was prepared goes on working, and the last rh_prepared_destroy() releases
 * the rest.  [any thread, in turn with rh_reduce and rh_prepared_destroy] */
rh_status rh_prepare(rh_redhost *redhost, const rh_prepare_spec *spec, rh_prepared **prepared,
                     rh_error *error);

/* Reduces data[0] .. data[n-1] in host memory, naturally aligned, not written; null where n is 0.
 * Refuses what can be seen without looking: n > max_n, null or misaligned data, and n = 0 where the
 * operator has no answer for it.
 *
 * Where the strategy runs on a device of its own memory, the data are copied there first, into a
 * buffer from rh_prepare().  Where the device shares the host's memory they are used in place, by a
 * small OpenCL object for the array.  With a CPU device that object is kept: a further call on the
 * same array, or on a part of it, costs nothing, one on another array makes another.  Until then,
 * or until rh_prepared_forget() or rh_prepared_destroy(), the array must stay allocated; what
 * stands in it may change between calls.  With other devices the object is made and released by
 * each call, for OpenCL lets a device hold copies of such memory.
 * [one call at a time per rh_prepared, else RH_E_INVALID; several of them in parallel] */
rh_status rh_prepared_run(rh_prepared *prepared, const void *data, uint64_t n, rh_result *result,
                          rh_error *error);

/* Reduces elements first .. first+n-1 of a cl_mem in the context of rh_options.queue; indices in
 * the answer count from `first`.  Runs in that queue, behind what was enqueued there, and returns
 * when the answer is here.  `buffer` is borrowed; that it has first+n elements and is readable is
 * not checked, the rest as above.  Memory of the caller's in it (CL_MEM_USE_HOST_PTR) starts at a
 * multiple of the device's CL_DEVICE_MEM_BASE_ADDR_ALIGN, as sub-buffers must: kernels load
 * vectors.  [as above] */
rh_status rh_prepared_run_buffer(rh_prepared *prepared, struct _cl_mem *buffer, uint64_t first,
                                 uint64_t n, rh_result *result, rh_error *error);

/* The same without waiting: enqueues what writes the answer to values[index], counted in values of
 * rh_prepared_value_bytes(), which rh_prepared_decode() reads.  `buffer` and `values` must live
 * until the queue is done with it; the queue is not flushed.  Needs result_on_device.  [as
 * above] */
rh_status rh_prepared_enqueue(rh_prepared *prepared, struct _cl_mem *buffer, uint64_t first,
                              uint64_t n, struct _cl_mem *values, uint64_t index, rh_error *error);

/* Bytes of a value: 4, 8 or 16.  Of sums and products it is the plain number (64-bit for integers,
 * float for f16 and f32); of min, max and the magnitudes' max of floats an order key, what rh_key()
 * of kernels/prelude/operators.cl makes of them; of argmin and its like a pair.  [any thread] */
uint32_t rh_prepared_value_bytes(const rh_prepared *prepared);
/* Converts a value over n elements to a result.  Does nothing where result->struct_size is
 * wrong.  [any
 * thread] */
void rh_prepared_decode(const rh_prepared *prepared, const void *value, uint64_t n,
                        rh_result *result);

/* Lets go of the array of the last rh_prepared_run().  Where nothing is kept it does nothing;
 * null is legal.  Waits for a call that is under way in another thread. */
void rh_prepared_forget(rh_prepared *prepared);

/* Waits for a call that is under way in another thread and for the queue, and releases everything;
 * null is legal.  [any thread, in turn with rh_reduce and rh_prepare] */
void rh_prepared_destroy(rh_prepared *prepared);

/* Releases everything but what is prepared and not destroyed, and what that needs; null is legal.
 * No other call on *redhost may be under way or follow. */
void rh_close(rh_redhost *redhost);

/* "0.1.0". */
const char *rh_version(void);

#ifdef __cplusplus
}
#endif
#endif
