/* The library's calls: what a handle keeps between them, and how a request becomes a job. */
#pragma once

#include <stdatomic.h>

#include "../engine/reduction/reduction.h"

/* ---- Calls by the fast path ---- */

static inline int rh_call_is_fast(const rh_call *call, uint64_t n, const rh_result *result) {
  return n - 1 < call->fast_max_n && result &&
         result->struct_size - RH_WITHOUT_FIELDS <= sizeof *result - RH_WITHOUT_FIELDS;
}

/* A host strategy reads this: the array, or the operands' arrays; null if one is misaligned. */
static inline const void *rh_call_host_input(const rh_call *call, const void *const *data) {
  for (uint32_t k = 0; k < call->n_operands; k++) {
    if (!rh_operand_is_aligned(data[k], call->sizes[k])) return NULL;
    if (call->arrays) call->arrays->operands[k] = data[k];
  }
  return call->arrays ? (const void *)call->arrays : data[0];
}

/* RH_E_USAGE: the first of the arguments that is null; what: the last one. */
rh_status rh_say_null(const char *function, const void *redhost, const void *request,
                      const char *what, rh_error *error);

/* The problems that rh_reduce() keeps set up, so that a repeated problem costs little more than its
 * run.
 *
 * A kept job serves every n of its class: sizes up to a few MiB, and those that are streamed, are
 * set up for the next power of two, others exactly.  Of those for segments, which serve the same
 * ones again, only the latest is kept, if it takes little memory.  Nothing that is kept depends on
 * the caller's memory: the data are brought to a job for one call. */

enum {
  RH_KEPT_SETUPS = 8, /* unless rh_options says otherwise; the least recently used one goes */
  RH_KEPT_BYTES = 64u << 20, /* of device memory, for each job and each input that they share */
};

typedef struct rh_kept_job {
  rh_request asked;      /* what it was set up for, with the constants' values now, without data */
  rh_call call;          /* unless the arrays are streamed */
  uint64_t most_class_n; /* up to so many elements, sizes are rounded up */
  uint64_t most_whole_n; /* more may be streamed */
  uint32_t blame;        /* rh_context.blame when it was set up */
  /* Set up; its input and data are not used.  A job whose arrays are streamed is only opened, for
   * what there is to know of it. */
  rh_job job;
  rh_worker *ring;                /* of such a job; null: arrays go there as a whole */
  rh_custom *custom;              /* the user's operator of the job, or null */
  struct rh_segmented *segmented; /* not null: of the job only the spec counts */
} rh_kept_job;

/* Zero-initialised is empty. */
typedef struct rh_kept {
  rh_kept_job **jobs; /* the most recently used first */
  uint32_t n;
  /* of the operands of the call in progress; the device's own buffers are kept */
  rh_cl_input inputs[RH_MOST_OPERANDS];
  rh_staging staging; /* of all rings, which borrow it */
} rh_kept;

/* ---- Programs hold a context, behind a lock, and what the library keeps of their calls ---- */

struct rh_redhost {
  rh_context *context; /* all but its options changes under the lock */
  /* of the public functions but prepared runs */
  pthread_mutex_t lock;
  rh_kept kept;        /* problems that rh_reduce() keeps set up */
  uint32_t n_prepared; /* prepared reductions that are not destroyed */
  int closed;          /* rh_close() was called; the last prepared reduction releases everything */
};

/* Locks *redhost for a public function other than a prepared run.  RH_E_INVALID if this thread
 * already holds the lock, in a callback of the caller's; or if the context is lost, or locked by a
 * thread that a forked process does not have. */
rh_status rh_redhost_enter(rh_redhost *redhost, rh_error *error);
/* releases it if it is closed and nothing prepared is left */
void rh_redhost_leave(rh_redhost *redhost);

/* ---- The problems that are kept ---- */

/* May the arrays be streamed?  A user's operator needs rh_custom_take_base() then. */
int rh_kept_may_ring(const rh_redhost *redhost, const rh_job_spec *spec);

