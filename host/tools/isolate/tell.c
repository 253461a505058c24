#include "tell.h"
#include "../../core/base/text.h"
#include "peer_lines.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

int rh_tell(rh_teller *teller, const char *format, ...) {
  char line[8192];
  va_list args;
  va_start(args, format);
  int length = vsnprintf(line, sizeof line - 1, format, args);
  va_end(args);
  if (length < 0) return -1;
  if ((size_t)length > sizeof line - 2) length = (int)sizeof line - 2;
  line[length] = 0;
  rh_make_plain(line);
  line[length] = '\n';
  pthread_mutex_lock(&teller->lock);
  int failed = rh_channel_write(&teller->channel, line, (size_t)length + 1);
  pthread_mutex_unlock(&teller->lock);
  return failed;
}

int rh_tell_error(rh_teller *teller, const rh_error *error) {
  return rh_tell(teller, "error %d %d %s", (int)error->status, (int)error->cl_code, error->message);
}

/* Further lines would only be dropped by the parent, and endless logging must not count as
 * progress. */
void rh_tell_log(void *teller, uint32_t level, const char *text) {
  rh_teller *to = teller;
  if (__atomic_fetch_add(&to->logs, 1, __ATOMIC_RELAXED) < RH_MOST_LOGS)
    rh_tell(to, "log %u %s", level > RH_LOG_DEBUG ? RH_LOG_DEBUG : level, text);
}

int rh_tell_progress(void *teller, const char *activity, uint64_t done, uint64_t total) {
  return rh_tell(teller, "progress %s %" PRIu64 " %" PRIu64, activity, done, total) != 0;
}
