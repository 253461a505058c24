#include "internal.h"

enum { FENCE = 64, FENCE_BYTE = 0xa5, READY_AFTER = 5, BLANK = 0xff /* no byte of UTF-8 */ };
/* Exit statuses: of a rank that leaves, and what one gives to abort, by itself and after a broken
 * gather. */
enum { LEAVES_STATUS = 3, ABORT_STATUS = 7, BROKEN_STATUS = 5 };

/* Seconds: how long a gather among ranks that live may take, and a job that nothing breaks; how
 * late a late rank is. */
static const double calm_s = 20, lasts_s = 60, late_s = 1.5;

typedef struct rank {
  rh_rank_task task;
  uint32_t size, special; /* ranks that were started; the one that behaves otherwise */
  uint64_t seed;
  const rh_transport *transport;
  void *self;
  rh_rank_said said;
  int report; /* the file */
  uint32_t round;
  double broken_s;           /* how long the last gather took, */
  const char *why;           /* and its sentence if it failed */
  unsigned char *mine, *all; /* of the most bytes, `all` with a fence before and after */
  rh_footprint *footprint;   /* null unless the task is to look at it */
} rank;

/* ---- Sentences ---- */

char *rh_sentence_room(void) {
  static char fallback[RH_SENTENCE_BYTES], *room;
  rh_guard guard;
  if (!room) {
    int is_guarded = rh_guard_map(&guard, RH_SENTENCE_BYTES, NULL) == RH_OK;
    room = is_guarded ? (char *)guard.end - RH_SENTENCE_BYTES : fallback;
  }
  memset(room, BLANK, RH_SENTENCE_BYTES);
  return room;
}

const char *rh_sentence_fault(const char *text) {
  const char *end = memchr(text, 0, RH_SENTENCE_BYTES);
  if ((unsigned char)text[0] == BLANK || end == text) return "writes no sentence";
  if (!end) return "does not terminate its sentence";
  if (memchr(text, '\n', (size_t)(end - text))) return "writes a newline into its sentence";
  if (!rh_is_plain_utf8(text, (size_t)(end - text)))
    return "writes control characters or invalid UTF-8 into its sentence";
  return NULL;
}

/* One write each time: the test reads while the rank lives, and it may be killed. */
static void append_report(const rank *r) {
  if (write(r->report, &r->said, sizeof r->said) < 0) return;
}

/* -1 */
__attribute__((format(printf, 2, 3))) static int find_wrong(rank *r, const char *format, ...) {
  va_list args;
  if (r->said.wrong[0]) return -1;
  va_start(args, format);
  vsnprintf(r->said.wrong, sizeof r->said.wrong, format, args);
  va_end(args);
  append_report(r);
  return -1;
}

/* ---- Gathering ---- */

/* Byte k of a rank in this round; ranks and rounds differ in every byte. */
static unsigned char byte_of(const rank *r, uint32_t of, uint32_t k) {
  return (unsigned char)rh_random_mix(r->seed ^ ((uint64_t)r->round << 40) ^ ((uint64_t)of << 20) ^
                                      k);
}

static size_t all_bytes(const rank *r, uint32_t n) {
  return (size_t)r->said.place.size * n + 2 * (size_t)FENCE;
}

/* 0, or -1 and a finding. */
static int check_bytes(rank *r, uint32_t n) {
  const unsigned char *all = r->all + FENCE;
  for (uint32_t k = 0; k < n; k++)
    if (r->mine[k] != byte_of(r, r->said.place.rank, k))
      return find_wrong(r, "gather with n = %u changes `mine'", n);
  for (uint32_t of = 0; of < r->said.place.size; of++)
    for (uint32_t k = 0; k < n; k++)
      if (all[(size_t)of * n + k] != byte_of(r, of, k))
        return find_wrong(r,
                          "gather %u, with n = %u: byte %u of rank %u is not the one that it gave",
                          r->round + 1, n, k, of);
  const rh_watched watched = {.memory = r->all,
                              .bytes = all_bytes(r, n),
                              .first = FENCE,
                              .n = (uint64_t)r->said.place.size * n,
                              .poison = FENCE_BYTE};
  int64_t away;
  rh_watched_check(&watched, &away, NULL);
  return away ? find_wrong(r, "gather with n = %u writes outside `all'", n) : 0;
}

