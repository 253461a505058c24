#include "internal.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "../../choose/choose.h"
#include "../../operators/foreign/foreign.h"

/* The numbers of a request. */
typedef struct numbers {
  uint32_t variant, quick;
  uint64_t seed;
  double random_s;
} numbers;

/* ---- The request ---- */

rh_status rh_trial_request(rh_text *to, const rh_trial *trial, rh_error *error) {
  const numbers of = {trial->variant, trial->quick, trial->seed, trial->random_s};
  rh_request_begin(to);
  rh_request_add_options(to, trial->options);
  rh_request_add(to, "path", trial->path);
  rh_request_add(to, "strategy", trial->strategy_name);
  rh_request_add(to, "own", trial->own);
  rh_request_add(to, "launch", trial->launch);
  rh_request_add(to, "test", trial->test ? trial->test->id : NULL);
  rh_request_add_struct(to, "numbers", &of, sizeof of);
  return rh_request_end(to, error);
}

static const rh_test *find_test(const char *id) {
  for (int k = 0; k < RH_N_TESTS; k++)
    if (strcmp(rh_tests[k]->id, id) == 0) return rh_tests[k];
  return NULL;
}

/* 0, or -1.  *trial and *options point into the request. */
static int read_request(const rh_child_request *request, rh_trial *trial, rh_options *options) {
  const char *test = rh_request_get(request, "test");
  numbers of;
  if (rh_request_struct(request, "numbers", &of, sizeof of) != 0) return -1;
  *options = rh_request_options(request);
  *trial = (rh_trial){.options = options,
                      .path = rh_request_get(request, "path"),
                      .strategy_name = rh_request_get(request, "strategy"),
                      .own = rh_request_get(request, "own"),
                      .launch = rh_request_get(request, "launch"),
                      .test = test ? find_test(test) : NULL,
                      .variant = of.variant,
                      .quick = of.quick,
                      .seed = of.seed,
                      .random_s = of.random_s,
                      .alone = 1};
  return trial->path && (!test || trial->test) ? 0 : -1;
}

/* ---- The test ---- */

rh_status rh_trial_device(rh_trial *trial) {
  if (trial->device) return RH_OK;
  if (!rh_strategy_is_host(trial->strategy)) {
    rh_trial_phase(trial, "opening the device");
    if (rh_context_session(trial->context, &trial->session, &trial->error) != RH_OK)
      return rh_trial_skip(trial, "no device to run on: %s", trial->error.message);
  }
  trial->device = trial->session ? &trial->session->device->about : rh_host_device();
  return RH_OK;
}

rh_status rh_trial_copy(rh_trial *copy, rh_trial *trial, const rh_options *options) {
  *copy = *trial;
  copy->session = NULL;
  copy->device = NULL;
  copy->context = NULL;
  return rh_context_open(&copy->context, options, &rh_choosing, &trial->error);
}

/* The description of a foreign function is not an object file, and the host itself makes its
 * descriptor. */
static int is_about_objects(const rh_test *test) {
  return strcmp(test->id, "V20") <= 0 && strcmp(test->id, "V12") != 0;
}

static rh_status run_test(rh_trial *trial) {
  const rh_test *test = trial->test;
  if (is_about_objects(test) && rh_is_foreign(trial->path))
    return rh_trial_skip(trial, "a description of a foreign function, not a shared object");
  if (rh_context_open(&trial->context, trial->options, &rh_choosing, &trial->error) != RH_OK)
    return rh_trial_skip(trial, "%s", trial->error.message);
  trial->context->looks_first = 1;
  if (test->needs >= RH_NEEDS_PLUGIN) RH_TRY(rh_trial_load(trial));
  if (test->needs >= RH_NEEDS_DEVICE) RH_TRY(rh_trial_device(trial));
  return test->run(trial);
}

rh_outcome rh_trial_run(rh_trial *trial) {
  rh_status status = run_test(trial);
  rh_trial_phase(trial, "ending");
  rh_context_close(trial->context);
  trial->context = NULL;
  if (status == RH_OK) trial->error.message[0] = 0;
  if (status == RH_OK) return RH_PASS;
  if (status == RH_DECLINED) return RH_SKIP;
  return trial->warns ? RH_WARN : RH_FAIL;
}

/* ---- The child ---- */

