/* The child that looks at plugins, so that a bad one takes down no more than this process. */
#include "../base/error.h"
#include "plugin.h"
#include "wire.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { REQUEST_FD = 3, ANSWER_FD = 4, MOST_BYTES = 64 << 20, MOST_PARAMS = 64 };

typedef struct prober {
  rh_request_in request;
  const rh_op *(*find_op)(uint32_t op, rh_type type);
  int answer;
} prober;

static int read_request(rh_request_in *request) {
  struct stat st;
  if (fstat(REQUEST_FD, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size < 1 ||
      st.st_size > MOST_BYTES)
    return -1;
  size_t length = (size_t)st.st_size, done = 0;
  char *bytes = malloc(length);
  while (bytes && done < length) {
    /* Positions are explicit: the descriptor's own is the parent's too, and stands at the end. */
    ssize_t got = pread(REQUEST_FD, bytes + done, length - done, (off_t)done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += (size_t)got;
  }
  if (bytes && done == length) return rh_wire_read_request(request, bytes, length);
  free(bytes);
  return -1;
}

/* Out of the way of plugins that write to any descriptor, and of the programs they start. */
static int hide_channel(void) {
  int fd = fcntl(ANSWER_FD, F_DUPFD_CLOEXEC, 100);
  if (fd < 0) fd = fcntl(ANSWER_FD, F_DUPFD_CLOEXEC, ANSWER_FD + 1);
  if (fd < 0) return -1;
  close(ANSWER_FD);
  close(REQUEST_FD);
  return fd;
}

/* Ends with the parent, even where a plugin hangs, and leaves no core file behind. */
static int tie_to_parent(int64_t parent) {
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == (pid_t)parent ? 0 : -1;
}

/* One line; takes over `frame`, which may be null. */
static int say(const prober *probe, json_t *frame) {
  char *text = frame ? json_dumps(frame, JSON_COMPACT) : NULL;
  json_decref(frame);
  if (!text) return -1;
  size_t length = strlen(text), done = 0;
  text[length++] = '\n'; /* in place of the end: write() needs none */
  while (done < length) {
    ssize_t wrote = write(probe->answer, text + done, length - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) break;
    done += (size_t)wrote;
  }
  free(text);
  return done == length ? 0 : -1;
}

/* Every operator on every type, with the default parameters. */
static void ask(const prober *probe, const rh_strategy *strategy, rh_offers offers) {
  int64_t params[MOST_PARAMS + 1];
  for (uint32_t k = 0; k < strategy->n_params; k++)
    params[k] = rh_strategy_param(strategy, k)->initial;
  rh_wire_clear_offers(offers);
  for (uint32_t op = 1; op <= RH_N_OPS; op++)
    for (rh_type type = 1; type <= RH_N_TYPES; type++) {
      rh_offer *offer = &offers[op][type];
      rh_error error;
      rh_problem problem = {.struct_size = sizeof problem,
                            .type = type,
                            .op = probe->find_op(op, type),
                            .device = &probe->request.device,
                            .max_n = probe->request.max_n};
      if (!problem.op) continue;
      offer->status = rh_strategy_query(strategy, &problem, params, &offer->answer, &error);
      if (offer->status >= RH_OK) continue;
      size_t most = sizeof offer->answer.reason - 1;
      offer->status = RH_E_PLUGIN;
      memset(offer->answer.reason, 0, most + 1);
      memcpy(offer->answer.reason, error.message, strnlen(error.message, most));
    }
}

static json_t *describe(const prober *probe, const rh_plugin *plugin, uint32_t k) {
  json_t *strategies = json_array();
  rh_offer(*offers)[RH_N_TYPES + 1] = malloc(sizeof(rh_offers));
  for (uint32_t j = 0; offers && strategies && j < plugin->n_strategies; j++) {
    const rh_strategy *strategy = plugin->strategies[j];
    say(probe, json_pack("{s:s, s:s}", "phase", "query", "strategy", strategy->name));
    ask(probe, strategy, offers);
    if (json_array_append_new(strategies, rh_wire_strategy(strategy, plugin->build, offers)) == 0)
      continue;
    json_decref(strategies);
    strategies = NULL;
  }
  free(offers);
  return json_pack("{s:i, s:o}", "plugin", (int)k, "strategies", strategies);
}

static int look(const prober *probe, uint32_t k) {
  const rh_plugin *plugin;
  rh_error error;
  if (say(probe, json_pack("{s:i}", "begin", (int)k)) != 0) return -1;
  if (rh_plugin_open(probe->request.paths[k], &plugin, &error) == RH_OK)
    return say(probe, describe(probe, plugin, k));
  return say(probe,
             json_pack("{s:i, s:o}", "refused", (int)k, "reason", rh_wire_text(error.message)));
}

static int look_at_all(const prober *probe) {
  if (say(probe, json_pack("{s:i}", "redhost-probe", RH_WIRE_VERSION)) != 0) return -1;
  for (uint32_t k = 0; k < probe->request.n; k++)
    if (look(probe, k) != 0) return -1;
  return say(probe, json_pack("{s:i}", "end", (int)probe->request.n));
}

int rh_probe_main(const rh_op *(*find_op)(uint32_t op, rh_type type)) {
  prober probe = {.find_op = find_op, .answer = -1};
  if (read_request(&probe.request) != 0) return 2;
  int failed = tie_to_parent(probe.request.parent);
  if (!failed) probe.answer = hide_channel();
  failed = failed || probe.answer < 0 || look_at_all(&probe) != 0;
  if (probe.answer >= 0) close(probe.answer);
  rh_wire_finish_request(&probe.request);
  return failed ? 3 : 0;
}
