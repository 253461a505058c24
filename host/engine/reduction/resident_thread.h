/* A thread for a part whose calls wait for their end, so that several of them run at a time. */
#pragma once

#include "resident_part.h"

#include <pthread.h>

/* Zero-initialised may be finished.  Must not be moved once it is started. */
typedef struct rh_part_thread {
  rh_resident_part *part; /* null: not started */
  pthread_t thread;
  pthread_mutex_t lock; /* of what follows */
  pthread_cond_t changed;
  int is_asked, is_ending;
  rh_error error; /* of the latest call */
} rh_part_thread;

rh_status rh_part_thread_start(rh_part_thread *thread, rh_resident_part *part, rh_error *error);
void rh_part_thread_finish(rh_part_thread *thread);

/* Begins one call, and waits for its end. */
void rh_part_thread_begin(rh_part_thread *thread);
rh_status rh_part_thread_end(rh_part_thread *thread, rh_error *error);
