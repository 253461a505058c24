#include "resident_crew.h"
#include "../../core/base/error.h"

static void *crew_main(void *of_crew) {
  rh_crew *crew = of_crew;
  pthread_mutex_lock(&crew->lock);
  for (;;) {
    while (!crew->is_asked && !crew->is_ending) pthread_cond_wait(&crew->changed, &crew->lock);
    if (!crew->is_asked) break;
    pthread_mutex_unlock(&crew->lock);
    rh_error error = {0};
    rh_resident_part_begin(crew->part, &error);
    pthread_mutex_lock(&crew->lock);
    crew->error = error;
    crew->is_asked = 0;
    pthread_cond_broadcast(&crew->changed);
  }
  pthread_mutex_unlock(&crew->lock);
  return NULL;
}

rh_status rh_crew_start(rh_crew *crew, rh_resident_part *part, rh_error *error) {
  *crew = (rh_crew){.part = part};
  pthread_mutex_init(&crew->lock, NULL);
  pthread_cond_init(&crew->changed, NULL);
  if (pthread_create(&crew->thread, NULL, crew_main, crew) == 0) return RH_OK;
  pthread_cond_destroy(&crew->changed);
  pthread_mutex_destroy(&crew->lock);
  crew->part = NULL;
  return rh_fail(error, RH_E_NOMEM, "no thread could be started for a device");
}

void rh_crew_finish(rh_crew *crew) {
  if (!crew->part) return;
  pthread_mutex_lock(&crew->lock);
  crew->is_ending = 1;
  pthread_cond_broadcast(&crew->changed);
  pthread_mutex_unlock(&crew->lock);
  pthread_join(crew->thread, NULL);
  pthread_cond_destroy(&crew->changed);
  pthread_mutex_destroy(&crew->lock);
  *crew = (rh_crew){0};
}

void rh_crew_begin(rh_crew *crew) {
  pthread_mutex_lock(&crew->lock);
  crew->is_asked = 1;
  pthread_cond_broadcast(&crew->changed);
  pthread_mutex_unlock(&crew->lock);
}

rh_status rh_crew_end(rh_crew *crew, rh_error *error) {
  pthread_mutex_lock(&crew->lock);
  while (crew->is_asked) pthread_cond_wait(&crew->changed, &crew->lock);
  rh_error why = crew->error;
  pthread_mutex_unlock(&crew->lock);
  if (why.status != RH_OK && error) *error = why;
  return why.status;
}
