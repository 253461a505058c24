/* A thread for a part whose calls wait for their end, so that several of them run at a time. */
#pragma once

#include "resident_part.h"

#include <pthread.h>

/* Zero-initialised may be finished.  Must not be moved once it is started. */
typedef struct rh_crew {
  rh_resident_part *part; /* null: not started */
  pthread_t thread;
  pthread_mutex_t lock; /* of what follows */
  pthread_cond_t changed;
  int is_asked, is_ending;
  rh_error error; /* of the latest call */
} rh_crew;

rh_status rh_crew_start(rh_crew *crew, rh_resident_part *part, rh_error *error);
void rh_crew_finish(rh_crew *crew);

/* Begins one call, and waits for its end. */
void rh_crew_begin(rh_crew *crew);
rh_status rh_crew_end(rh_crew *crew, rh_error *error);