/* 0; 1: gather failed, as it should where a rank is lost; -1: a finding. */
static int gather(rank *r, uint32_t n, double seconds) {
  char *text = rh_sentence_room();
  memset(r->all, FENCE_BYTE, all_bytes(r, n));
  for (uint32_t k = 0; k < n; k++) r->mine[k] = byte_of(r, r->said.place.rank, k);
  double start = rh_now();
  int32_t code =
      r->transport->gather(r->self, r->mine, n, r->all + FENCE, seconds, text, RH_SENTENCE_BYTES);
  const char *fault = code ? rh_sentence_fault(text) : NULL;
  r->broken_s = rh_now() - start;
  r->why = text;
  if (code != 0 && code != -1) return find_wrong(r, "gather returns %d; it must be 0 or -1", code);
  if (fault) return find_wrong(r, "gather fails and %s", fault);
  if (code == 0 && check_bytes(r, n) != 0) return -1;
  r->round++;
  return -code;
}

/* ---- Tasks: 0 when the rank may leave, else -1 ---- */

/* As often, and as many bytes, as the task says, where no rank is lost. */
static int gather_all(rank *r) {
  enum { NAP_US = 4000, LARGEST = 5000 };
  static const uint32_t sizes[] = {1,    2,    3,    7,    8,     16,    31,    64,    65,
                                   255,  256,  1000, 1023, 1024,  4095,  4096,  4097,  488,
                                   8191, 8192, 9999, 1,    16384, 32767, 65535, 65536, 1};
  static const struct {
    uint32_t times, n;
  } plans[] = {[RH_RANK_GREET] = {1, 64},         [RH_RANK_STATE] = {1, 64},
               [RH_RANK_LATE] = {READY_AFTER, 8}, [RH_RANK_CLOSES] = {20, 4096},
               [RH_RANK_MANY] = {300, 0},         [RH_RANK_SIZES] = {RH_COUNT(sizes), 0}};
  const uint32_t own = r->said.place.rank;
  for (uint32_t k = 0; k < plans[r->task].times; k++) {
    uint64_t random = rh_random_mix(r->seed + k), nap = rh_random_mix(random ^ own);
    uint32_t n = plans[r->task].n;
    if (r->task == RH_RANK_SIZES) n = sizes[k];
    if (r->task == RH_RANK_MANY) n = 1 + (uint32_t)(random % LARGEST);
    if (r->task == RH_RANK_MANY && nap % 16 == 0) usleep((useconds_t)(nap >> 32) % NAP_US);
    if (r->task == RH_RANK_LATE && k == 2 && own == r->special) usleep((useconds_t)(late_s * 1e6));
    int code = gather(r, n, calm_s);
    if (code > 0)
      return find_wrong(r, "gather fails after %.1f s of %.0f, and no rank is lost: %s",
                        r->broken_s, calm_s, r->why);
    if (code < 0) return -1;
  }
  return 0;
}

/* Does not return: ends as redhost does when a rank is lost. */
static void abort_job(rank *r, int32_t status) {
  r->transport->abort(r->self, status, "a test of the transport");
  find_wrong(r, "abort returns");
  _exit(9);
}

static int last(rank *r) {
  for (double end = rh_now() + lasts_s; rh_now() < end; usleep(20000)) {
    int code = gather(r, 16, RH_RANK_PATIENCE_S);
    if (code < 0) return -1;
    if (code > 0) r->said.broken_s = r->broken_s;
    r->said.is_ready = r->round >= READY_AFTER;
    if (code > 0 || r->round == READY_AFTER) append_report(r);
    if (code > 0) abort_job(r, BROKEN_STATUS);
    if (r->round <= READY_AFTER || r->said.place.rank != r->special) continue;
    if (r->task == RH_RANK_LEAVES) _exit(LEAVES_STATUS);
    if (r->task == RH_RANK_ABORTS) abort_job(r, ABORT_STATUS);
  }
  return 0;
}

