#include "rank_part.h"
#include "../core/base/text.h"
#include "../core/child/channel.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Static, because a plugin's thread may log while this process ends. */
static struct {
  rh_channel channel;
  pthread_mutex_t lock;
  uint64_t logs, done;
} to_rank = {.channel = {-1}, .lock = PTHREAD_MUTEX_INITIALIZER};

static int send_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int send_line(const char *format, ...) {
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
  pthread_mutex_lock(&to_rank.lock);
  int failed = rh_channel_write(&to_rank.channel, line, (size_t)length + 1);
  pthread_mutex_unlock(&to_rank.lock);
  return failed;
}

static void on_log(void *user, uint32_t level, const char *text) {
  (void)user;
  if (__atomic_fetch_add(&to_rank.logs, 1, __ATOMIC_RELAXED) < RH_MOST_LOGS)
    send_line("log %u %s", level > RH_LOG_DEBUG ? RH_LOG_DEBUG : level, text);
}

/* Only what has been done counts: a strategy that hangs makes no progress. */
static int on_progress(void *user, const char *activity, uint64_t done, uint64_t total) {
  (void)user;
  if (done == to_rank.done) return 0;
  to_rank.done = done;
  return send_line("progress %s %" PRIu64 " %" PRIu64, activity, done, total) != 0;
}

static int send_part(const void *bytes, uint64_t n) {
  enum { AT_ONCE = 500 };
  const unsigned char *from = bytes;
  char text[2 * AT_ONCE + 1];
  for (uint64_t at = 0; at < n; at += AT_ONCE) {
    uint64_t count = n - at < AT_ONCE ? n - at : AT_ONCE;
    for (uint64_t k = 0; k < count; k++) snprintf(text + 2 * k, 3, "%02x", from[at + k]);
    if (send_line("part %s", text) != 0) return -1;
  }
  return 0;
}

static int answer(rh_status status, const rh_error *error) {
  if (status == RH_OK) return send_line("closed");
  if (status == RH_E_WRONG) return send_line("wrong %s", error->message);
  return send_line("error %d %d %s", (int)status, (int)error->cl_code, error->message);
}

static int reduce(const rh_rank_part *part) {
  rh_error error = {0};
  void *bytes = NULL;
  uint64_t n = 0;
  send_line("phase run");
  rh_status status = part->reduce(part->user, &bytes, &n, &error);
  int failed = status == RH_OK ? send_part(bytes, n) : 0;
  free(bytes);
  return failed ? -1 : answer(status, &error);
}

static int open_part(const rh_rank_part *part, int argc, char **argv, const rh_rank_order *order) {
  const rh_reporter reporter = {NULL, on_log, on_progress};
  rh_error error = {0};
  send_line("phase setup");
  return answer(part->open(part->user, argc, argv, order, &reporter, &error), &error);
}

static int close_part(const rh_rank_part *part) {
  send_line("phase teardown");
  part->close(part->user);
  return answer(RH_OK, NULL);
}

static int serve(const rh_rank_part *part, char **argv, const rh_rank_order *order) {
  char line[64];
  while (rh_channel_hear(&to_rank.channel, line, sizeof line) == 0) {
    int failed = strcmp(line, "open") == 0     ? open_part(part, (int)order->n_words, argv, order)
                 : strcmp(line, "reduce") == 0 ? reduce(part)
                                               : close_part(part);
    if (failed) return -1;
  }
  return 0;
}

int rh_rank_part_serve(const rh_rank_part *part) {
  rh_child_request request;
  rh_rank_order order;
  char **argv = NULL;
  if (rh_request_receive(&request) != 0) return 2;
  int code = 2;
  if (rh_rank_order_read(&request, &order, &argv) == 0) {
    int failed = rh_channel_open(&to_rank.channel, request.parent);
    code = failed || serve(part, argv, &order) != 0 ? 3 : 0;
  }
  free(argv);
  rh_request_finish(&request);
  return code;
}