static void say_phase(void *user, const char *phase) {
  rh_channel_say(*(const int *)user, json_pack("{s:s}", "phase", phase));
}

static int say_names(int channel, rh_trial *trial) {
  json_t *names = json_array();
  rh_status status = rh_trial_load(trial);
  for (uint32_t k = 0; status == RH_OK && k < trial->plugin->n_strategies; k++)
    json_array_append_new(names, json_string(trial->plugin->strategies[k]->name));
  return rh_channel_say(channel, json_pack("{s:o}", "names", names));
}

long long rh_printed_so_far(void) {
  struct stat st;
  return fstat(STDOUT_FILENO, &st) == 0 && S_ISREG(st.st_mode) ? (long long)st.st_size : -1;
}

static int say_verdict(int channel, rh_trial *trial) {
  rh_outcome outcome = rh_trial_run(trial);
  return rh_channel_say(channel,
                        json_pack("{s:i, s:I, s:I, s:o}", "verdict", (int)outcome, "digest",
                                  (json_int_t)trial->digest, "printed",
                                  (json_int_t)(trial->watches_end ? rh_printed_so_far() : -1),
                                  "text", rh_json_bytes(trial->error.message)));
}

/* Output goes to a file in memory, so a plugin that prints without end must be stopped before it
 * fills the memory.  SIGXFSZ has to kill it: the program ignores that signal (see main). */
static void limit_output(void) {
  const struct rlimit most = {256 << 20, 256 << 20};
  signal(SIGXFSZ, SIG_DFL);
  setrlimit(RLIMIT_FSIZE, &most);
}

int rh_trial_main(void) {
  int channel;
  rh_child_request request;
  rh_options options;
  rh_trial trial;
  int code = 2;
  if (rh_request_receive(&request) != 0) return code;
  if (read_request(&request, &trial, &options) == 0 &&
      (channel = rh_channel_open(request.parent)) >= 0) {
    limit_output();
    /* so that daemons are seen among the children */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    trial.user = &channel;
    trial.say_phase = say_phase;
    int failed = trial.test ? say_verdict(channel, &trial) : say_names(channel, &trial);
    code = failed ? 3 : 0;
  }
  rh_request_finish(&request);
  return code;
}

const char *rh_outcome_name(rh_outcome outcome) {
#define RH_X(name, word) word,
  static const char *const words[] = {RH_VERDICT_LIST(RH_X)};
#undef RH_X
  return words[outcome];
}

void rh_trial_phase(rh_trial *trial, const char *phase) {
  if (trial->say_phase) trial->say_phase(trial->user, phase);
}

#define DEFINE_SAY(name, status, is_warning)                                                       \
  rh_status name(rh_trial *trial, const char *format, ...) {                                       \
    char text[sizeof trial->error.message];                                                        \
    va_list args;                                                                                  \
    va_start(args, format);                                                                        \
    vsnprintf(text, sizeof text, format, args);                                                    \
    va_end(args);                                                                                  \
    trial->warns = is_warning;                                                                     \
    return rh_fail(&trial->error, status, "%s", text);                                             \
  }
DEFINE_SAY(rh_trial_fail, RH_E_WRONG, 0)
DEFINE_SAY(rh_trial_warn, RH_E_WRONG, 1)
DEFINE_SAY(rh_trial_skip, RH_DECLINED, 0)

rh_status rh_trial_load(rh_trial *trial) {
  if (trial->strategy) return RH_OK;
  rh_trial_phase(trial, "loading");
  if (rh_plugin_open(trial->path, rh_foreign_open, &trial->plugin, &trial->error) != RH_OK)
    return rh_trial_skip(trial, "cannot be loaded: %s", trial->error.message);
  for (uint32_t k = 0; k < trial->plugin->n_strategies; k++) {
    const rh_strategy *strategy = trial->plugin->strategies[k];
    if (!trial->strategy_name || strcmp(strategy->name, trial->strategy_name) == 0) {
      trial->strategy = strategy;
      return RH_OK;
    }
  }
  return rh_trial_skip(trial, "no longer has a strategy '%s'", trial->strategy_name);
}

#define RH_X(number) &rh_v##number,
const rh_test *const rh_tests[RH_N_TESTS] = {RH_TEST_LIST(RH_X)};
#undef RH_X
