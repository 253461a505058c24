/* host/tools/isolate: what a worker says, and whatever else comes on its channel.
 *
 * This program is its own worker: started as `redhost --work` it says what REDHOST_TEST_PLAY holds, where "<" waits for
 * a command of the parent's, "!" ends the process and "~" sleeps. */
#include "../../host/core/base/clock.h"
#include "../../host/tools/isolate/request.h"
#include "../../host/tools/isolate/worker.h"

#include <check.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define HELLO "{\"redhost-work\":1}\n"
#define QUERY "{\"phase\":\"loading\"}\n{\"phase\":\"query\"}\n"
#define READY                                                                                      \
  "{\"ready\":{\"answer\":[3,1,40,50,60],\"params\":[[\"tile\",\"256\",256,0],[\"at\",\"host\",1,1]],\"from\":1,\"note\":\"tuned here\"}}\n"
#define RUN      "{\"phase\":\"setup\"}\n{\"phase\":\"run\"}\n"
#define RESULT   "{\"result\":[7,-1,0.5,1,4,3,1,0.25,0.125]}\n"
#define MEASURED "{\"measured\":[[0.5,0.25,21],[0.125,0.0,20],128]}\n"
#define DONE     "{\"done\":2}\n"

static char self[PATH_MAX];

/* ---- The worker's side ------------------------------------------------------------------------------------------- */

static void flood(void) {
  static char stars[1 << 16];
  memset(stars, '*', sizeof stars);
  while (write(4, stars, sizeof stars) > 0) continue;
  _exit(8);
}

