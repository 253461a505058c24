/* host/tools/isolate: the lines of redhost's own child beyond the peers' protocol, and invalid
 * input on its channel.
 *
 * This program is its own child: started as `redhost --work` it says what REDHOST_TEST_PLAY holds,
 * where "<" waits for a question of the parent's, "!" ends the process, "~" sleeps, "A", "O", "T"
 * and "E" are answers: to ask, open and take, and an error; "P3" is phase 3, "L" a log line, "U"
 * and "V" are progress, and "X" says that two lines were dropped. */
#include <errno.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "child_support.h"

#define DEVICES  "P1"
#define QUERY    "P2P3"
#define SETUP    "P4"
#define RUN      "P5"
#define TEARDOWN "P7"

/* ---- The worker's side ----------------------------------------------------------------------- */

static const rh_opened asked = {.launches = 3,
                                .finishes_on_host = 1,
                                .depth = 60,
                                .params_from = 1,
                                .params = "tile=256",
                                .scratch_bytes = 40,
                                .n_used = 2,
                                .used = {{"tile", "256", 256, 0}, {"at", "host", 1, 1}},
                                .params_note = "tuned here"},
                       opened = {.launches = 9, .build_s = 0.25, .in_place = 1};
static const rh_taken taken = {.seconds = 0.5, .result = {.type = RH_TYPE_f32, .value.f = 7}};
static const rh_error no_option = {.status = RH_E_USAGE, .message = "--param y: no"},
                      not_here = {.status = RH_DECLINED, .message = "not here"},
                      believe_me = {.status = RH_E_WRONG, .message = "believe me"};
static const rh_own_log a_log = {2, "a text"};
static const rh_own_progress upload = {"upload", 1, UINT64_MAX}, dancing = {"dancing", 1, 2};
static const uint64_t two = 2;

static void answer(const char *word, const void *from, size_t bytes) {
  FINISHED(rh_text) line = {0};
  rh_own_line_add(&line, word, from, bytes);
  if (rh_write_all(4, line.s, line.length, RH_BYTES_HERE) != 0) _exit(9);
}

