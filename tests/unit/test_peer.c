/* host/tools/isolate: programs that offer peers, and those that misbehave.
 *
 * This program is its own peer program.  It offers "good", which counts and sums f32, and "other",
 * which always behaves; REDHOST_TEST_PLAY is "WHEN:WHAT": when "good" is to open, take or close a
 * point of the operator max, or in the greeting, it does WHAT instead: "!" crashes, "~" hangs, "*"
 * floods, "." exits, "=TEXT" prints TEXT instead, "+TEXT" prints it in addition. */
#include "child_support.h"

/* ---- The program's side ---------------------------------------------------------------------- */

static float open_sum[2];
static unsigned long long open_n[2];
static int open_max[2];

static void say(const char *text) {
  if (write(4, text, strlen(text)) < 0 || write(4, "\n", 1) != 1) _exit(9);
}

/* 1: that was the answer. */
static int misbehave(const char *play, const char *when) {
  size_t length = strlen(when);
  if (strncmp(play, when, length) != 0 || play[length] != ':') return 0;
  const char *what = play + length + 1;
  switch (*what) {
  case '!':
    printf("no reason at all\n");
    fflush(stdout);
    raise(SIGSEGV);
    break;
  case '~': sleep(30); break;
  case '*': flood(); break;
  case '.': _exit(3);
  case '=': say(what + 1); return 1;
  case '+': say(what + 1); return 0;
  }
  return 0;
}

static int hear(char *line, size_t bytes) {
  size_t length = 0;
  while (length + 1 < bytes && read(4, &line[length], 1) == 1 && line[length] != '\n') length++;
  line[length] = 0;
  return length > 0;
}

static void do_open(const char *play, int which, const char *op, const char *type) {
  char answer[128];
  float x;
  open_max[which] = strcmp(op, "max") == 0;
  if (which == 0 && open_max[0] && misbehave(play, "open")) return;
  if (strcmp(type, "f32") != 0) {
    say("declined only f32 here");
    return;
  }
  open_sum[which] = 0;
  for (unsigned long long k = 0; k < open_n[which]; k++) {
    if (pread(5, &x, sizeof x, (off_t)(k * sizeof x)) != sizeof x) say("failed the data are short");
    open_sum[which] += x;
  }
  snprintf(answer, sizeof answer, "opened %s 2 pid=%d", which ? "host" : "device", (int)getpid());
  say(answer);
}

static void do_take(const char *play, int which, const char *kind, unsigned batch) {
  char answer[128];
  if (which == 0 && open_max[0] && misbehave(play, "take")) return;
  snprintf(answer, sizeof answer, "taken %.17g %s %.17g", batch * 1e-3,
           which || strcmp(kind, "device") != 0 ? "host" : "device", (double)open_sum[which]);
  say(answer);
}