static int do_task(rank *r) {
  enum { APART_US = 150000 };
  const rh_rank_place *place = &r->said.place;
  if (r->task == RH_RANK_LASTS || r->task == RH_RANK_LEAVES || r->task == RH_RANK_ABORTS)
    return last(r);
  if (r->task == RH_RANK_MANY) rh_load_start();
  int result = gather_all(r);
  rh_load_stop();
  if (r->task == RH_RANK_CLOSES)
    usleep((r->seed % 2 ? place->rank : place->size - 1 - place->rank) * APART_US);
  return result;
}

/* ---- The whole ---- */

/* A transport must leave these alone: on it hangs every result. */
static void judge_state(rank *r, const char *phase) {
  rh_footprint_judge(r->footprint, phase, 1);
  if (r->footprint && r->footprint->said[0]) find_wrong(r, "%s", r->footprint->said);
  rh_footprint_enter(r->footprint, 0);
}

static int join(rank *r) {
  char *text = rh_sentence_room();
  int32_t answer = r->transport->probe(text, RH_SENTENCE_BYTES);
  if (answer != RH_TRANSPORT_STARTED && r->size > 1)
    return find_wrong(
        r, "probe returns %d in a process that the launcher started, instead of %d: %.200s", answer,
        RH_TRANSPORT_STARTED, rh_sentence_fault(text) ? "" : text);
  text = rh_sentence_room();
  if (r->transport->open(&r->self, &r->said.place, text, RH_SENTENCE_BYTES) != 0) {
    const char *fault = rh_sentence_fault(text);
    return find_wrong(r, "open fails%s%s", fault ? " and " : ": ", fault ? fault : text);
  }
  r->said.has_joined = 1;
  append_report(r);
  if (r->said.place.size == r->size && r->said.place.rank < r->said.place.size) return 0;
  return find_wrong(r, "open says that this is rank %u of %u; %u were started", r->said.place.rank,
                    r->said.place.size, r->size);
}

static int take_part(rank *r) {
  RH_FINISHED(rh_footprint)
  footprint = {.unsteady =
                   ~(1u << RH_STATE_FLOATING | 1u << RH_STATE_LOCALE | 1u << RH_STATE_DIRECTORIES)};
  tzset(); /* before a library does it */
  if (r->task == RH_RANK_STATE) r->footprint = &footprint;
  rh_footprint_enter(r->footprint, 0);
  if (join(r) != 0) return 1;
  judge_state(r, "open");
  r->mine = malloc(RH_TRANSPORT_MOST_BYTES);
  r->all = malloc(all_bytes(r, RH_TRANSPORT_MOST_BYTES));
  int result = r->mine && r->all ? do_task(r) : -1;
  judge_state(r, "gather");
  if (result == 0) {
    r->transport->close(r->self);
    judge_state(r, "close");
    r->said.has_closed = 1;
    append_report(r);
  }
  free(r->mine);
  free(r->all);
  return result == 0 ? 0 : 1;
}

int rh_rank_main(const char *report, const char *order) {
  rank r = {.said = {.pid = getpid(), .place.struct_size = sizeof(rh_rank_place)}};
  rh_error error = {0};
  int task, length, code = 1;
  if (sscanf(order, "%d,%u,%u,%" SCNu64 ",%n", &task, &r.size, &r.special, &r.seed, &length) != 4)
    return 2;
  r.task = (rh_rank_task)task;
  r.report = open(report, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (r.report < 0) return 2;
  gethostname(r.said.host, sizeof r.said.host - 1);
  append_report(&r);
  if (rh_transport_open(order + length, &r.transport, &error) == RH_OK) code = take_part(&r);
  else find_wrong(&r, "%s", error.message);
  close(r.report);
  return code;
}
