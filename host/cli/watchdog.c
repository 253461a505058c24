#include "watchdog.h"
#include "../core/base/clock.h"

#include <time.h>
#include <unistd.h>

static void *watch(void *of_dog) {
  rh_watchdog *dog = of_dog;
  struct timespec until = {.tv_sec = (time_t)dog->deadline};
  until.tv_nsec = (long)(1e9 * (dog->deadline - (double)until.tv_sec));
  pthread_mutex_lock(&dog->lock);
  while (!dog->ends && rh_now() < dog->deadline)
    pthread_cond_timedwait(&dog->changed, &dog->lock, &until);
  int ends = dog->ends;
  pthread_mutex_unlock(&dog->lock);
  if (ends) return NULL;
  rh_terminal_say(dog->terminal, dog->sentence);
  _exit(dog->exit_status);
}

void rh_watchdog_start(rh_watchdog *dog, double seconds, rh_terminal *terminal,
                       const char *sentence, int exit_status) {
  pthread_condattr_t attributes;
  *dog = (rh_watchdog){.deadline = rh_now() + seconds,
                       .terminal = terminal,
                       .sentence = sentence,
                       .exit_status = exit_status};
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_mutex_init(&dog->lock, NULL);
  pthread_cond_init(&dog->changed, &attributes);
  pthread_condattr_destroy(&attributes);
  dog->runs = pthread_create(&dog->thread, NULL, watch, dog) == 0;
}

void rh_watchdog_stop(rh_watchdog *dog) {
  if (!dog->runs) return;
  pthread_mutex_lock(&dog->lock);
  dog->ends = 1;
  pthread_cond_signal(&dog->changed);
  pthread_mutex_unlock(&dog->lock);
  pthread_join(dog->thread, NULL);
  pthread_cond_destroy(&dog->changed);
  pthread_mutex_destroy(&dog->lock);
  dog->runs = 0;
}