static void play(const char *part) {
  for (; *part; part++) {
    char word[16];
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

/* ---- Frames ------------------------------------------------------------------------------------------------------ */

static rh_frame_kind read_text(const char *text, rh_frame *frame, rh_facts *facts) {
  size_t length = strlen(text);
  if (length && text[length - 1] == '\n') length--;
  return rh_frame_read(text, length, frame, facts);
}

static rh_frame_kind read_json(json_t *json, rh_frame *frame, rh_facts *facts) {
  char *text = json_dumps(json, JSON_COMPACT);
  ck_assert_ptr_nonnull(text);
  json_decref(json);
  rh_frame_kind kind = read_text(text, frame, facts);
  free(text);
  return kind;
}

START_TEST(what_is_said_is_understood) {
  rh_frame frame;
  rh_facts in = {0}, out = {0};
  in.answer = (rh_answer){.struct_size = sizeof in.answer,
                          .launches = UINT32_MAX,
                          .finishes_on_host = 1,
                          .scratch_bytes = UINT64_MAX,
                          .local_bytes = 1,
                          .depth = (uint64_t)1 << 63};
  in.n_params = 2;
  in.params_from = RH_PARAMS_FROM_TUNED;
  strcpy(in.params_note, "tuned for driver 1, now 2");
  in.params[0] = (rh_used_param){"tile", "256", 256, 0};
  in.params[1] = (rh_used_param){"finish", "h\xc3\xb6st", INT64_MIN, 1};
  ck_assert_int_eq(read_json(rh_frame_ready(&in), &frame, &out), RH_FRAME_READY);
  ck_assert_mem_eq(&out.answer, &in.answer, sizeof in.answer);
  ck_assert_uint_eq(out.n_params, 2);
  ck_assert_mem_eq(out.params, in.params, sizeof in.params);
  ck_assert_uint_eq(out.params_from, in.params_from);
  ck_assert_str_eq(out.params_note, in.params_note);

  for (int k = 0; k < 16; k++) in.value[k] = (unsigned char)(0xf7 - 13 * k);
  in.on_device = in.in_place = 1;
  in.builds = 3, in.builds_cached = 2;
  in.first_s = 0.1, in.build_s = 1.0 / 3, in.upload_s = 1e-9;
  ck_assert_int_eq(read_json(rh_frame_result(&in), &frame, &out), RH_FRAME_RESULT);
  in.quick = (rh_quick){{0.7, 0.1, 21}, {1e-7, 0, 3}, 128};
  ck_assert_int_eq(read_json(rh_frame_measured(&in), &frame, &out), RH_FRAME_MEASURED);
  in.measured = 1;
  ck_assert_mem_eq(&out.value, &in.value, sizeof in.value);
  ck_assert(out.on_device == 1 && out.in_place == 1 && out.builds == 3 && out.builds_cached == 2);
  ck_assert(out.first_s == in.first_s && out.build_s == in.build_s && out.upload_s == in.upload_s);
  ck_assert_mem_eq(&out.quick.latency, &in.quick.latency, sizeof in.quick.latency);
  ck_assert(out.quick.time.seconds == 1e-7 && out.quick.time.samples == 3);
  ck_assert(out.quick.batch == 128 && out.measured == 1);

  rh_error error = {RH_E_CL, -5, "no\nroom \xff"};
  ck_assert_int_eq(read_json(rh_frame_failed(&error), &frame, &out), RH_FRAME_FAILED);
  ck_assert(frame.status == RH_E_CL && frame.code == -5);
  ck_assert_str_eq(frame.text, "no?room ?");
  for (int k = RH_WORK_start; k <= RH_WORK_teardown; k++) {
    ck_assert_int_eq(read_json(rh_frame_phase((rh_work_phase)k), &frame, &out), RH_FRAME_PHASE);
    ck_assert_int_eq(frame.phase, k);
  }
}
END_TEST

/* Each of these differs in one thing from a frame. */
static const char *const garbage[] = {
    "",
    "{",
    "[]",
    "null",
    "{}",
    "scribble",
    "{\"redhost-work\":2}",
    "{\"redhost-work\":1.0}",
    "{\"redhost-work\":1,\"redhost-work\":1}",
    "{\"phase\":\"running\"}",
    "{\"phase\":3}",
    "{\"phase\":\"run\",\"x\":1}",
    "{\"log\":[4,\"x\"]}",
    "{\"log\":[-1,\"x\"]}",
    "{\"log\":[1]}",
    "{\"log\":[1,2]}",
    "{\"log\":[1,\"x\",2]}",
    "{\"progress\":[\"upload\",1]}",
    "{\"done\":-1}",
    "{\"done\":\"2\"}",
    "{\"failed\":[0,0],\"message\":\"x\"}",
    "{\"failed\":[-24,0],\"message\":\"x\"}",
    "{\"failed\":[-7,0],\"message\":\"x\"}",
    "{\"failed\":[-3,0],\"message\":\"\"}",
    "{\"failed\":[-3,0]}",
    "{\"failed\":[99999999999,0],\"message\":\"x\"}",
    "{\"ready\":1}",
    "{\"ready\":{\"answer\":[3,1,40,50,60],\"from\":1,\"note\":\"tuned here\"}}",
    "{\"ready\":{\"answer\":[3,1,40,50,60],\"params\":[]}}",
    "{\"ready\":{\"answer\":[3,1,40,50,60],\"params\":[],\"from\":3,\"note\":\"\"}}",
    "{\"ready\":{\"answer\":[3,1,40,50,60],\"params\":[],\"from\":-1,\"note\":\"\"}}",
    "{\"ready\":{\"answer\":[3,1,40,50,60],\"params\":[],\"from\":1,\"note\":2}}",
    "{\"ready\":{\"answer\":[-3,1,40,50,60],\"params\":[],\"from\":1,\"note\":\"tuned here\"}}",
    "{\"ready\":{\"answer\":[3,1,40,50],\"params\":[],\"from\":1,\"note\":\"tuned here\"}}",
    "{\"ready\":{\"answer\":[3,1,40,50,60],\"params\":{},\"from\":1,\"note\":\"tuned here\"}}",
    "{\"ready\":{\"answer\":[3,1,40,50,60],\"params\":[1],\"from\":1,\"note\":\"tuned here\"}}",
    "{\"ready\":{\"answer\":[3,1,40,50,60],\"params\":[[\"a\",\"b\",1]],\"from\":1,\"note\":\"tuned here\"}}",
    "{\"result\":[7,0,0.5,1,4,3,1,0.25]}",
    "{\"result\":[7,0,-0.5,1,4,3,1,0.25,0.125]}",
    "{\"result\":[7,0,0.5,1,-4,3,1,0.25,0.125]}",
    "{\"result\":[7.5,0,0.5,1,4,3,1,0.25,0.125]}",
    "{\"result\":[7,0,1e999,1,4,3,1,0.25,0.125]}",
    "{\"measured\":[[0.5,0.25,21],[0.125,0.0,20]]}",
    "{\"measured\":[[0.5,0.25,-1],[0.125,0.0,20],128]}",
    "{\"measured\":[[0.5,-0.25,1],[0.125,0.0,20],128]}",
    "{\"measured\":[0.5,[0.125,0.0,20],128]}",
};

START_TEST(garbage_is_refused) {
  rh_frame frame;
  rh_facts facts, before;
  memset(&facts, 0x5a, sizeof facts);
  before = facts;
  ck_assert_int_eq(read_text(garbage[_i], &frame, &facts), RH_FRAME_GARBAGE);
  ck_assert_mem_eq(&facts, &before, sizeof facts); /* nothing half-read */
}
END_TEST

START_TEST(strings_are_cut_to_fit) {
  char line[16384], text[4096];
  rh_frame frame;
  rh_facts facts = {0};
  memset(text, 'x', sizeof text);
  memcpy(text + 1021, "\xc3\xa4\xc3\xa4", 4); /* not from within a character */
  text[4000] = 0;
  snprintf(line, sizeof line, "{\"log\":[1,\"%s\"]}", text);
  ck_assert_int_eq(read_text(line, &frame, &facts), RH_FRAME_LOG);
  ck_assert_uint_eq(strlen(frame.text), 1023);
  snprintf(line, sizeof line, "{\"log\":[1,\"x%s\"]}", text);
  ck_assert_int_eq(read_text(line, &frame, &facts), RH_FRAME_LOG);
  ck_assert_uint_eq(strlen(frame.text), 1022);
  snprintf(
      line, sizeof line,
      "{\"ready\":{\"answer\":[3,1,40,50,60],\"params\":[[\"%s\",\"%s\",1,1]],\"from\":1,\"note\":\"tuned here\"}}",
      text, text);
  ck_assert_int_eq(read_text(line, &frame, &facts), RH_FRAME_READY);
  ck_assert_uint_eq(strlen(facts.params[0].key), 63);
  ck_assert_uint_eq(strlen(facts.params[0].text), 63);

  rh_text many = {0};
  rh_text_add(&many, "{\"ready\":{\"answer\":[3,1,40,50,60],\"params\":[");
  for (int k = 0; k <= RH_MAX_PARAMS; k++) rh_text_add(&many, "%s[\"a\",\"b\",1,1]", k ? "," : "");
  rh_text_add(&many, "],\"from\":1,\"note\":\"tuned here\"}}");
  ck_assert_int_eq(read_text(many.s, &frame, &facts), RH_FRAME_GARBAGE);
  rh_text_finish(&many);
}
END_TEST

static uint32_t next(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*state >> 33);
}

/* Frames with bytes changed, dropped and doubled: nothing happens but that they are read or refused, and what is read is
 * fit for use. */
START_TEST(any_bytes_may_come) {
  static const char *const seeds[] = {HELLO,
                                      QUERY,
                                      READY,
                                      RESULT,
                                      MEASURED,
                                      DONE,
                                      "{\"log\":[1,\"text\"]}\n",
                                      "{\"progress\":[\"upload\",1,2]}\n",
                                      "{\"failed\":[-3,-5],\"message\":\"so\"}\n"};
  static const char letters[] = "{}[]\",:0123456789-+.eEtfn\\u \x80\xff\xc3\x00x";
  uint64_t state = 1;
  int read = 0, refused = 0;
  for (int k = 0; k < 200000; k++) {
    char line[512];
    const char *seed = seeds[next(&state) % (sizeof seeds / sizeof *seeds)];
    size_t length = strlen(seed) - 1;
    memcpy(line, seed, length);
    for (uint32_t changes = next(&state) % 4; changes && length; changes--) {
      size_t at = next(&state) % length;
      char letter = letters[next(&state) % (sizeof letters - 1)];
      switch (next(&state) % 3) {
      case 0: line[at] = letter; break;
      case 1: memmove(line + at, line + at + 1, --length - at); break;
      case 2: memmove(line + at + 1, line + at, length++ - at), line[at] = letter; break;
      }
    }
    char *exact = malloc(length + 1); /* so that a byte too many shows */
    memcpy(exact, line, length);
    rh_frame frame;
    rh_facts facts = {0};
    rh_frame_kind kind = rh_frame_read(exact, length, &frame, &facts);
    free(exact);
    kind == RH_FRAME_GARBAGE ? refused++ : read++;
    ck_assert_uint_le(facts.n_params, RH_MAX_PARAMS);
    ck_assert_ptr_nonnull(rh_work_phase_words(frame.phase));
    ck_assert_ptr_nonnull(memchr(frame.text, 0, sizeof frame.text));
    if (kind == RH_FRAME_FAILED) ck_assert(frame.status != RH_OK && frame.status != RH_E_WRONG);
    if (kind == RH_FRAME_PROGRESS) ck_assert_ptr_nonnull(frame.activity);
  }
  ck_assert_int_gt(read, 10000);
  ck_assert_int_gt(refused, 10000);
}
END_TEST

/* ---- Requests ---------------------------------------------------------------------------------------------------- */

START_TEST(a_request_arrives) {
  static const rh_setting settings[] = {{"tile", "256"}, {"finish", ""}};
  rh_work out,
      in = {.parent = 77, .cache_dir = "", .no_cache = 1, .offset = 128, .region_bytes = 8192};
  rh_text text = {0};
  in.job = (rh_job_spec){.strategy = "x",
                         .plugin = "/a \xff/x.so",
                         .what = "-n 5",
                         .op = 3,
                         .type = RH_TYPE_f64,
                         .n = UINT64_MAX,
                         .settings = settings,
                         .n_settings = 2,
                         .untuned = 1};
  ck_assert_int_eq(rh_work_write(&text, &in), 0);
  ck_assert_int_eq(rh_work_read(&out, text.s, text.length), 0);
  ck_assert(out.parent == 77 && !out.device && out.cache_dir && !*out.cache_dir &&
            out.no_cache == 1);
  ck_assert(out.offset == 128 && out.region_bytes == 8192 && out.job.n == UINT64_MAX);
  ck_assert(out.job.untuned == 1 && out.job.op == 3 && out.job.type == RH_TYPE_f64 &&
            out.job.n_settings == 2);
  ck_assert_str_eq(out.job.plugin, "/a \xff/x.so");
  ck_assert_str_eq(out.job.settings[0].value, "256");
  ck_assert_str_eq(out.job.settings[1].key, "finish");
  ck_assert_str_eq(out.job.settings[1].value, "");
  rh_work_finish(&out);
  for (size_t length = 0; length < text.length; length++) {
    char *cut = malloc(length + 1);
    memcpy(cut, text.s, length);
    ck_assert_int_eq(rh_work_read(&out, cut, length), -1);
    free(cut);
  }
  rh_text_append(&text, "+more", 6);
  ck_assert_int_eq(rh_work_read(&out, text.s, text.length), -1);
  rh_text_finish(&text);
}
END_TEST

/* ---- Conversations ----------------------------------------------------------------------------------------------- */

static rh_error error;
static char logged[4096];
static int cancels;

static void on_log(void *user, uint32_t level, const char *text) {
  (void)user;
  size_t used = strlen(logged);
  snprintf(logged + used, sizeof logged - used, "%u %s\n", level, text);
}

static int on_progress(void *user, const char *phase, uint64_t done, uint64_t total) {
  (void)user, (void)phase, (void)done, (void)total;
  return cancels;
}

/* The whole of a run against a worker that plays this part. */
static rh_status run_all(const char *part, double limit_s, rh_facts *facts) {
  rh_options options = {.program = self, .reporter = {NULL, on_log, on_progress}};
  rh_job_spec job = {.strategy = "x", .plugin = "/p/x.so", .what = "it", .n = 1};
  rh_region region = {0};
  rh_worker worker;
  ck_assert_int_eq(rh_region_alloc_shared(&region, 4, &error), RH_OK);
  rh_worker_spec spec = {.options = &options, .job = &job, .data = &region, .limit_s = limit_s};
  logged[0] = 0;
  setenv("REDHOST_TEST_PLAY", part, 1);
  rh_status status = rh_worker_start(&worker, &spec, facts, &error);
  if (status == RH_OK) status = rh_worker_run(&worker, facts, &error);
  if (status == RH_OK) status = rh_worker_measure(&worker, facts, &error);
  if (status == RH_OK) status = rh_worker_end(&worker, &error);
  rh_worker_finish(&worker);
  rh_region_finish(&region);
  ck_assert(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD); /* nothing is left of it */
  return status;
}

START_TEST(a_whole_run) {
  rh_facts facts;
  ck_assert_int_eq(run_all(HELLO QUERY "{\"log\":[2,\"a\\u001bb\"]}\n" READY "<" RUN
                                       "{\"progress\":[\"upload\",1,2]}\n" RESULT "<" MEASURED
                                       "<" DONE,
                           10, &facts),
                   RH_OK);
  ck_assert(facts.answer.launches == 3 && facts.answer.depth == 60 && facts.n_params == 2);
  ck_assert(facts.value[0] == 7 && facts.value[15] == 0xff && facts.quick.batch == 128);
  ck_assert_str_eq(logged, "2 a?b\n1 strategy 'x' logged 2 lines more, which were dropped\n");
}
END_TEST

/* Setting up may find that it has to be other parameters. */
START_TEST(ready_once_more_in_setup) {
  rh_facts facts;
  ck_assert_int_eq(run_all(HELLO QUERY READY
                           "<{\"phase\":\"setup\"}\n"
                           "{\"ready\":{\"answer\":[9,1,40,50,60],\"params\":[],\"from\":0,"
                           "\"note\":\"\"}}\n{\"phase\":\"run\"}\n" RESULT "<" MEASURED "<" DONE,
                           10, &facts),
                   RH_OK);
  ck_assert(facts.answer.launches == 9 && facts.n_params == 0 && facts.params_from == 0);
  ck_assert(facts.value[0] == 7 && facts.quick.batch == 128);
}
END_TEST

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
    {"hello\n", RH_E_PLUGIN, "redhost --work, for strategy 'x', disturbed the answer at its start"},
    {QUERY, RH_E_PLUGIN, "strategy 'x' in /p/x.so ended the process with exit status 0 in query"},
    {READY, RH_E_PLUGIN, "disturbed the answer at its start"},
    {HELLO HELLO, RH_E_PLUGIN, "disturbed the answer at its start"},
    {HELLO "~", RH_E_PLUGIN, "did not answer within 0.3 s at its start"},
    {HELLO "{\"phase\":\"devices\"}\n!", RH_E_PLUGIN,
     "crashed while the OpenCL driver was loaded (signal 4"},
    {HELLO QUERY "*", RH_E_PLUGIN, "strategy 'x' in /p/x.so sent more than 16 MiB in query"},
    {HELLO QUERY QUERY, RH_E_PLUGIN, "disturbed the answer in query"},
    {HELLO QUERY "{\"re", RH_E_PLUGIN, "ended the process with exit status 0 in query"},
    {HELLO QUERY RESULT, RH_E_PLUGIN, "disturbed the answer in query"},
    {HELLO QUERY READY, RH_E_PLUGIN, "ended the process with exit status 0 in query"},
    {HELLO QUERY READY READY "<~", RH_E_PLUGIN, "disturbed the answer in query"},
    {HELLO QUERY READY "<" RUN READY "<~", RH_E_PLUGIN, "disturbed the answer in run"},
    {HELLO QUERY READY "<" RUN "~", RH_E_PLUGIN, "did not answer within 0.3 s in run"},
    {HELLO QUERY READY "<" RUN RESULT "<~", RH_E_PLUGIN, "did not answer within 0.3 s in run"},
    {HELLO QUERY READY "<" RUN RESULT RESULT "<~", RH_E_PLUGIN, "disturbed the answer in run"},
    {HELLO QUERY READY "<" RUN RESULT "<" MEASURED "<{\"phase\":\"teardown\"}\n!", RH_E_PLUGIN,
     "strategy 'x' in /p/x.so crashed in teardown (signal 4"},
    {HELLO QUERY READY "<{\"failed\":[-24,0],\"message\":\"believe me\"}\n", RH_E_PLUGIN,
     "disturbed the answer in query"},
    {HELLO "{\"failed\":[-20,0],\"message\":\"--param y: no\"}\n", RH_E_USAGE, "--param y: no"},
    {HELLO QUERY "{\"failed\":[1,0],\"message\":\"not here\"}\n", RH_DECLINED, "not here"},
};

