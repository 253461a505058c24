#include "rank_part.h"
#include "../tools/isolate/tell.h"

#include <stdlib.h>
#include <string.h>

static rh_teller to_rank = {{-1}, PTHREAD_MUTEX_INITIALIZER, 0};

/* Only what has been done counts: a strategy that hangs makes no progress. */
static int on_progress(void *teller, const char *activity, uint64_t done, uint64_t total) {
  static uint64_t before;
  if (done == before) return 0;
  before = done;
  return rh_tell_progress(teller, activity, done, total);
}

static int send_part(const void *bytes, uint64_t n) {
  enum { AT_ONCE = 500 };
  const unsigned char *from = bytes;
  char text[2 * AT_ONCE + 1];
  for (uint64_t at = 0; at < n; at += AT_ONCE) {
    uint64_t count = n - at < AT_ONCE ? n - at : AT_ONCE;
    for (uint64_t k = 0; k < count; k++) snprintf(text + 2 * k, 3, "%02x", from[at + k]);
    if (rh_tell(&to_rank, "part %s", text) != 0) return -1;
  }
  return 0;
}

static int answer(rh_status status, const rh_error *error) {
  if (status == RH_OK) return rh_tell(&to_rank, "closed");
  if (status == RH_E_WRONG) return rh_tell(&to_rank, "wrong %s", error->message);
  return rh_tell_error(&to_rank, error);
}

static int reduce(const rh_rank_part *part) {
  rh_error error = {0};
  void *bytes = NULL;
  uint64_t n = 0;
  rh_tell(&to_rank, "phase run");
  rh_status status = part->reduce(part->user, &bytes, &n, &error);
  int failed = status == RH_OK ? send_part(bytes, n) : 0;
  free(bytes);
  return failed ? -1 : answer(status, &error);
}

static int open_part(const rh_rank_part *part, int argc, char **argv, const rh_rank_order *order) {
  const rh_reporter reporter = {&to_rank, rh_tell_log, on_progress};
  rh_error error = {0};
  rh_tell(&to_rank, "phase setup");
  return answer(part->open(part->user, argc, argv, order, &reporter, &error), &error);
}

static int close_part(const rh_rank_part *part) {
  rh_tell(&to_rank, "phase teardown");
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
