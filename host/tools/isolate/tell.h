/* The lines that a child says while its strategy works.  A plugin may log on any thread, and while
 * the process ends: so a teller is static. */
#pragma once

#include "../../core/base/log.h"
#include "../../core/child/channel.h"
#include <pthread.h>

typedef struct rh_teller {
  rh_channel channel;
  pthread_mutex_t lock;
  uint64_t logs;
} rh_teller;

/* 0, or -1. */
int rh_tell(rh_teller *teller, const char *format, ...) __attribute__((format(printf, 2, 3)));
int rh_tell_error(rh_teller *teller, const rh_error *error);

/* Of an rh_reporter, whose `user` is the teller. */
void rh_tell_log(void *teller, uint32_t level, const char *text);
int rh_tell_progress(void *teller, const char *activity, uint64_t done, uint64_t total);