START_TEST(a_fault_is_a_sentence) {
  const fault *of = &faults[_i];
  rh_facts facts;
  double start = rh_now();
  ck_assert_int_eq(run_all(of->part, 0.3, &facts), of->status);
  ck_assert_msg(strstr(error.message, of->says) != NULL, "'%s' does not say '%s'", error.message,
                of->says);
  ck_assert_double_lt(rh_now() - start, 5);
}
END_TEST

START_TEST(logs_have_an_end) {
  rh_text part = {0};
  rh_facts facts;
  rh_text_add(&part, HELLO QUERY);
  for (int k = 0; k <= RH_MOST_LOGS; k++) rh_text_add(&part, "{\"log\":[3,\"x\"]}\n");
  ck_assert_int_eq(run_all(part.s, 10, &facts), RH_E_PLUGIN);
  ck_assert_ptr_nonnull(strstr(error.message, "disturbed the answer in query"));
  ck_assert_uint_eq(strlen(logged), RH_MOST_LOGS * strlen("3 x\n"));
  rh_text_finish(&part);
}
END_TEST

START_TEST(it_can_be_cancelled) {
  rh_facts facts;
  cancels = 1;
  ck_assert_int_eq(run_all(HELLO QUERY "{\"progress\":[\"upload\",1,2]}\n~", 10, &facts),
                   RH_E_CANCELLED);
  cancels = 0;
}
END_TEST

