/* A prepared reduction: what rh_prepare() sets up, and calls use. */
#pragma once

#include "kept.h"
#include "segmented.h"

#include <stdatomic.h>
#include <time.h>

struct rh_prepared {
  atomic_int busy; /* 1: a call is in progress */
  rh_call call;
  /* The operands' way to a device, kept between calls: its own buffer, or the latest array in
   * place. */
  rh_cl_input inputs[RH_MOST_OPERANDS];
  rh_redhost *redhost;
  uint64_t max_n;
  rh_custom *custom; /* that of job.spec.op, or null */
  /* Arrays of the host with more than most_whole elements are streamed through it: the job may be
   * set up for no more.  Null: none are. */
  rh_worker *ring;
  uint64_t most_whole;
  uint32_t data_on_device, result_on_device;
  rh_segmented *segmented; /* not null: segments are reduced by it, and `call` is empty */
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
