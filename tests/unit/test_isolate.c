/* host/tools/isolate: the lines of redhost's own child beyond the peers' protocol, and invalid
 * input on its channel.
 *
 * This program is its own child: started as `redhost --work` it says what REDHOST_TEST_PLAY holds,
 * where "<" waits for a question of the parent's, "!" ends the process and "~" sleeps. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "../../host/tools/isolate/internal.h"
#include "../suite/suite.h"

#define HELLO "redhost-peer 1\npeer x isolated\nready\n"
#define QUERY "phase loading\nphase query\n"
#define ASKED                                                                                      \
  "param tile 256 0 256\nparam at 1 1 host\nmemory 40 50 0\nnote tuned here\n"                     \
  "opened host 3 depth=60 on-host=1 params-from=1 parts=1 tile=256 at=host\n"
#define SETUP "phase setup\n"
#define OPENED                                                                                     \
  "param tile 64 0 64\nmemory 1 2 1\nopened host 9 depth=60 on-host=1 build=0.25 cached=1\n"
#define TAKEN  "phase run\ntaken 0.5 host 7\n"
#define CLOSED "phase teardown\nclosed\n"

static char self[PATH_MAX];

/* ---- The worker's side ----------------------------------------------------------------------- */

static void flood(void) {
  static char stars[1 << 16];
  memset(stars, '*', sizeof stars);
  while (write(4, stars, sizeof stars) > 0) continue;
  _exit(8);
}