START_TEST(a_missing_program_is_named) {
  rh_options options = {.program = "/nowhere/redhost"};
  rh_job_spec job = {.strategy = "x", .plugin = "/p/x.so", .what = "it", .n = 1};
  rh_region region = {0};
  rh_worker worker;
  rh_facts facts;
  rh_worker_spec spec = {.options = &options, .job = &job, .data = &region, .limit_s = 1};
  ck_assert_int_eq(rh_worker_start(&worker, &spec, &facts, &error),
                   RH_E_INTERNAL); /* nothing to share */
  rh_worker_finish(&worker);
  ck_assert_int_eq(rh_region_alloc_shared(&region, 4, &error), RH_OK);
  ck_assert_int_eq(rh_worker_start(&worker, &spec, &facts, &error), RH_E_PLUGIN);
  ck_assert_ptr_nonnull(strstr(error.message, "/nowhere/redhost: cannot be started"));
  rh_worker_finish(&worker);
  rh_region_finish(&region);
}
END_TEST

/* Nobody who gets the descriptor can change what this process looks at. */
START_TEST(shared_data_are_sealed) {
  rh_region region = {0};
  ck_assert_int_eq(rh_region_alloc_shared(&region, 4096, &error), RH_OK);
  memset(region.address, 1, 4096);
  rh_region_seal(&region);
  ck_assert_int_eq(ftruncate(region.file, 0), -1);
  ck_assert_int_eq(pwrite(region.file, "x", 1, 0), -1);
  memset(region.address, 2, 4096); /* this process can */
  char byte;
  ck_assert_int_eq(pread(region.file, &byte, 1, 4095), 1);
  ck_assert_int_eq(byte, 2);
  rh_region_finish(&region);

  /* But a file of somebody else's is not ours to seal. */
  int theirs = memfd_create("theirs", MFD_ALLOW_SEALING);
  ck_assert(theirs >= 0 && ftruncate(theirs, 4096) == 0);
  ck_assert_int_eq(rh_region_map(&region, theirs, 4096, "theirs", &error), RH_OK);
  rh_region_seal(&region);
  ck_assert_int_eq(pwrite(theirs, "x", 1, 0), 1);
  rh_region_finish(&region);
  close(theirs);
}
END_TEST