static int run_peer(const char *play) {
  char line[256], verb[16], name[64], a[16], b[16];
  if (misbehave(play, "greet")) pause();
  say("redhost-peer 1");
  snprintf(line, sizeof line, "peer good for REDHOST_DEVICE=%s", getenv("REDHOST_DEVICE"));
  say(line);
  say("peer other the one that behaves");
  say("ready");
  while (hear(line, sizeof line)) {
    unsigned long long n = 0;
    if (sscanf(line, "%15s %63s %15s %15s %llu", verb, name, a, b, &n) < 2) _exit(6);
    int which = strcmp(name, "other") == 0;
    if (strcmp(verb, "open") == 0) {
      open_n[which] = n;
      do_open(play, which, a, b);
    } else if (strcmp(verb, "take") == 0) {
      do_take(play, which, a, (unsigned)atoi(b));
    } else if (which || !open_max[0] || !misbehave(play, "close")) {
      say("closed");
    }
  }
  return 0;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static rh_peer_word read_line(const char *line, uint32_t op, rh_type type, rh_peer_message *said) {
  return rh_peer_line_read(line, strlen(line), 0, op, type, said);
}

TEST(what_is_said_is_understood) {
  rh_peer_message said;
  ck_assert_int_eq(read_line("redhost-peer 1", 0, 0, &said), RH_PEER_HELLO);
  ck_assert_int_eq(read_line("ready", 0, 0, &said), RH_PEER_READY);
  ck_assert_int_eq(read_line("closed", 0, 0, &said), RH_PEER_CLOSED);
  ck_assert_int_eq(read_line("peer a-1_b  A B 1.0", 0, 0, &said), RH_PEER_NAMED);
  ck_assert_str_eq(said.name, "a-1_b");
  ck_assert_str_eq(said.text, " A B 1.0");
  ck_assert_int_eq(read_line("opened host 0", 0, 0, &said), RH_PEER_OPENED);
  ck_assert(said.opened.launches == 0 && said.opened.host_clock == 1 && !*said.opened.params);
  ck_assert_int_eq(read_line("opened device 4294967295 a=1 b=2", 0, 0, &said), RH_PEER_OPENED);
  ck_assert(said.opened.launches == UINT32_MAX && said.opened.host_clock == 0);
  ck_assert_str_eq(said.opened.params, "a=1 b=2");
  ck_assert_int_eq(read_line("opened host 1 depth=9 a=1", 0, 0, &said), RH_PEER_OPENED);
  ck_assert_uint_eq(said.opened.depth, 9);
  ck_assert_str_eq(said.opened.params, "a=1");
  ck_assert_int_eq(read_line("declined h\xc3\xb6her", 0, 0, &said), RH_PEER_DECLINED);
  ck_assert_str_eq(said.text, "h\xc3\xb6her");
  ck_assert_int_eq(read_line("failed so", 0, 0, &said), RH_PEER_FAILED);
}

TEST(values_are_of_the_result_type) {
  rh_peer_message said;
  const rh_result *r = &said.taken.result;
  ck_assert_int_eq(read_line("taken 1.5e-6 device 0.1", RH_OP_sum, RH_TYPE_f64, &said),
                   RH_PEER_TAKEN);
  ck_assert(said.taken.seconds == 1.5e-6 && said.taken.stamped && r->value.f == 0.1 && !r->indexed);
  ck_assert_int_eq(read_line("taken 1 host -inf", RH_OP_sum, RH_TYPE_f16, &said), RH_PEER_TAKEN);
  ck_assert(r->type == RH_TYPE_f32 && isinf(r->value.f) && r->value.f < 0);
  ck_assert_int_eq(read_line("taken 1 host nan", RH_OP_max, RH_TYPE_f32, &said), RH_PEER_TAKEN);
  ck_assert(isnan(r->value.f));
  ck_assert_int_eq(read_line("taken 1 host -9223372036854775808", RH_OP_sum, RH_TYPE_i8, &said),
                   RH_PEER_TAKEN);
  ck_assert(r->type == RH_TYPE_i64 && r->value.i == INT64_MIN);
  ck_assert_int_eq(read_line("taken 1 host 18446744073709551615", RH_OP_sum, RH_TYPE_u16, &said),
                   RH_PEER_TAKEN);
  ck_assert(r->value.u == UINT64_MAX);
  ck_assert_int_eq(read_line("taken 1 host -128 7", RH_OP_argmin, RH_TYPE_i8, &said),
                   RH_PEER_TAKEN);
  ck_assert(r->indexed && r->index == 7 && r->value.i == -128);
  ck_assert_int_eq(read_line("taken 1 host 128 7", RH_OP_argamax, RH_TYPE_i8, &said),
                   RH_PEER_TAKEN);
  ck_assert(r->type == RH_TYPE_u8 && r->value.u == 128);
}

/* Each of these differs from a valid line in one detail; "|" is between them. */
static const struct {
  uint32_t op;
  rh_type type;
  const char *lines;
} garbage[] = {
    {0, 0,
     "| ready|ready |ready 1|Ready|redhost-peer|redhost-peer 2|redhost-peer 1 1|peer|"
     "peer a|peer a |peer A about|peer -a about|peer a.b about|peer a about\x1b[2J|"
     "peer a \xff|"
     "peer a234567890123456789012345678901234567890123456789012345678901234 long|opened|"
     "opened gpu 1|opened device|opened device -1|opened device 4294967296|"
     "opened  device 1|opened host 1 depth=x|opened host 1 build=-1|declined|failed "},
    {RH_OP_sum, RH_TYPE_f32,
     "taken|taken 0 host 1|taken -1 host 1|taken nan host 1|taken inf host 1|"
     "taken 1e999 host 1|taken 0x1p3 host 1|taken 1,5 host 1|taken 1 wall 1|taken 1 host|"
     "taken 1 host |taken 1 host 1e999|taken 1 host 1e|taken 1 host nan(7)|"
     "taken 1 host 1 7|taken 1 host 1 "},
    {RH_OP_argmin, RH_TYPE_f32,
     "taken 1 host 1|taken 1 host 1 -1|taken 1 host 1 18446744073709551616"},
    {RH_OP_sum, RH_TYPE_i32, "taken 1 host 1.0|taken 1 host +1|taken 1 host 9223372036854775808"},
    {RH_OP_sum, RH_TYPE_u32, "taken 1 host -1"},
    {RH_OP_max, RH_TYPE_i8, "taken 1 host 128"},
    {RH_OP_min, RH_TYPE_i8, "taken 1 host -129"},
    {RH_OP_max, RH_TYPE_u16, "taken 1 host 65536"},
};

TEST_LOOP(garbage_is_refused, 0, sizeof garbage / sizeof *garbage) {
  assert_garbage(garbage[_i].lines, 0, garbage[_i].op, garbage[_i].type);
}

TEST(long_lines_do_no_harm) {
  char line[4096];
  rh_peer_message said;
  memset(line, 'x', sizeof line);
  memcpy(line, "failed ", 7);
  ck_assert_int_eq(rh_peer_line_read(line, 1023, 0, 0, 0, &said), RH_PEER_FAILED);
  ck_assert_uint_eq(strlen(said.text), 1016);
  ck_assert_int_eq(rh_peer_line_read(line, 1024, 0, 0, 0, &said), RH_PEER_GARBAGE);
  ck_assert_int_eq(rh_peer_line_read("ready\0", 6, 0, 0, 0, &said), RH_PEER_GARBAGE);
}

/* ---- Conversations --------------------------------------------------------------------------- */

static const rh_options options = {.device = "0:1", .reporter = {NULL, on_log, on_progress}};

static rh_peers *running;
static rh_sampler good[1], other[1]; /* two of them */
static rh_opened opened;
static rh_taken taken;

static rh_status start(rh_peers **peers, const char *play, double limit_s) {
  setenv("REDHOST_TEST_PLAY", play, 1);
  return rh_peers_start(peers, self, &options, limit_s, &error);
}

static void begin(const char *play, double limit_s) {
  must(start(&running, play, limit_s));
  *good = rh_peers_sampler(running, 0);
  *other = rh_peers_sampler(running, 1);
}

static void finish(void) {
  rh_peers_finish(running);
  running = NULL;
}

static const float ones[] = {1, 2, 3, 4.5f}, twos[] = {2, 2};

static rh_bench_data point(uint32_t op, const float *x, uint64_t n) {
  return (rh_bench_data){
      .op = rh_operator_builtin(op, RH_TYPE_f32), .n = n, .elements = x, .copies = 3, .stride = 64};
}

static rh_status open_it(const rh_sampler *sampler, uint32_t op, rh_opened *to) {
  rh_bench_data data = point(op, ones, 4);
  return sampler->open(sampler->self, &data, to, &error);
}

static rh_status take_it(const rh_sampler *sampler, uint32_t kind) {
  rh_take take = {kind, 2};
  return sampler->take(sampler->self, &take, &taken, &error);
}

CASES(conversations, .tear_down = finish)

TEST(points_are_opened_taken_and_closed) {
  char process[256];
  begin("", 20);
  ck_assert_uint_eq(rh_peers_count(running), 2);
  ck_assert_str_eq(rh_peers_about(running, 0), "for REDHOST_DEVICE=0:1");
  ck_assert_str_eq(good->name, "good");
  ck_assert_str_eq(other->name, "other");
  ck_assert(good->is_peer && !good->parts && good->reproducible == RH_BITS_VARY);

  ck_assert_int_eq(open_it(good, RH_OP_sum, &opened), RH_OK);
  ck_assert(opened.launches == 2 && opened.host_clock == 0 && opened.depth == 0);
  snprintf(process, sizeof process, "%s", opened.params);
  ck_assert_int_eq(open_it(other, RH_OP_sum, &opened), RH_OK);
  ck_assert(opened.host_clock == 1);
  ck_assert_int_eq(take_it(good, RH_TAKE_DEVICE), RH_OK);
  ck_assert(taken.seconds == 2e-3 && taken.stamped == 1 && taken.result.value.f == 10.5);
  ck_assert(taken.result.type == RH_TYPE_f32);
  ck_assert_str_eq(taken.result.strategy, "good");
  ck_assert_int_eq(take_it(other, RH_TAKE_DEVICE), RH_OK);
  ck_assert(taken.stamped == 0 && taken.result.value.f == 10.5);
  ck_assert_int_eq(take_it(good, RH_TAKE_HOST), RH_OK);
  ck_assert(taken.stamped == 0);
  ck_assert_int_eq(take_it(good, RH_TAKE_LATENCY), RH_OK);
  good->close(good->self, NULL);
  other->close(other->self, NULL);

  rh_bench_data data = point(RH_OP_sum, twos, 2); /* the file holds other data now, and fewer */
  must(good->open(good->self, &data, &opened, &error));
  ck_assert_str_eq(opened.params, process);
  ck_assert_int_eq(take_it(good, RH_TAKE_DEVICE), RH_OK);
  ck_assert(taken.result.value.f == 4);
  good->close(good->self, NULL);
  good->finish(good->self);
  logged[0] = 0;
  finish();
  ck_assert_str_eq(logged, "");
}

TEST(its_values_are_judged_as_a_strategys) {
  rh_reference reference;
  rh_verdict verdict;
  begin("take:=taken 1 host 99", 20);
  for (int wrong = 0; wrong <= 1; wrong++) {
    uint32_t op = wrong ? RH_OP_max : RH_OP_sum;
    ck_assert_int_eq(open_it(good, op, &opened), RH_OK);
    ck_assert_int_eq(take_it(good, RH_TAKE_DEVICE), RH_OK);
    must(rh_reference_of_array(&reference, rh_operator_builtin(op, RH_TYPE_f32), ones, 4, 1, NULL,
                               &error));
    rh_reference_judge(&reference, &taken.result, opened.depth, 0, &verdict);
    ck_assert_int_eq(verdict.verdict, wrong ? RH_VERDICT_WRONG : RH_VERDICT_OK);
    good->close(good->self, NULL);
  }
}

TEST(a_no_keeps_the_process) {
  rh_opened again;
  begin("take:=failed out of luck", 20);
  rh_bench_data data = point(RH_OP_max, ones, 4);
  data.op = rh_operator_builtin(RH_OP_max, RH_TYPE_i32);
  ck_assert_int_eq(good->open(good->self, &data, &opened, &error), RH_DECLINED);
  ck_assert_str_eq(error.message, "good: only f32 here");
  good->close(good->self, NULL);
  ck_assert_int_eq(open_it(good, RH_OP_max, &opened), RH_OK);
  ck_assert_int_eq(take_it(good, RH_TAKE_DEVICE), RH_E_PLUGIN);
  ck_assert_str_eq(error.message, "good: out of luck");
  good->close(good->self, NULL);
  ck_assert_int_eq(open_it(good, RH_OP_sum, &again), RH_OK);
  ck_assert_str_eq(opened.params, again.params);
  good->close(good->self, NULL);
}

/* The step in which it happens, and the message. */
static const struct {
  const char *play, *says;
} troubles[] = {
    {"open:!", " crashed in open (signal 11); it printed 'no reason at all'"},
    {"open:~", " did not answer within 0.5 s in open"},
    {"open:*", " sent more than 64 KiB in open"},
    {"open:.", " ended the process with exit status 3 in open"},
    {"open:=what\x1b", " said 'what?', which is not part of the protocol, in open"},
    {"open:=ready", " answered something else in open"},
    {"open:=taken 1 host 1", " answered something else in open"},
    {"open:+opened host 1", " spoke before it was asked in take"},
    {"take:!", " crashed in take (signal 11)"},
    {"take:~", " did not answer within 0.5 s in take"},
    {"take:*", " sent more than 64 KiB in take"},
    {"take:.", " ended the process with exit status 3 in take"},
    {"take:=taken 0 host 1", " said 'taken 0 host 1', which is not part of the protocol, in take"},
    {"take:=taken 1 host 1 1", " said 'taken 1 host 1 1', which is not"},
    {"take:=opened host 1", " answered something else in take"},
    {"take:=declined no", " answered something else in take"},
};

TEST_LOOP(trouble_is_one_sentence_and_a_fresh_start, 0, sizeof troubles / sizeof *troubles) {
  rh_opened before, after;
  char expected[PATH_MAX + 200];
  begin(troubles[_i].play, 0.5);
  ck_assert_int_eq(open_it(other, RH_OP_max, &before), RH_OK);
  rh_status status = open_it(good, RH_OP_max, &opened);
  usleep(100000); /* so that its unsolicited line has arrived */
  if (status == RH_OK) status = take_it(good, RH_TAKE_DEVICE);
  ck_assert_int_eq(status, RH_E_PLUGIN);
  snprintf(expected, sizeof expected, "peer 'good' of %.200s%s", self, troubles[_i].says);
  assert_says(error.message, expected);
  good->close(good->self, NULL);

  must_fail(take_it(other, RH_TAKE_DEVICE), RH_E_PLUGIN,
            "other: its process was lost with another peer: peer 'good' of ");
  ck_assert_int_eq(open_it(good, RH_OP_sum, &opened),
                   RH_OK); /* in a new one, where other has nothing open */
  must_fail(take_it(other, RH_TAKE_DEVICE), RH_E_PLUGIN,
            "other: its process was lost with another peer: peer 'good' of ");
  good->close(good->self, NULL);
  other->close(other->self, NULL);

  ck_assert_int_eq(open_it(other, RH_OP_max, &after), RH_OK);
  ck_assert_str_ne(before.params, after.params);
  ck_assert_int_eq(take_it(other, RH_TAKE_DEVICE), RH_OK);
  ck_assert(taken.result.value.f == 10.5);
  other->close(other->self, NULL);
  ck_assert_int_eq(open_it(good, RH_OP_sum, &after), RH_OK);
  ck_assert_int_eq(take_it(good, RH_TAKE_DEVICE), RH_OK);
  good->close(good->self, NULL);
}

TEST_LOOP(trouble_in_close_shows_in_the_next_point_only, 0, 4) {
  static const char *const plays[] = {"close:!", "close:~", "close:=ready", "close:=closed by me"};
  begin(plays[_i], 0.5);
  ck_assert_int_eq(open_it(good, RH_OP_max, &opened), RH_OK);
  ck_assert_int_eq(open_it(other, RH_OP_max, &opened), RH_OK);
  good->close(good->self, NULL);
  ck_assert_int_eq(take_it(other, RH_TAKE_DEVICE), RH_E_PLUGIN);
  other->close(other->self, NULL);
  ck_assert_int_eq(open_it(good, RH_OP_sum, &opened), RH_OK);
  ck_assert_int_eq(take_it(good, RH_TAKE_DEVICE), RH_OK);
  good->close(good->self, NULL);
}

/* Only the device kind may use the device's clock; here "good" claims it for every kind. */
TEST(the_clock_is_the_one_asked_for) {
  begin("take:=taken 1 device 4.5", 20);
  ck_assert_int_eq(open_it(good, RH_OP_max, &opened), RH_OK);
  ck_assert_int_eq(take_it(good, RH_TAKE_DEVICE), RH_OK);
  must_fail(take_it(good, RH_TAKE_LATENCY), RH_E_PLUGIN,
            "used the device's clock instead of the host's in take");
  good->close(good->self, NULL);
}

TEST(three_losses_in_a_row_are_enough) {
  begin("take:!", 20);
  for (int k = 0; k < 6; k++) {
    int well = k == 2; /* so that only the three at the end are in a row */
    ck_assert_int_eq(open_it(good, well ? RH_OP_sum : RH_OP_max, &opened), RH_OK);
    ck_assert_int_eq(take_it(good, RH_TAKE_DEVICE), well ? RH_OK : RH_E_PLUGIN);
    good->close(good->self, NULL);
  }
  must_fail(open_it(good, RH_OP_sum, &opened), RH_E_PLUGIN,
            "not tried again after 3 losses in a row: peer 'good' of ");
  good->close(good->self, NULL);
}

static const struct {
  const char *play, *says;
} greetings[] = {
    {"greet:!", " crashed in its greeting (signal 11)"},
    {"greet:~", " did not answer within 0.5 s in its greeting"},
    {"greet:*", " sent more than 64 KiB in its greeting"},
    {"greet:.", " ended the process with exit status 3 in its greeting"},
    {"greet:=hello", " said 'hello', which is not part of the protocol, in its greeting"},
    {"greet:=redhost-peer 2", " said 'redhost-peer 2', which is not"},
    {"greet:=ready", " did not begin with 'redhost-peer 1'"},
    {"greet:=failed no device here", ": no device here"},
    {"greet:=redhost-peer 1\nready", " offered no peer"},
    {"greet:=redhost-peer 1\npeer a b\npeer a b", " offered two peers of one name"},
    {"greet:=redhost-peer 1\npeer a b\nopened host 1", " answered out of order"},
    {"greet:=redhost-peer 1\npeer a b", " did not answer within 0.5 s"},
    {"greet:=failed", " said 'failed', which is not"},
};

TEST_LOOP(a_bad_greeting_is_no_peer, 0, sizeof greetings / sizeof *greetings) {
  rh_peers *peers;
  ck_assert_int_eq(start(&peers, greetings[_i].play, 0.5), RH_E_PLUGIN);
  ck_assert_ptr_null(peers);
  assert_says(error.message, greetings[_i].says);
}

TEST(too_many_peers) {
  char play[2048] = "greet:=redhost-peer 1";
  rh_peers *peers;
  for (int k = 0; k <= RH_PEERS_MOST; k++)
    snprintf(play + strlen(play), sizeof play - strlen(play), "\npeer p%d about", k);
  must_fail(start(&peers, play, 20), RH_E_PLUGIN, "offered more than 32 peers");
}

TEST(no_such_program) {
  rh_peers *peers;
  ck_assert_int_eq(rh_peers_start(&peers, "/nowhere/peer", &options, 1, &error), RH_E_FILE);
  ck_assert_str_eq(error.message,
                   "peer program /nowhere/peer cannot be started: No such file or directory");
  must_fail(rh_peers_start(&peers, "/", &options, 1, &error), RH_E_PLUGIN,
            "/: cannot be started: ");
  rh_peers_finish(NULL);
}

TEST(waiting_can_be_cancelled) {
  double began = rh_now();
  begin("open:~", 25);
  cancels = 1;
  ck_assert_int_eq(open_it(good, RH_OP_max, &opened), RH_E_CANCELLED);
  cancels = 0;
  ck_assert(rh_now() - began < 15);
  good->close(good->self, NULL);
}

int main(void) {
  const char *play = getenv("REDHOST_TEST_PLAY");
  if (play) return run_peer(play);
  return find_self() ? run_tests() : 1;
}
