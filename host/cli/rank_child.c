#include "rank_child.h"
#include "../core/base/error.h"
#include "../core/base/log.h"
#include "../tools/isolate/tell.h"

#include <stdlib.h>
#include <string.h>

/* ---- The order ---- */

#define FIELD(member) RH_REQUEST_FIELD(rh_rank_order, member)
static const rh_request_field fields[] = {
    FIELD(rank),         FIELD(size),     FIELD(processes), FIELD(op),      FIELD(type),
    FIELD(device_kinds), FIELD(promises), FIELD(no_cache),  FIELD(n_words),
};
enum { FIELDS = sizeof fields / sizeof *fields, MOST_WORDS = 1 << 16 };

static rh_status write_order(rh_text *to, rh_rank_order *order, const rh_app *app,
                             rh_error *error) {
  char *const *argv = app->typed->argv;
  order->n_words = 0;
  while (argv[order->n_words]) order->n_words++;
  rh_request_begin(to);
  rh_request_add(to, "program", app->context->options.program);
  rh_request_add(to, "strategy", order->strategy);
  rh_request_add(to, "plugin", order->plugin);
  rh_request_add(to, "device", order->device);
  rh_request_add(to, "problem", order->problem);
  rh_request_add_fields(to, fields, FIELDS, order);
  for (uint32_t k = 0; k < order->n_words; k++) rh_request_add(to, "word", argv[k]);
  return rh_request_end(to, error);
}

/* From this process's own request, into which the strings point; *argv is malloc'ed.  0, or -1. */
static int read_order(const rh_child_request *request, rh_rank_order *order, char ***argv) {
  const char *word = NULL;
  *order = (rh_rank_order){.program = rh_request_get(request, "program"),
                           .strategy = rh_request_get(request, "strategy"),
                           .plugin = rh_request_get(request, "plugin"),
                           .device = rh_request_get(request, "device"),
                           .problem = rh_request_get(request, "problem")};
  *argv = NULL;
  if (!order->strategy || !order->plugin || !order->problem ||
      rh_request_fields(request, fields, FIELDS, order) != 0 || order->n_words > MOST_WORDS)
    return -1;
  char **words = *argv = calloc(order->n_words + 1, sizeof *words);
  for (uint32_t k = 0; words && k < order->n_words; k++) {
    word = rh_request_next(request, "word", word);
    if (!word) return -1;
    words[k] = (char *)(uintptr_t)word; /* getopt's type; it only exchanges the words */
  }
  return words ? 0 : -1;
}

/* ---- The process ---- */

static void pass_log(void *of_child, uint32_t level, const char *text) {
  const rh_rank_child *child = of_child;
  rh_log(child->reporter, level, "%s", text);
}

/* Cancels if another rank has failed. */
static int pass_progress(void *of_child, const char *activity, uint64_t done, uint64_t total) {
  const rh_rank_child *child = of_child;
  if (atomic_load(child->stop)) return 1;
  return rh_progress(child->reporter, activity, done, total, NULL) != RH_OK;
}

rh_status rh_rank_child_start(rh_rank_child *child, const rh_app *app, rh_rank_order *order,
                              double timeout_s, const atomic_int *stop, rh_error *error) {
  child->reporter = &app->context->options.reporter;
  child->stop = stop;
  child->options = app->context->options;
  child->options.device = NULL;
  child->options.reporter = (rh_reporter){child, pass_log, pass_progress};
  RH_TRY(write_order(&child->request, order, app, error));
  RH_TRY(rh_child_program(&child->options, &child->program, error));
  child->process = (rh_peer_process){.program = child->program,
                                     .own = {.role = "--part",
                                             .strategy = order->strategy,
                                             .plugin = order->plugin,
                                             .part = &child->part},
                                     .request = child->request.s,
                                     .request_bytes = child->request.length,
                                     .options = &child->options,
                                     .limit_s = timeout_s,
                                     .data = -1};
  return rh_peer_process_start(&child->process, error);
}

static rh_status ask_child(rh_rank_child *child, const char *line, rh_phase phase,
                           rh_error *error) {
  const rh_peer_question question = {.line = line, .verb = "part", .phase = phase};
  rh_peer_word word;
  rh_peer_message said;
  RH_TRY(rh_peer_process_ask(&child->process, &question, &word, &said, error));
  if (word == RH_PEER_CLOSED) return RH_OK;
  return rh_peer_process_protocol_error(&child->process, "answered something else", error);
}

rh_status rh_rank_child_open(rh_rank_child *child, rh_error *error) {
  return ask_child(child, "open\n", RH_PHASE_setup, error);
}

rh_status rh_rank_child_reduce(rh_rank_child *child, rh_error *error) {
  RH_TRY(ask_child(child, "reduce\n", RH_PHASE_run, error));
  return ask_child(child, "close\n", RH_PHASE_teardown, error);
}

/* ---- The part ---- */

static int digit(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* It was sent in hexadecimal digits. */
rh_status rh_rank_child_part(const rh_rank_child *child, void **bytes, uint64_t *n,
                             rh_error *error) {
  const char *from = rh_text_get(&child->part);
  uint64_t length = child->part.length / 2;
  unsigned char *to = *bytes = malloc(length + 1);
  *n = length;
  if (!to || child->part.failed) return rh_fail(error, RH_E_NOMEM, "no memory for a part's values");
  for (uint64_t k = 0; k < length; k++) {
    int high = digit(from[2 * k]), low = digit(from[2 * k + 1]);
    if (high < 0 || low < 0)
      return rh_fail(error, RH_E_PLUGIN, "strategy '%s' wrote to redhost's result channel",
                     child->process.own.strategy);
    to[k] = (unsigned char)(high << 4 | low);
  }
  return RH_OK;
}

void rh_rank_child_finish(rh_rank_child *child) {
  rh_peer_process_end(&child->process);
  rh_text_finish(&child->request);
  rh_text_finish(&child->part);
  free(child->program);
}

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
  if (read_order(&request, &order, &argv) == 0) {
    int failed = rh_channel_open(&to_rank.channel, request.parent);
    code = failed || serve(part, argv, &order) != 0 ? 3 : 0;
  }
  free(argv);
  rh_request_finish(&request);
  return code;
}