/* A call by a job for the request that is set up for at least n elements: a kept one, to which a
 * comparison of the requests leads, or a new one.  is_part: they are a part of more.  RH_E_USAGE
 * for a request that cannot be meant.  `use` gets the job, once for each strategy that is tried. */
typedef rh_status rh_kept_use(void *user, rh_kept_job *kept, rh_error *error);
rh_status rh_kept_call(rh_redhost *redhost, const rh_request *request, uint64_t n, int is_part,
                       rh_kept_use *use, void *user, rh_error *error);

/* The job of an earlier call if the request is the same but for its data, or null. */
rh_kept_job *rh_kept_same(rh_redhost *redhost, const rh_request *request);

/* The job that is set up: for all elements that it serves, a chunk of the ring, or segments. */
rh_job *rh_kept_working(rh_kept_job *kept);

/* Adds what elements first .. first+n-1 of arrays come to.  A job that is a part's, set up for
 * rh_kept_chunk() elements or a ring.  RH_E_WRONG for a wrong chunk. */
rh_status rh_kept_reduce_part(rh_redhost *redhost, rh_kept_job *kept, const rh_source *arrays,
                              uint64_t first, uint64_t n, rh_partial *partial, rh_error *error);
/* The most elements of a chunk, in a part of that many. */
uint64_t rh_kept_chunk(const rh_job_spec *job, uint64_t n);

void rh_kept_finish(rh_redhost *redhost);

/* Warns of an answer on which there is no verdict. */
void rh_warn_unjudged(const rh_redhost *redhost, const char *strategy, const rh_verdict *verdict);

/* A caller's rh_request: what it asks for, whether it can be meant, and whether another one asks
 * for the same. */

/* *spec = what is reduced; its strings and settings are the request's.  context: where operator
 * files are searched for and remembered; the caller has locked the rh_redhost.  *made: what
 * spec->op points to, to be destroyed by the caller, or null if the operator is built in. */
rh_status rh_request_name(const rh_request *request, rh_context *context, rh_job_spec *spec,
                          rh_custom **made, rh_error *error);

/* The values of `self` with those that the constants name changed. */
rh_status rh_request_constants(const rh_custom *self, const rh_constant *constants, uint64_t n,
                               rh_expr_value values[RH_MOST_CONSTANTS], rh_error *error);

/* The operands' elements: the inputs', or else the request's own. */
void rh_request_data(const rh_request *request, const void *data[RH_MOST_OPERANDS]);

/* RH_E_USAGE if a field cannot be meant, or data are null or misaligned.  No elements are not
 * refused. */
rh_status rh_request_check(const rh_request *request, const rh_job_spec *spec,
                           const void *const *data, rh_error *error);

/* A copy without data, which shares nothing with the caller's: *to, which rh_request_release()
 * frees, also after a failure. */
rh_status rh_request_copy(rh_request *to, const rh_request *from, rh_error *error);
void rh_request_release(rh_request *copy); /* zero-initialised is fine */

/* Does the request name the same problem, word by word, as the copy?  Data, n, the values of
 * constants, and whether and how the answer is checked are not compared. */
int rh_request_asks_same(const rh_request *copy, const rh_request *request);

/* ---- A caller's request for a part whose elements are in memory ---- */

typedef struct rh_part_request {
  rh_request request;
  rh_job_spec job;
  rh_custom *own; /* the user's operator, or null; to be destroyed */
  const void *data[RH_MOST_OPERANDS];
} rh_part_request;

/* A call by a job that is set up for at least `most` elements, or streams all. */
rh_status rh_part_request_call(const rh_part_request *asked, rh_redhost *redhost, uint64_t most,
                               rh_kept_use *use, void *user, rh_error *error);

/* Reads the request and judges it.  No elements are not refused. */
rh_status rh_part_request_read(rh_part_request *asked, rh_redhost *redhost,
                               const rh_request *request, rh_error *error);

/* ---- A reduction of segments, as a program asks for it: at once, or in prepared calls ---- */