static void play(const char *part) {
  for (; *part; part++) {
    char word[256];
    size_t k = 0;
    switch (*part) {
    case '<':
      while (k < sizeof word && read(4, &word[k], 1) == 1 && word[k] != '\n') k++;
      if (k == 0) _exit(7);
      break;
    case '!': raise(SIGILL); break;
    case '~': sleep(30); break;
    case '*': flood(); break;
    default:
      if (write(4, part, 1) != 1) _exit(9);
    }
  }
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static rh_peer_word read_line(const char *line, rh_peer_message *said) {
  return rh_peer_line_read(line, strlen(line), 1, 0, 0, said);
}

TEST(what_is_said_is_understood) {
  rh_peer_message said;
  char line[64];
  ck_assert_int_eq(read_line("log 2 a text", &said), RH_OWN_LOG);
  ck_assert_uint_eq(said.level, 2);
  ck_assert_str_eq(said.text, "a text");
  ck_assert_int_eq(read_line("progress upload 1 18446744073709551615", &said), RH_OWN_PROGRESS);
  ck_assert_str_eq(said.activity, "upload");
  ck_assert(said.done == 1 && said.total == UINT64_MAX);
  ck_assert_int_eq(read_line("progress dancing 1 2", &said), RH_OWN_PROGRESS);
  ck_assert_str_eq(said.activity, "working");
  ck_assert_int_eq(read_line("param finish -9223372036854775808 1 h\xc3\xb6st or so", &said),
                   RH_OWN_PARAM);
  ck_assert_str_eq(said.param.key, "finish");
  ck_assert_str_eq(said.param.text, "h\xc3\xb6st or so");
  ck_assert(said.param.number == INT64_MIN && said.param.is_word == 1);
  ck_assert_int_eq(read_line("field i64 18446744073709551615 a b", &said), RH_OWN_FIELD);
  ck_assert(said.field.type == RH_TYPE_i64 && said.field.value.i == -1);
  ck_assert_str_eq(said.field.name, "a b");
  ck_assert_int_eq(read_line("field f64 0 ", &said), RH_OWN_FIELD);
  ck_assert_str_eq(said.field.name, "");
  ck_assert_int_eq(read_line("note tuned for driver 1, now 2", &said), RH_OWN_NOTE);
  ck_assert_str_eq(said.text, "tuned for driver 1, now 2");
  ck_assert_int_eq(read_line("dropped 150", &said), RH_OWN_DROPPED);
  ck_assert_uint_eq(said.done, 150);
  ck_assert_int_eq(read_line("error -3 -5 no room", &said), RH_OWN_ERROR);
  ck_assert(said.error.status == -3 && said.error.cl_code == -5);
  ck_assert_str_eq(said.error.message, "no room");
  for (int k = RH_PHASE_start; k <= RH_PHASE_teardown; k++) {
    snprintf(line, sizeof line, "phase %s", rh_phase_name((rh_phase)k));
    ck_assert_int_eq(read_line(line, &said), RH_OWN_PHASE);
    ck_assert_int_eq(said.phase, k);
  }
}

/* Each of these differs from a valid line in one detail. */
static const char garbage[] =
    "|scribble|phase|phase running|phase run 1|Phase run|log 4 x|log -1 x|log x|"
    "log 1 \x1b[2J|log 1 \xff|progress upload 1|progress upload 1 2 3|progress  1 2|"
    "field f65 1 a|field f64 -1 a|field f64 18446744073709551616 a|field f64|"
    "param tile 256 0256 256|param tile 256 2 256|param tile x 0 256|param  256 0 256|note|"
    "note |part|part |wrong|memory 1 2|memory 1 2 2|memory 1 2 1 1|memory -1 2 1|"
    "dropped -1|dropped 1 2|error 0 0 x|error -24 0 x|error -7 0 x|error -3 0|error -3 0 |"
    "error -3 x|error 99999999999 0 x|error -3 99999999999 x";

TEST(garbage_is_refused) {
  rh_peer_message said;
  for (const char *at = garbage, *end; at; at = *end ? end + 1 : NULL) {
    end = strchrnul(at, '|');
    ck_assert_msg(rh_peer_line_read(at, (size_t)(end - at), 1, 0, 0, &said) == RH_PEER_GARBAGE,
                  "'%.*s' is accepted", (int)(end - at), at);
  }
}

TEST(strings_are_cut_to_fit) {
  char line[20000], text[8200];
  rh_peer_message said;
  memset(text, 'x', sizeof text);
  memcpy(text + 1021, "\xc3\xa4\xc3\xa4", 4); /* not from within a character */
  text[4000] = 0;
  snprintf(line, sizeof line, "log 1 %s", text);
  ck_assert_int_eq(read_line(line, &said), RH_OWN_LOG);
  ck_assert_uint_eq(strlen(said.text), 1023);
  snprintf(line, sizeof line, "log 1 x%s", text);
  ck_assert_int_eq(read_line(line, &said), RH_OWN_LOG);
  ck_assert_uint_eq(strlen(said.text), 1022);
  snprintf(line, sizeof line, "param %s 1 1 %s", text, text);
  ck_assert_int_eq(read_line(line, &said), RH_OWN_PARAM);
  ck_assert_uint_eq(strlen(said.param.key), 63);
  ck_assert_uint_eq(strlen(said.param.text), 63);
  memset(text, 'x', sizeof text);
  ck_assert_int_eq(rh_peer_line_read(text, sizeof text, 1, 0, 0, &said), RH_PEER_GARBAGE);
}

/* ---- Requests -------------------------------------------------------------------------------- */

/* Works on a copy, so that a sanitizer sees a byte too many. */
static int parse(rh_child_request *request, const char *bytes, size_t length) {
  char *exact = malloc(length + !length);
  if (length) memcpy(exact, bytes, length);
  return rh_request_parse(request, exact, length);
}

TEST(a_request_arrives) {
  static const rh_setting settings[] = {{"tile", "256"}, {"finish", ""}};
  const rh_sample_order in = {
      .options = {.cache_dir = "", .no_cache = 1},
      .strategy = "x",
      .plugin = "/a \xff\n=/x.so",
      .what = "-n 5",
      .settings = settings,
      .n_settings = 2,
      .strict = 1,
      .is_known = 1,
      .known = {.calibration = {.read_peak = 1e12 / 3}, .items = UINT64_MAX, .group = UINT32_MAX},
  };
  const rh_sample_data place = {8192, 128, 0};
  rh_sample_order out;
  rh_sample_data read;
  rh_child_request request;
  FINISHED(rh_text) text = {0};
  rh_sample_order_write(&text, &in);
  rh_sample_data_write(&text, &place);
  must(rh_request_end(&text, &error));
  for (size_t length = 0; length < text.length; length++)
    ck_assert_int_eq(parse(&request, text.s, length), -1);
  ck_assert_int_eq(parse(&request, text.s, text.length), 0);
  ck_assert_int_eq(rh_sample_read(&request, &out, &read), 0);
  ck_assert(request.parent == getpid() && !out.options.device);
  ck_assert(out.options.cache_dir && !*out.options.cache_dir && out.options.no_cache == 1);
  ck_assert(out.strict == 1 && !out.untuned && !out.on_host && out.n_settings == 2);
  ck_assert_str_eq(out.plugin, in.plugin);
  ck_assert_str_eq(out.settings[0].value, "256");
  ck_assert_str_eq(out.settings[1].key, "finish");
  ck_assert_str_eq(out.settings[1].value, "");
  ck_assert(out.known.calibration.read_peak == in.known.calibration.read_peak);
  ck_assert(out.known.items == UINT64_MAX && out.known.group == UINT32_MAX);
  ck_assert(read.region_bytes == 8192 && read.offset == 128);
  free((void *)(uintptr_t)out.settings);
  rh_request_finish(&request);
}

/* Whole requests, each with one error. */
TEST_LOOP(a_request_that_is_none, 0, 5) {
  static const char *const wrong[] = {"strategy", "plugin", "region_bytes", "on_host", "is_known"};
  const rh_sample_order in = {.strategy = "x", .plugin = "/x.so"};
  const rh_sample_data place = {0};
  rh_sample_order out;
  rh_sample_data read;
  rh_child_request request;
  FINISHED(rh_text) text = {0};
  rh_sample_order_write(&text, &in);
  rh_sample_data_write(&text, &place);
  rh_request_end(&text, &error);
  ck_assert_int_eq(parse(&request, text.s, text.length), 0);
  ck_assert_int_eq(rh_sample_read(&request, &out, &read), 0);
  free((void *)(uintptr_t)out.settings);
  char *value = (char *)(uintptr_t)rh_request_get(&request, wrong[_i]);
  ck_assert_ptr_nonnull(value);
  value[-2]++; /* the key's last letter */
  ck_assert_int_eq(rh_sample_read(&request, &out, &read), -1);
  rh_request_finish(&request);
}

/* ---- Conversations --------------------------------------------------------------------------- */

static char logged[4096];
static int cancels;

static void on_log(void *user, uint32_t level, const char *text) {
  (void)user;
  size_t used = strlen(logged);
  snprintf(logged + used, sizeof logged - used, "%u %s\n", level, text);
}

static int on_progress(void *user, const char *phase, uint64_t done, uint64_t total) {
  (void)user;
  (void)phase;
  (void)done;
  (void)total;
  return cancels;
}

typedef struct told {
  rh_opened asked, opened;
  rh_taken taken;
} told;

/* A whole run against a child that plays this script. */
static rh_status run_all(const char *part, double limit_s, told *t) {
  static const rh_take once = {RH_TAKE_LATENCY, 1};
  const rh_options options = {.program = self, .reporter = {NULL, on_log, on_progress}};
  const rh_found found = {.path = (char *)"/p/x.so", .name = "x"};
  const rh_isolated_spec spec = {
      .options = &options, .found = &found, .role = "--work", .limit_s = limit_s};
  rh_region region = {0};
  rh_sampler s;
  must(rh_region_alloc_shared(&region, 4, &error));
  const rh_bench_data data = {.op = rh_operator_builtin(RH_OP_sum, RH_TYPE_f32),
                              .n = 1,
                              .elements = region.address,
                              .region = &region};
  logged[0] = 0;
  setenv("REDHOST_TEST_PLAY", part, 1);
  must(rh_isolated_sampler(&s, &spec, &error));
  rh_status status = s.ask(s.self, &data, &t->asked, &error);
  if (status == RH_OK) status = s.open(s.self, &data, &t->opened, &error);
  if (status == RH_OK) status = s.take(s.self, &once, &t->taken, &error);
  if (status == RH_OK) status = s.close(s.self, &error);
  s.finish(s.self);
  rh_region_finish(&region);
  ck_assert(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD); /* no process is left */
  return status;
}

TEST(a_whole_run) {
  told t;
  ck_assert_int_eq(run_all(HELLO "<" QUERY "log 2 a text\n" ASKED "<" SETUP
                                 "progress upload 1 2\n" OPENED "<" TAKEN
                                 "<phase teardown\ndropped 2\nclosed\n",
                           10, &t),
                   RH_OK);
  ck_assert(t.asked.launches == 3 && t.asked.depth == 60 && t.asked.finishes_on_host == 1);
  ck_assert(t.asked.scratch_bytes == 40 && t.asked.local_bytes == 50 && t.asked.params_from == 1);
  ck_assert_uint_eq(t.asked.n_used, 2);
  ck_assert_str_eq(t.asked.used[1].key, "at");
  ck_assert_str_eq(t.asked.used[1].text, "host");
  ck_assert_str_eq(t.asked.params_note, "tuned here");
  /* Setup may change the parameters. */
  ck_assert(t.opened.launches == 9 && t.opened.n_used == 1 && t.opened.used[0].number == 64);
  ck_assert_str_eq(t.opened.params_note, "");
  ck_assert(t.opened.build_s == 0.25 && t.opened.build_cached == 1 && t.opened.in_place == 1);
  ck_assert(t.taken.seconds == 0.5 && t.taken.result.value.f == 7);
  ck_assert_str_eq(logged, "2 a text\n1 strategy 'x' logged 2 lines more, which were dropped\n");
}

typedef struct fault {
  const char *part;
  rh_status status;
  const char *says;
} fault;

static const fault faults[] = {
    {"", RH_E_PLUGIN,
     "redhost --work, for strategy 'x', ended the process with exit status 0 at its start"},
    {"!", RH_E_PLUGIN,
     "redhost --work, for strategy 'x', crashed at its start (signal 4, illegal instruction"},
    {"hello\n", RH_E_PLUGIN,
     "redhost --work, for strategy 'x', wrote to redhost's result channel at its start"},
    {HELLO QUERY, RH_E_PLUGIN,
     "strategy 'x' in /p/x.so ended the process with exit status 0 in query"},
    {HELLO ASKED "<~", RH_E_PLUGIN, "wrote to redhost's result channel at its start"},
    {HELLO "<~", RH_E_PLUGIN, "did not answer within 0.3 s at its start; --timeout allows more"},
    {HELLO "<phase devices\n!", RH_E_PLUGIN,
     "crashed while the OpenCL driver was loaded (signal 4"},
    {HELLO "<" QUERY "*", RH_E_PLUGIN, "strategy 'x' in /p/x.so sent more than 16 MiB in query"},
    {HELLO "<" QUERY "scribble\n~", RH_E_PLUGIN, "wrote to redhost's result channel in query"},
    {HELLO "<" QUERY "opened ho", RH_E_PLUGIN, "ended the process with exit status 0 in query"},
    {HELLO "<" QUERY TAKEN "~", RH_E_PLUGIN, "wrote to redhost's result channel in run"},
    {HELLO "<" QUERY "failed so\n~", RH_E_PLUGIN, "wrote to redhost's result channel in query"},
    {HELLO "<" QUERY "declined so\n~", RH_E_PLUGIN, "wrote to redhost's result channel in query"},
    {HELLO "<" QUERY ASKED, RH_E_PLUGIN, "ended the process with exit status 0 in query"},
    {HELLO "<" QUERY ASKED ASKED "<~", RH_E_PLUGIN, "wrote to redhost's result channel in query"},
    {HELLO "<" QUERY ASKED "<" SETUP "~", RH_E_PLUGIN, "did not answer within 0.3 s in setup"},
    {HELLO "<" QUERY ASKED "<" SETUP OPENED "<" TAKEN "taken 0.5 host 7\n<~", RH_E_PLUGIN,
     "wrote to redhost's result channel in run"},
    {HELLO "<" QUERY ASKED "<" SETUP OPENED "<" TAKEN "<phase teardown\n!", RH_E_PLUGIN,
     "strategy 'x' in /p/x.so crashed in teardown (signal 4"},
    {HELLO "<" QUERY "error -7 0 believe me\n", RH_E_PLUGIN,
     "wrote to redhost's result channel in query"},
    {HELLO "<error -20 0 --param y: no\n<", RH_E_USAGE, "--param y: no"},
    {HELLO "<" QUERY "error 1 0 not here\n<", RH_DECLINED, "not here"},
};

TEST_LOOP(a_fault_is_a_sentence, 0, sizeof faults / sizeof *faults) {
  const fault *of = &faults[_i];
  told t;
  ck_assert_int_eq(run_all(of->part, 0.3, &t), of->status);
  ck_assert_msg(strstr(error.message, of->says) != NULL, "'%s' does not say '%s'", error.message,
                of->says);
}

/* More than the limit cannot come from redhost. */
TEST_LOOP(what_may_come_often_has_an_end, 0, 2) {
  static const struct {
    const char *line;
    int most;
  } often[] = {{"log 3 x\n", RH_MOST_LOGS}, {"param a 1 1 b\n", RH_MAX_PARAMS}};
  FINISHED(rh_text) part = {0};
  told t;
  rh_text_add(&part, "%s", HELLO "<" QUERY);
  for (int k = 0; k <= often[_i].most; k++) rh_text_add(&part, "%s", often[_i].line);
  rh_text_add(&part, "~");
  ck_assert_int_eq(run_all(part.s, 10, &t), RH_E_PLUGIN);
  ck_assert_ptr_nonnull(strstr(error.message, "wrote to redhost's result channel in query"));
  if (_i == 0) ck_assert_uint_eq(strlen(logged), RH_MOST_LOGS * strlen("3 x\n"));
}

TEST(it_can_be_cancelled) {
  told t;
  cancels = 1;
  ck_assert_int_eq(run_all(HELLO "<" QUERY "progress upload 1 2\n~", 10, &t), RH_E_CANCELLED);
  cancels = 0;
}

TEST(data_that_cannot_be_shared_are_no_data) {
  const rh_options options = {.program = self};
  const rh_found found = {.path = (char *)"/p/x.so", .name = "x"};
  const rh_isolated_spec spec = {.options = &options, .found = &found, .limit_s = 1};
  const rh_region region = {0};
  const rh_bench_data data = {
      .op = rh_operator_builtin(RH_OP_sum, RH_TYPE_f32), .n = 1, .region = &region};
  rh_sampler s;
  rh_opened opened;
  must(rh_isolated_sampler(&s, &spec, &error));
  ck_assert_int_eq(s.ask(s.self, &data, &opened, &error), RH_E_INTERNAL);
  s.finish(s.self);
}

/* The descriptor's recipient cannot change the data that this process reads. */
TEST(shared_data_are_sealed) {
  rh_region region = {0};
  must(rh_region_alloc_shared(&region, 4096, &error));
  memset(region.address, 1, 4096);
  rh_region_seal(&region);
  ck_assert_int_eq(ftruncate(region.file, 0), -1);
  ck_assert_int_eq(pwrite(region.file, "x", 1, 0), -1);
  memset(region.address, 2, 4096); /* this process can */
  char byte;
  ck_assert_int_eq(pread(region.file, &byte, 1, 4095), 1);
  ck_assert_int_eq(byte, 2);
  rh_region_finish(&region);

  /* A file of somebody else is not sealed. */
  int theirs = memfd_create("theirs", MFD_ALLOW_SEALING);
  ck_assert(theirs >= 0 && ftruncate(theirs, 4096) == 0);
  must(rh_region_map(&region, theirs, 4096, "theirs", &error));
  rh_region_seal(&region);
  ck_assert_int_eq(pwrite(theirs, "x", 1, 0), 1);
  rh_region_finish(&region);
  close(theirs);
}

int main(int argc, char **argv) {
  const char *part = getenv("REDHOST_TEST_PLAY");
  if (argc == 2 && strcmp(argv[1], "--work") == 0 && part) {
    play(part);
    return 0;
  }
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length < 0) return 2;
  return run_tests();
}