static Suite *make_suite(void) {
  Suite *suite = suite_create("isolate");
  TCase *frames = tcase_create("frames"), *talk = tcase_create("conversations");
  tcase_add_test(frames, what_is_said_is_understood);
  tcase_add_loop_test(frames, garbage_is_refused, 0, (int)(sizeof garbage / sizeof *garbage));
  tcase_add_test(frames, strings_are_cut_to_fit);
  tcase_add_test(frames, any_bytes_may_come);
  tcase_add_test(frames, a_request_arrives);
  tcase_add_test(frames, shared_data_are_sealed);
  tcase_add_test(talk, a_whole_run);
  tcase_add_test(talk, ready_once_more_in_setup);
  tcase_add_loop_test(talk, a_fault_is_a_sentence, 0, (int)(sizeof faults / sizeof *faults));
  tcase_add_test(talk, logs_have_an_end);
  tcase_add_test(talk, it_can_be_cancelled);
  tcase_add_test(talk, a_missing_program_is_named);
  suite_add_tcase(suite, frames);
  suite_add_tcase(suite, talk);
  return suite;
}

int main(int argc, char **argv) {
  const char *part = getenv("REDHOST_TEST_PLAY");
  if (argc == 2 && strcmp(argv[1], "--work") == 0 && part) {
    play(part);
    return 0;
  }
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length < 0) return 2;
  SRunner *runner = srunner_create(make_suite());
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? 1 : 0;
}
