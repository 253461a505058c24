/* rh_open(), rh_close(), and the lock between. */
#include "library.h"

#include "../choose/choose.h"

static void release(rh_redhost *redhost) {
  rh_context_close(redhost->context);
  pthread_mutex_destroy(&redhost->lock);
  free(redhost);
}

rh_status rh_say_null(const char *function, const void *redhost, const void *request,
                      const char *what, rh_error *error) {
  return rh_fail(error, RH_E_USAGE, "%s: the %s is null", function,
                 !redhost   ? "rh_redhost"
                 : !request ? "request"
                            : what);
}

rh_status rh_redhost_enter(rh_redhost *redhost, rh_error *error) {
  RH_TRY(rh_context_check_process(redhost->context, error));
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
  if (is_last) release(redhost);
}

rh_status rh_open(rh_redhost **opened, const rh_options *options, rh_error *error) {
  RH_OWN_ENVIRONMENT;
  rh_options given = {0};
  if (!opened) return rh_fail(error, RH_E_USAGE, "rh_open: the place for the rh_redhost is null");
  *opened = NULL;
  if (options) RH_TRY(rh_sized_read(&given, options, RH_SIZED(rh_options, queue), error));
  if (given.reserved || given.reserved_kept)
    return rh_fail(error, RH_E_USAGE, "rh_options.reserved is %u and must be 0",
                   given.reserved | given.reserved_kept);
  rh_redhost *redhost = calloc(1, sizeof *redhost);
  if (!redhost) return rh_fail(error, RH_E_NOMEM, "no memory to open redhost");
  /* It detects a thread that would wait for itself. */
  redhost->lock = (pthread_mutex_t)PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
  rh_status status = rh_context_open(&redhost->context, &given, &rh_choosing, error);
  if (status == RH_OK) *opened = redhost;
  else release(redhost);
  return status;
}

void rh_close(rh_redhost *redhost) {
  RH_OWN_ENVIRONMENT;
  if (!redhost || rh_redhost_enter(redhost, NULL) != RH_OK) return;
  redhost->closed = 1;
  rh_kept_finish(redhost);
  rh_redhost_leave(redhost);
}
