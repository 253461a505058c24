#include "watchdog.h"
#include "../core/base/clock.h"
#include "../core/base/condition.h"

static void *watch(void *of_dog) {
  rh_watchdog *dog = of_dog;
  pthread_mutex_lock(&dog->lock);
  while (!dog->ends && !rh_condition_wait(&dog->changed, &dog->lock, dog->deadline)) continue;
  int ends = dog->ends;
  pthread_mutex_unlock(&dog->lock);
  if (ends) return NULL;
  dog->act(dog->user);
  return NULL;
}

void rh_watchdog_start(rh_watchdog *dog, double seconds, void (*act)(void *user), void *user) {
  *dog = (rh_watchdog){.deadline = rh_now() + seconds, .act = act, .user = user};
  pthread_mutex_init(&dog->lock, NULL);
  rh_condition_init(&dog->changed);
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
