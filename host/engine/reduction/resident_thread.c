#include "resident_thread.h"
#include "../../core/base/error.h"

static void *thread_main(void *of_thread) {
  rh_part_thread *thread = of_thread;
  pthread_mutex_lock(&thread->lock);
  for (;;) {
    while (!thread->is_asked && !thread->is_ending)
      pthread_cond_wait(&thread->changed, &thread->lock);
    if (!thread->is_asked) break;
    pthread_mutex_unlock(&thread->lock);
    rh_error error = {0};
    rh_resident_part_begin(thread->part, &error);
    pthread_mutex_lock(&thread->lock);
    thread->error = error;
    thread->is_asked = 0;
    pthread_cond_broadcast(&thread->changed);
  }
  pthread_mutex_unlock(&thread->lock);
  return NULL;
}

rh_status rh_part_thread_start(rh_part_thread *thread, rh_resident_part *part, rh_error *error) {
  *thread = (rh_part_thread){.part = part};
  pthread_mutex_init(&thread->lock, NULL);
  pthread_cond_init(&thread->changed, NULL);
  if (pthread_create(&thread->thread, NULL, thread_main, thread) == 0) return RH_OK;
  pthread_cond_destroy(&thread->changed);
  pthread_mutex_destroy(&thread->lock);
  thread->part = NULL;
  return rh_fail(error, RH_E_NOMEM, "no thread could be started for a device");
}

void rh_part_thread_finish(rh_part_thread *thread) {
  if (!thread->part) return;
  pthread_mutex_lock(&thread->lock);
  thread->is_ending = 1;
  pthread_cond_broadcast(&thread->changed);
  pthread_mutex_unlock(&thread->lock);
  pthread_join(thread->thread, NULL);
  pthread_cond_destroy(&thread->changed);
  pthread_mutex_destroy(&thread->lock);
  *thread = (rh_part_thread){0};
}

void rh_part_thread_begin(rh_part_thread *thread) {
  pthread_mutex_lock(&thread->lock);
  thread->is_asked = 1;
  pthread_cond_broadcast(&thread->changed);
  pthread_mutex_unlock(&thread->lock);
}

rh_status rh_part_thread_end(rh_part_thread *thread, rh_error *error) {
  pthread_mutex_lock(&thread->lock);
  while (thread->is_asked) pthread_cond_wait(&thread->changed, &thread->lock);
  rh_error why = thread->error;
  pthread_mutex_unlock(&thread->lock);
  if (why.status != RH_OK && error) *error = why;
  return why.status;
}
