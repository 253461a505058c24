#include "library.h"

#include <stdlib.h>

void rh_redhost_release(rh_redhost *redhost) {
  rh_context_close(redhost->context);
  pthread_mutex_destroy(&redhost->lock);
  free(redhost);
}

rh_status rh_redhost_enter(rh_redhost *redhost, rh_error *error) {
  if (rh_context_is_lost(redhost->context)) return rh_context_say_lost(error);
  int is_forked = !*redhost->context->opened_here;
  if (is_forked && pthread_mutex_trylock(&redhost->lock) != 0)
    return rh_fail(error, RH_E_INVALID,
                   "this process was forked while another thread was in a call on this "
                   "rh_redhost; call rh_open() after fork()");
  if (is_forked || pthread_mutex_lock(&redhost->lock) == 0) return RH_OK;
  return rh_fail(error, RH_E_INVALID,
                 "the library was called from within one of its own callbacks, log or progress, "
                 "which must not use the same rh_redhost");
}

void rh_redhost_leave(rh_redhost *redhost) {
  int is_last = redhost->closed && redhost->n_prepared == 0;
  pthread_mutex_unlock(&redhost->lock);
  if (is_last) rh_redhost_release(redhost);
}
