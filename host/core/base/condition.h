/* Condition variables that are waited for until a time of the monotonic clock. */
#pragma once

#include <pthread.h>

void rh_condition_init(pthread_cond_t *condition); /* ends with pthread_cond_destroy() */

/* Waits, by `lock`, which the caller holds, until the condition is signalled or until `deadline`,
 * a time of rh_now().  1: it is past. */
int rh_condition_wait(pthread_cond_t *condition, pthread_mutex_t *lock, double deadline);
