#include "child.h"
#include "../../core/base/error.h"
#include "../../core/plug/channel.h"
#include "../../core/plug/plugin.h"
#include "../../core/plug/rank.h"
#include "../../core/plug/wire.h"
#include "../../core/reduce/instance.h"
#include "process.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { VERSION = 1, N_STRINGS = 5 };

/* ---- The request ---- */

rh_status rh_trial_request(rh_text *to, const rh_trial_order *order, rh_error *error) {
  const rh_options *options = order->options;
  const char *strings[N_STRINGS] = {order->path, order->strategy, options->device,
                                    options->cache_dir, options->program};
  json_t *json =
      json_pack("{s:i, s:I, s:s, s:i, s:i, s:b, s:I, s:f}", "redhost-trial", VERSION, "parent",
                (json_int_t)getpid(), "test", order->test ? order->test->id : "", "variant",
                (int)order->variant, "quick", (int)order->quick, "no_cache", (int)options->no_cache,
                "seed", (json_int_t)order->seed, "random_s", order->random_s);
  char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
  if (text) rh_text_append(to, text, strlen(text) + 1);
  for (int k = 0; k < N_STRINGS; k++) {
    const char *s = strings[k] ? strings[k] : "";
    rh_text_append(to, s, strlen(s) + 1);
  }
  json_decref(json);
  free(text);
  if (!text || to->failed) return rh_fail(error, RH_E_NOMEM, "no memory to start a test");
  return RH_OK;
}

typedef struct request {
  json_t *json;
  const char *strings[N_STRINGS]; /* null where empty */
  const char *test;
  json_int_t parent, seed;
  int variant, quick, no_cache;
  double random_s;
} request;

static int read_request(request *in, const char *bytes, size_t length) {
  int version;
  size_t head = strnlen(bytes, length);
  in->json = json_loadb(bytes, head, 0, NULL);
  if (!in->json || json_unpack(in->json, "{s:i, s:I, s:s, s:i, s:i, s:b, s:I, s:f}",
                               "redhost-trial", &version, "parent", &in->parent, "test", &in->test,
                               "variant", &in->variant, "quick", &in->quick, "no_cache",
                               &in->no_cache, "seed", &in->seed, "random_s", &in->random_s) != 0)
    return -1;
  const char *at = bytes + head + 1, *end = bytes + length;
  for (int k = 0; k < N_STRINGS; k++) {
    if (at >= end) return -1;
    in->strings[k] = *at ? at : NULL;
    at += strlen(at) + 1; /* a 0 stands behind the whole request */
  }
  return version == VERSION && in->strings[0] ? 0 : -1;
}

/* ---- The test ---- */

/* A device, unless the strategy is host code. */
static rh_outcome open_device(rh_trial *trial) {
  rh_cl_session *session;
  if (rh_strategy_is_host(trial->strategy)) return RH_PASS;
  rh_trial_phase(trial, "opening the device");
  if (rh_redhost_session(trial->redhost, &session, &trial->error) == RH_OK) return RH_PASS;
  return rh_trial_skip(trial, "no device to run on: %s", trial->error.message);
}

/* A description of a foreign function is no object file, and its descriptor is this host's own. */
static int is_about_objects(const rh_test *test) {
  return strcmp(test->id, "V20") <= 0 && strcmp(test->id, "V12") != 0;
}

rh_outcome rh_trial_run(rh_trial *trial, const rh_options *options, const rh_test *test) {
  rh_outcome outcome = RH_PASS;
  if (is_about_objects(test) && rh_is_foreign(trial->path))
    return rh_trial_skip(trial, "a description of a foreign function, no shared object");
  if (rh_open(&trial->redhost, options, &trial->error) != RH_OK)
    return rh_trial_skip(trial, "%s", trial->error.message);
  trial->redhost->looks_first = 1;
  if (test->needs >= RH_NEEDS_PLUGIN) outcome = rh_trial_load(trial);
  if (outcome == RH_PASS && test->needs >= RH_NEEDS_DEVICE) outcome = open_device(trial);
  if (outcome == RH_PASS) outcome = test->run(trial);
  rh_trial_phase(trial, "ending");
  rh_close(trial->redhost);
  trial->redhost = NULL;
  return outcome;
}

/* ---- The child ---- */

static void say_phase(void *user, const char *phase) {
  rh_channel_say(user, json_pack("{s:s}", "phase", phase));
}

static int say_names(const rh_channel *channel, rh_trial *trial) {
  json_t *names = json_array();
  rh_outcome outcome = rh_trial_load(trial);
  for (uint32_t k = 0; outcome == RH_PASS && k < trial->plugin->n_strategies; k++)
    json_array_append_new(names, json_string(trial->plugin->strategies[k]->name));
  return rh_channel_say(channel, json_pack("{s:o}", "names", names));
}

/* Bytes on standard output and error, which the parent made one file; -1 where more of them are no matter. */
static long long printed_so_far(const rh_trial *trial) {
  struct stat st;
  if (!trial->watches_end) return -1;
  return fstat(STDOUT_FILENO, &st) == 0 && S_ISREG(st.st_mode) ? (long long)st.st_size : -1;
}

static int say_verdict(const rh_channel *channel, rh_trial *trial, const rh_test *test,
                       const rh_options *options) {
  rh_outcome outcome = rh_trial_run(trial, options, test);
  return rh_channel_say(channel, json_pack("{s:i, s:I, s:I, s:o}", "verdict", (int)outcome,
                                           "digest", (json_int_t)trial->digest, "printed",
                                           (json_int_t)printed_so_far(trial), "text",
                                           rh_wire_text(rh_text_get(&trial->text))));
}

static const rh_test *find_test(const char *id) {
  uint32_t n;
  const rh_test *tests = rh_tests(&n);
  for (uint32_t k = 0; k < n; k++)
    if (strcmp(tests[k].id, id) == 0) return &tests[k];
  return NULL;
}

static int serve(const request *in, const rh_channel *channel) {
  rh_options options = {.device = in->strings[2],
                        .cache_dir = in->strings[3],
                        .program = in->strings[4],
                        .no_cache = (uint32_t)in->no_cache};
  rh_trial trial = {.path = in->strings[0],
                    .strategy_name = in->strings[1],
                    .seed = (uint64_t)in->seed,
                    .quick = (uint32_t)in->quick,
                    .variant = (uint32_t)in->variant,
                    .random_s = in->random_s,
                    .alone = 1,
                    .user = (void *)channel,
                    .say_phase = say_phase};
  const rh_test *test = find_test(in->test);
  if (!test && *in->test) return 2;
  int failed = test ? say_verdict(channel, &trial, test, &options) : say_names(channel, &trial);
  rh_text_finish(&trial.text);
  return failed ? 3 : 0;
}

/* Output goes to a file in memory: a plugin that prints without end is stopped before it fills that.  The program ignores
 * the signal (see main), and such a plugin would go on. */
static void limit_output(void) {
  const struct rlimit most = {256 << 20, 256 << 20};
  signal(SIGXFSZ, SIG_DFL);
  setrlimit(RLIMIT_FSIZE, &most);
}

int rh_trial_main(void) {
  rh_channel channel;
  request in = {0};
  size_t length;
  char *bytes = rh_channel_request(&length);
  int code = 2;
  if (bytes && read_request(&in, bytes, length) == 0 && rh_channel_open(&channel, in.parent) == 0) {
    limit_output();
    rh_process_adopt_orphans();
    code = serve(&in, &channel);
    rh_channel_close(&channel);
  }
  json_decref(in.json);
  free(bytes);
  return code;
}