static void play(const char *part) {
  for (; *part; part++) {
    char word[4 * sizeof(rh_own_point)];
    size_t k = 0;
    rh_phase phase;
    switch (*part) {
    case '<':
      while (k < sizeof word && read(4, &word[k], 1) == 1 && word[k] != '\n') k++;
      if (k == 0) _exit(7);
      break;
    case '!': raise(SIGILL); break;
    case '~': sleep(30); break;
    case '*': flood(); break;
    case 'A': answer("opened", &asked, sizeof asked); break;
    case 'O': answer("opened", &opened, sizeof opened); break;
    case 'T': answer("taken", &taken, sizeof taken); break;
    case 'E': answer("error", &no_option, sizeof no_option); break;
    case 'D': answer("error", &not_here, sizeof not_here); break;
    case 'W': answer("error", &believe_me, sizeof believe_me); break;
    case 'L': answer("log", &a_log, sizeof a_log); break;
    case 'U': answer("progress", &upload, sizeof upload); break;
    case 'V': answer("progress", &dancing, sizeof dancing); break;
    case 'X': answer("dropped", &two, sizeof two); break;
    case 'P':
      phase = (rh_phase)(*++part - '0');
      answer("phase", &phase, sizeof phase);
      break;
    default:
      if (write(4, part, 1) != 1) _exit(9);
    }
  }
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* Each of these differs from a valid line in one detail. */
TEST(garbage_is_refused) {
  assert_garbage(
      "|scribble|phase|phase setup|phase 0|phase 00000000 1|Phase 00000000|phase 0000000G|"
      "phase \xff|log 2 a text|progress upload 1 2|part|part |wrong|dropped -1|dropped 150|"
      "opened host 1|failed so|declined so|ready|closed 1|error -3 0 no room|opened 00|"
      "taken 1 host 7|parts 1e-6 tiles 2e-6",
      1, 0, 0);
}

/* What was sent, but for one byte that a plugin has overwritten. */
static rh_peer_word damaged(const char *word, const void *from, size_t bytes, size_t at,
                            unsigned char by) {
  unsigned char copy[sizeof(rh_peer_message)];
  rh_peer_message said;
  FINISHED(rh_text) line = {0};
  memcpy(copy, from, bytes);
  if (at < bytes) copy[at] = by;
  rh_own_line_add(&line, word, copy, bytes);
  return rh_peer_line_read(line.s, line.length - 1, 1, 0, 0, &said);
}

TEST(damaged_structs_are_refused) {
  rh_opened long_key = asked;
  rh_own_log long_text = a_log;
  rh_own_progress long_activity = upload;
  rh_phase phase = RH_PHASE_teardown;
  memset(long_key.used[1].key, 'x', sizeof long_key.used[1].key);
  memset(long_text.text, 'x', sizeof long_text.text);
  memset(long_activity.activity, 'x', sizeof long_activity.activity);
  ck_assert_int_eq(damaged("phase", &phase, sizeof phase, SIZE_MAX, 0), RH_OWN_PHASE);
  ck_assert_int_eq(damaged("phase", &phase, sizeof phase, 0, RH_PHASE_teardown + 1),
                   RH_PEER_GARBAGE);
  ck_assert_int_eq(damaged("log", &a_log, sizeof a_log, SIZE_MAX, 0), RH_OWN_LOG);
  ck_assert_int_eq(damaged("log", &a_log, sizeof a_log, 0, RH_LOG_DEBUG + 1), RH_PEER_GARBAGE);
  ck_assert_int_eq(damaged("log", &long_text, sizeof a_log, SIZE_MAX, 0), RH_PEER_GARBAGE);
  ck_assert_int_eq(damaged("progress", &upload, sizeof upload, SIZE_MAX, 0), RH_OWN_PROGRESS);
  ck_assert_int_eq(damaged("progress", &long_activity, sizeof upload, SIZE_MAX, 0),
                   RH_PEER_GARBAGE);
  ck_assert_int_eq(damaged("dropped", &two, sizeof two - 1, SIZE_MAX, 0), RH_PEER_GARBAGE);
  ck_assert_int_eq(damaged("opened", &asked, sizeof asked, SIZE_MAX, 0), RH_PEER_OPENED);
  ck_assert_int_eq(damaged("opened", &asked, sizeof asked - 1, SIZE_MAX, 0), RH_PEER_GARBAGE);
  ck_assert_int_eq(damaged("opened", &long_key, sizeof asked, SIZE_MAX, 0), RH_PEER_GARBAGE);
  ck_assert_int_eq(damaged("opened", &asked, sizeof asked, offsetof(rh_opened, n_used), 65),
                   RH_PEER_GARBAGE);
  ck_assert_int_eq(damaged("opened", &asked, sizeof asked, offsetof(rh_opened, params_from), 9),
                   RH_PEER_GARBAGE);
  ck_assert_int_eq(damaged("taken", &taken, sizeof taken, SIZE_MAX, 0), RH_PEER_TAKEN);
  ck_assert_int_eq(damaged("taken", &taken, sizeof taken, 7, 0xff), RH_PEER_GARBAGE);
  ck_assert_int_eq(damaged("taken", &taken, sizeof taken, offsetof(rh_taken, result.n_fields), 17),
                   RH_PEER_GARBAGE);
  ck_assert_int_eq(damaged("taken", &taken, sizeof taken, offsetof(rh_taken, result.type), 99),
                   RH_PEER_GARBAGE);
  ck_assert_int_eq(damaged("error", &not_here, sizeof not_here, SIZE_MAX, 0), RH_OWN_ERROR);
  ck_assert_int_eq(damaged("error", &believe_me, sizeof believe_me, SIZE_MAX, 0), RH_PEER_GARBAGE);
}

/* ---- Requests -------------------------------------------------------------------------------- */

/* Works on a copy, so that a sanitizer sees a byte too many. */
static int parse(rh_child_request *request, const char *bytes, size_t length) {
  char *exact = malloc(length + !length);
  if (length) memcpy(exact, bytes, length);
  return rh_request_parse(request, exact, length);
}

static const rh_setting settings[] = {{"tile", "256"}, {"finish", ""}};
static const rh_options order_options = {.cache_dir = "", .no_cache = 1};
static const rh_found order_found = {.path = (char *)"/a \xff\n=/x.so", .name = "x"};
static const rh_bench_device calibrated = {.calibration = {.launch_s = 1e12 / 3},
                                           .sweep = {.group = UINT32_MAX, .items = UINT64_MAX}};
static const rh_isolated_spec order_spec = {.options = &order_options,
                                            .found = &order_found,
                                            .bench_device = &calibrated,
                                            .settings = settings,
                                            .n_settings = 2,
                                            .strict = 1};

static void write_request(rh_text *text) {
  rh_sample_order_write(text, &order_spec);
  must(rh_request_end(text, &error));
}

/* And none with an error does. */
TEST(a_request_arrives) {
  static const char *const wrong[] = {"strategy", "plugin", "is"};
  rh_sample_order out;
  rh_child_request request;
  FINISHED(rh_text) text = {0};
  write_request(&text);
  for (size_t length = 0; length < text.length; length++)
    ck_assert_int_eq(parse(&request, text.s, length), -1);
  ck_assert_int_eq(parse(&request, text.s, text.length), 0);
  ck_assert_int_eq(rh_sample_read(&request, &out), 0);
  ck_assert(request.parent == getpid() && !out.options.device);
  ck_assert(out.options.cache_dir && !*out.options.cache_dir && out.options.no_cache == 1);
  ck_assert(out.is.strict == 1 && !out.is.untuned && out.n_settings == 2);
  ck_assert_str_eq(out.plugin, order_found.path);
  ck_assert_str_eq(out.settings[0].value, "256");
  ck_assert_str_eq(out.settings[1].key, "finish");
  ck_assert_str_eq(out.settings[1].value, "");
  ck_assert_uint_eq(out.is.is_known, 1);
  ck_assert_mem_eq(&out.is.known, &calibrated, sizeof calibrated);
  free((void *)(uintptr_t)out.settings);
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    char *value = (char *)(uintptr_t)rh_request_get(&request, wrong[k]);
    ck_assert_ptr_nonnull(value);
    value[-2]++; /* the key's last letter */
    ck_assert_msg(rh_sample_read(&request, &out) == -1, "%s", wrong[k]);
    free((void *)(uintptr_t)out.settings);
    value[-2]--;
  }
  ck_assert_int_eq(rh_sample_read(&request, &out), 0);
  free((void *)(uintptr_t)out.settings);
  rh_request_finish(&request);
}

