#include "reduction.h"

void rh_crew_init(rh_crew *crew) {
  *crew = (rh_crew){.n = 0};
  pthread_mutex_init(&crew->lock, NULL);
  rh_condition_init(&crew->ended);
}

void rh_crew_finish(rh_crew *crew) {
  pthread_cond_destroy(&crew->ended);
  pthread_mutex_destroy(&crew->lock);
}

rh_status rh_crew_start(rh_crew *crew, void *(*run)(void *), void *user, rh_error *error) {
  pthread_mutex_lock(&crew->lock);
  int is_started = pthread_create(&crew->threads[crew->n], NULL, run, user) == 0;
  crew->n += (uint32_t)is_started;
  crew->running += (uint32_t)is_started;
  pthread_mutex_unlock(&crew->lock);
  if (is_started) return RH_OK;
  return rh_fail(error, RH_E_NOMEM, "no thread could be started for a device");
}

void rh_crew_leave(rh_crew *crew) {
  pthread_mutex_lock(&crew->lock);
  crew->running--;
  pthread_cond_signal(&crew->ended);
  pthread_mutex_unlock(&crew->lock);
}

void rh_crew_fail(rh_crew *crew, const rh_error *why) {
  pthread_mutex_lock(&crew->lock);
  if (crew->failure.status == RH_OK) crew->failure = *why;
  pthread_mutex_unlock(&crew->lock);
  atomic_store(&crew->stop, 1);
}

rh_status rh_crew_wait(rh_crew *crew, void (*report)(void *user), void *user, rh_error *error) {
  pthread_mutex_lock(&crew->lock);
  while (crew->running) {
    rh_condition_wait(&crew->ended, &crew->lock, rh_now() + rh_report_period_s);
    pthread_mutex_unlock(&crew->lock);
    report(user);
    pthread_mutex_lock(&crew->lock);
  }
  pthread_mutex_unlock(&crew->lock);
  for (; crew->n; crew->n--) pthread_join(crew->threads[crew->n - 1], NULL);
  return rh_error_pass(error, crew->failure.status, &crew->failure);
}
