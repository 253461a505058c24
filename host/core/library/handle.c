/* Opening and closing: rh_open(), rh_close(), and changing the device in between. */
#include "../base/error.h"
#include "../base/fpstate.h"
#include "../base/path.h"
#include "../base/text.h"
#include "../scale/arrays_time.h"
#include "kept.h"

#include <stdlib.h>

static int copy_options(rh_options *to, const rh_options *from) {
  to->struct_size = sizeof *to;
  to->device = rh_copy_string(from->device);
  to->plugin_file = rh_copy_string(from->plugin_file);
  to->plugin_path = rh_copy_string(from->plugin_path);
  to->cache_dir = rh_copy_string(from->cache_dir);
  to->program = rh_copy_string(from->program);
  to->no_cache = from->no_cache;
  to->reporter = from->reporter;
  to->queue = from->queue;
  to->kept_setups = from->kept_setups;
  to->no_measure = from->no_measure || rh_env("REDHOST_NO_MEASURE");
  return (to->device || !from->device) && (to->plugin_file || !from->plugin_file) &&
         (to->plugin_path || !from->plugin_path) && (to->cache_dir || !from->cache_dir) &&
         (to->program || !from->program);
}

/* An error-checking mutex detects a thread that would wait for itself. */
static int make_lock(pthread_mutex_t *lock) {
  pthread_mutexattr_t kind;
  if (pthread_mutexattr_init(&kind) != 0) return 0;
  int made = pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK) == 0 &&
             pthread_mutex_init(lock, &kind) == 0;
  pthread_mutexattr_destroy(&kind);
  return made;
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
  if (redhost) redhost->opened_here = rh_fork_mark();
  if (!redhost || !redhost->opened_here || !make_lock(&redhost->lock)) {
    if (redhost) rh_fork_unmark(redhost->opened_here);
    free(redhost);
    return rh_fail(error, RH_E_NOMEM, "no memory to open redhost");
  }
  redhost->most_whole_bytes = RH_WHOLE_BYTES;
  redhost->time_stream = rh_arrays_time;
  rh_status status = RH_OK;
  if (!copy_options(&redhost->options, &given))
    status = rh_fail(error, RH_E_NOMEM, "no memory to open redhost");
  if (status == RH_OK && redhost->options.device && redhost->options.queue)
    status =
        rh_fail(error, RH_E_USAGE,
                "a device and a queue are mutually exclusive: the queue determines the device");
  if (status == RH_OK) status = rh_cache_init(&redhost->cache, &redhost->options, error);
  if (redhost->cache.distrusted)
    redhost->options.no_cache = 1; /* child processes need not probe again */
  if (status != RH_OK)
    rh_close(redhost);
  else
    *opened = redhost;
  return status;
}

void rh_close(rh_redhost *redhost) {
  RH_OWN_ENVIRONMENT;
  if (!redhost || rh_redhost_enter(redhost, NULL) != RH_OK) return;
  redhost->closed = 1;
  rh_kept_finish(redhost);
  rh_redhost_leave(redhost);
}

rh_status rh_redhost_use_device(rh_redhost *redhost, const rh_cl_device *device, rh_error *error) {
  char *label = rh_copy_string(device->label);
  if (!label) return rh_fail(error, RH_E_NOMEM, "no memory for the device's name");
  rh_kept_finish(redhost);
  rh_redhost_release_device(redhost);
  free((char *)redhost->options.device);
  redhost->options.device = label;
  redhost->device = device;
  return RH_OK;
}