/* ---- Conversations --------------------------------------------------------------------------- */

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
  logged[0] = reported[0] = 0;
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
  ck_assert_int_eq(run_all("<" QUERY "LA<" SETUP "UVO<" RUN "T<" TEARDOWN "Xclosed\n", 10, &t),
                   RH_OK);
  ck_assert_mem_eq(&t.asked, &asked, sizeof asked);
  ck_assert_mem_eq(&t.opened, &opened, sizeof opened); /* setup may change the parameters */
  ck_assert(t.taken.seconds == 0.5 && t.taken.result.value.f == 7);
  ck_assert_str_eq(reported, "upload working ");
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
    {"hello\n<", RH_E_PLUGIN,
     "redhost --work, for strategy 'x', wrote to redhost's result channel at its start"},
    {"<~", RH_E_PLUGIN, "did not answer within 0.3 s at its start; --timeout allows more"},
    {"<" DEVICES "!", RH_E_PLUGIN, "crashed while the OpenCL driver was loaded (signal 4"},
    {"<" QUERY "*", RH_E_PLUGIN, "strategy 'x' in /p/x.so sent more than 16 MiB in query"},
    {"<" QUERY "scribble\n~", RH_E_PLUGIN, "wrote to redhost's result channel in query"},
    {"<" QUERY "opened 0", RH_E_PLUGIN, "ended the process with exit status 0 in query"},
    {"<" QUERY "" RUN "T~", RH_E_PLUGIN, "wrote to redhost's result channel in run"},
    {"<" QUERY "failed so\n~", RH_E_PLUGIN, "wrote to redhost's result channel in query"},
    {"<" QUERY "A", RH_E_PLUGIN, "ended the process with exit status 0 in query"},
    {"<" QUERY "A<" SETUP "~", RH_E_PLUGIN, "did not answer within 0.3 s in setup"},
    {"<" QUERY "A<" SETUP "O<" RUN "TT<~", RH_E_PLUGIN, "wrote to redhost's result channel in run"},
    {"<" QUERY "A<" SETUP "O<" RUN "T<" TEARDOWN "!", RH_E_PLUGIN,
     "strategy 'x' in /p/x.so crashed in teardown (signal 4"},
    {"<" QUERY "W", RH_E_PLUGIN, "wrote to redhost's result channel in query"},
    {"<E<", RH_E_USAGE, "--param y: no"},
    {"<" QUERY "D<", RH_DECLINED, "not here"},
};

TEST_LOOP(a_fault_is_a_sentence, 0, sizeof faults / sizeof *faults) {
  const fault *of = &faults[_i];
  told t;
  must_fail(run_all(of->part, 0.3, &t), of->status, of->says);
}

/* More than the limit cannot come from redhost. */
TEST(logs_have_an_end) {
  FINISHED(rh_text) part = {0};
  told t;
  rh_text_add(&part, "%s", "<" QUERY);
  for (int k = 0; k <= RH_MOST_LOGS; k++) rh_text_add(&part, "L");
  rh_text_add(&part, "~");
  must_fail(run_all(part.s, 10, &t), RH_E_PLUGIN, "wrote to redhost's result channel in query");
  ck_assert_uint_eq(strlen(logged), RH_MOST_LOGS * strlen("2 a text\n"));
}

TEST(it_can_be_cancelled) {
  told t;
  cancels = 1;
  ck_assert_int_eq(run_all("<" QUERY "U~", 10, &t), RH_E_CANCELLED);
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
  rh_opened to;
  must(rh_isolated_sampler(&s, &spec, &error));
  ck_assert_int_eq(s.ask(s.self, &data, &to, &error), RH_E_INTERNAL);
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
  return find_self() ? run_tests() : 2;
}