/* Zero-initialised is empty. */
typedef struct rh_segmented {
  rh_job_spec *spec; /* what is asked for; its strategy may be "auto"; borrowed */
  rh_layout layout;
  rh_axes axes;
  int is_scattered;      /* 1: the layout is that of a copy of the axes' elements */
  uint64_t *offsets;     /* of the layout, copied or made; or null */
  rh_segmentation given; /* whose lists the caller may have changed since, but for these of axes: */
  uint64_t axes_given[2][RH_MOST_AXES];
  rh_columns columns; /* of results */
  rh_found found;     /* the strategy */
  rh_segments segments;
} rh_segmented;

/* Names what is reduced: *spec, which gets the layout, is of rh_request_name(), as is custom.  Up
 * to most_copied offsets are copied; of more, the caller's are used.  RH_E_USAGE for segments that
 * are none. */
rh_status rh_segmented_name(rh_segmented *segmented, rh_job_spec *spec, const rh_request *request,
                            rh_custom *custom, uint64_t most_copied, rh_error *error);
/* Are they the same ones, number by number? */
int rh_segmented_is_of(const rh_segmented *segmented, const rh_segmentation *asked);
rh_status rh_segmented_check_outputs(const rh_segmented *segmented, const rh_output *outputs,
                                     uint64_t n, rh_error *error);

/* Finds the strategy, and sets it up.  *is_final: 1 if no other needs less memory for the values.
 * Locked. */
rh_status rh_segmented_set_up(rh_segmented *segmented, rh_context *context, int *is_final,
                              rh_error *error);
void rh_segmented_undo(rh_segmented *segmented); /* also of what has failed */
void rh_segmented_finish(rh_segmented *segmented);
/* May it be kept?  A setup for a whole array may take as much. */
int rh_segmented_takes_little(const rh_segmented *segmented);

/* RH_E_WRONG for a segment whose result is. */
rh_status rh_segmented_reduce(rh_segmented *segmented, const void *const *operands, int is_checked,
                              const rh_output *outputs, uint64_t n_outputs, rh_result *result,
                              rh_error *error);

/* Reduces the n elements that it was set up for: from operands[k] on, or those of the call's
 * buffers, which have them.  Results go to its outputs, or without a wait to its values.  Not
 * locked. */
rh_status rh_segmented_call(rh_segmented *segmented, const rh_call_spec *call,
                            const void *const *operands, rh_result *result, rh_error *error);

/* What is said and given of values that are there. */
void rh_segmented_warn(const rh_segmented *segmented, const rh_segments_check *check);
void rh_segmented_store(const rh_segmented *segmented, const rh_output *outputs, uint64_t n,
                        rh_result *result);

/* ---- A prepared reduction: what rh_prepare() sets up, and calls use ---- */

struct rh_prepared {
  atomic_int busy; /* 1: a call is in progress */
  rh_call call;
  /* The operands' way to a device, kept between calls: its own buffer, or the latest array in
   * place. */
  rh_cl_input inputs[RH_MOST_OPERANDS];
  rh_redhost *redhost;
  uint64_t max_n;
  rh_job_spec asked; /* with texts and settings of the caller's, during rh_prepare() only */
  rh_custom *custom; /* that of asked.operation.op, or null */
  /* The call has it, too; the job may then be set up for no more than call.most_whole elements. */
  rh_worker *ring;
  uint32_t data_on_device, result_on_device;
  rh_segmented *segmented; /* not null: segments are reduced by it, and `job` has no instance */
  rh_job job;              /* its input is not used */
};

/* ---- One call at a time ---- */

static inline int rh_prepared_take(rh_prepared *p) {
  return !atomic_exchange_explicit(&p->busy, 1, memory_order_acquire);
}

static inline void rh_prepared_leave(rh_prepared *p) {
  atomic_store_explicit(&p->busy, 0, memory_order_release);
}

/* Waits for the call in progress to end. */
static inline void rh_prepared_await(rh_prepared *p) {
  const struct timespec pause = {0, 50000};
  while (!rh_prepared_take(p)) nanosleep(&pause, NULL);
}
