#include "ranks.h"

#include <locale.h>
#include <sys/socket.h>
#include <sys/un.h>

/* Seconds.  A rank says about twice a second that it lives; the patience leaves time to end all
 * ranks within ten seconds. */
static const double beat_s = 0.4, patience_s = 6, return_s = 2;
/* Rank 0 has some microseconds of work with each rank at each beat: many ranks beat less often. */
static const double beat_of_rank_s = 1e-5, most_beat_s = 2;

enum { TEXT_BYTES = 480 };

/* ---- Joining and leaving ---- */

static rh_status broke(rh_ranks *ranks, const char *text, rh_error *error) {
  unsigned rank;
  char host[RH_HOST_BYTES + 8] = "";
  ranks->broken = 1;
  int names = sscanf(text, "rank %u", &rank) == 1 && rank < ranks->place.size;
  ranks->blames_first = names && rank == 0;
  if (names && ranks->hosts) snprintf(host, sizeof host, " (host %s)", ranks->hosts[rank]);
  const char *end = ranks->transport->abort ? "; all ranks end" : "";
  return rh_fail(error, RH_E_PLUGIN, "%s%s%s", text, host, end);
}

rh_status rh_ranks_gather(rh_ranks *ranks, const void *mine, uint32_t bytes, void *all,
                          rh_error *error) {
  char text[512] = "the transport gives no reason";
  if (ranks->transport->gather(ranks->self, mine, bytes, all, patience_s, text, sizeof text) == 0)
    return RH_OK;
  return broke(ranks, text, error);
}

rh_status rh_ranks_learn_hosts(rh_ranks *ranks, rh_error *error) {
  char mine[RH_HOST_BYTES] = "";
  if (gethostname(mine, sizeof mine - 1) != 0) snprintf(mine, sizeof mine, "unknown");
  char(*hosts)[RH_HOST_BYTES];
  RH_TRY(RH_NEW(&hosts, ranks->place.size, "the names of hosts", error));
  rh_status status = rh_ranks_gather(ranks, mine, sizeof mine, hosts, error);
  ranks->hosts = hosts;
  for (uint32_t r = 0; r < ranks->place.size; r++) hosts[r][RH_HOST_BYTES - 1] = 0;
  return status;
}

rh_status rh_ranks_open(rh_ranks *ranks, const rh_transport *transport, void *self,
                        const rh_rank_place *place, rh_error *error) {
  char text[512] = "the transport gives no reason";
  ranks->transport = transport;
  ranks->self = self;
  ranks->place.struct_size = sizeof ranks->place;
  if (self) ranks->place = *place;
  if (!self && transport->open(&ranks->self, &ranks->place, text, sizeof text) != 0) {
    ranks->self = NULL;
    return rh_fail(error, RH_E_PLUGIN, "transport '%s': %s", transport->name, text);
  }
  const rh_rank_place *at = &ranks->place;
  if (at->size < 1 || at->size > RH_MOST_RANKS || at->rank >= at->size)
    return rh_fail(error, RH_E_PLUGIN, "transport '%s': it says that this is rank %u of %u",
                   transport->name, at->rank, at->size);
  return rh_ranks_learn_hosts(ranks, error);
}

void rh_ranks_close(rh_ranks *ranks) {
  if (ranks->self && !ranks->broken) ranks->transport->close(ranks->self);
  free(ranks->hosts);
  ranks->hosts = NULL;
  ranks->self = NULL;
}

/* ---- One that speaks for several ---- */

/* A name that only one process can hold, and that goes with it, without a file that stays: an
 * abstract socket's.  mpirun's ranks on a host have one parent. */
int rh_word_take(void) {
  static int is_mine;
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  if (is_mine) return 1;
  int length =
      snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "redhost-word-of-%ld", (long)getppid());
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  socklen_t bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
  if (fd >= 0 && bind(fd, (const struct sockaddr *)&name, bytes) != 0 && errno == EADDRINUSE) {
    close(fd);
    return 0;
  }
  return is_mine = 1; /* two sentences are better than none */
}

void rh_word_hold(void) {
  const struct timespec pause = {.tv_nsec = 700000000};
  nanosleep(&pause, NULL);
}

/* The rank on this host, as launchers tell it; the last is our own. */
static const char *const variables[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                        "REDHOST_LOCAL_RANK"};
enum { LAUNCHERS = 2, VARIABLES = sizeof variables / sizeof *variables };

int rh_ranks_have_launcher(void) {
  for (size_t k = 0; k < LAUNCHERS; k++)
    if (rh_env(variables[k])) return 1;
  return 0;
}

uint32_t rh_ranks_turn_here(void) {
  for (size_t k = 0; k < VARIABLES; k++) {
    const char *value = rh_env(variables[k]);
    if (value && atoi(value) > 0) return (uint32_t)atoi(value);
  }
  return 0;
}

/* All ranks notice that rank 0 is lost.  They come to it one after the other, and the first ends
 * the others.  Other losses are for rank 0 to report, which knows of them first. */
static void wait_in_turn(const rh_ranks *ranks) {
  uint32_t turn = ranks->place.rank - (ranks->blames_first ? 1 : 0);
  if (ranks->place.rank > 0) usleep((turn < 4 ? turn : 4) * 300000);
}

void rh_ranks_say(void (*say)(void *user, const char *sentence), void *user, const char *sentence,
                  int is_first) {
  if (!say || !rh_word_take()) return;
  say(user, sentence);
  if (!is_first) rh_word_hold();
}

void rh_ranks_abort(rh_ranks *ranks, const char *sentence) {
  wait_in_turn(ranks);
  rh_ranks_say(ranks->say, ranks->user, sentence, ranks->place.rank == 0);
  if (ranks->self) ranks->transport->abort(ranks->self, RH_RANK_LOST_STATUS, sentence);
  _exit(RH_RANK_LOST_STATUS);
}

/* ---- Of any length ---- */

static rh_status gather_in_turns(rh_ranks *ranks, const unsigned char *mine, uint64_t bytes,
                                 unsigned char *all, uint64_t most, rh_error *error) {
  const uint64_t portion = most < RH_TRANSPORT_MOST_BYTES ? most : RH_TRANSPORT_MOST_BYTES;
  uint32_t size = ranks->place.size;
  RH_FREED(unsigned char) given = calloc(1, portion);
  RH_FREED(unsigned char) got = malloc(portion * size);
  if (!given || !got) return rh_fail(error, RH_E_NOMEM, "no memory for the ranks' values");
  for (uint64_t at = 0; at < most; at += portion) {
    uint64_t n = most - at < portion ? most - at : portion;
    memset(given, 0, n);
    if (at < bytes) memcpy(given, mine + at, bytes - at < n ? bytes - at : n);
    RH_TRY(rh_ranks_gather(ranks, given, (uint32_t)n, got, error));
    for (uint32_t r = 0; r < size; r++) memcpy(all + r * most + at, got + r * n, n);
  }
  return RH_OK;
}

rh_status rh_ranks_gather_any(rh_ranks *ranks, const void *mine, uint64_t bytes,
                              rh_status (*take)(void *user, uint32_t rank, const void *theirs,
                                                uint64_t bytes, rh_error *error),
                              void *user, rh_error *error) {
  uint32_t size = ranks->place.size;
  uint64_t most = 1;
  RH_FREED(uint64_t) lengths = NULL;
  RH_TRY(RH_NEW(&lengths, size, "the ranks' values", error));
  RH_TRY(rh_ranks_gather(ranks, &bytes, sizeof bytes, lengths, error));
  for (uint32_t r = 0; r < size; r++)
    if (lengths[r] > most) most = lengths[r];
  RH_FREED(unsigned char) all = malloc(most * size);
  if (!all) return rh_fail(error, RH_E_NOMEM, "no memory for the ranks' values");
  RH_TRY(gather_in_turns(ranks, mine, bytes, all, most, error));
  for (uint32_t r = 0; r < size; r++) RH_TRY(take(user, r, all + r * most, lengths[r], error));
  return RH_OK;
}

/* ---- Working ---- */

enum { WORKS, IS_DONE, HAS_FAILED };

/* A rank says this once one has failed. */
typedef struct last_words {
  int32_t has_failed, status;
  char text[TEXT_BYTES];
} last_words;

typedef struct shift {
  rh_status (*work)(void *user, rh_error *error);
  void *user;
  locale_t locale;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int ended;
  rh_status status;
  rh_error error;
} shift;

static void leave_work(shift *s, rh_status status) {
  pthread_mutex_lock(&s->lock);
  s->status = status;
  s->ended = 1;
  pthread_cond_signal(&s->changed);
  pthread_mutex_unlock(&s->lock);
}

static void on_thread_end(void *of_shift) {
  shift *s = of_shift;
  leave_work(s, rh_fail(&s->error, RH_E_PLUGIN,
                        "a strategy has ended the thread that ran it, as by pthread_exit()"));
}

static void *labour(void *of_shift) {
  shift *s = of_shift;
  rh_status status;
  uselocale(s->locale);
  pthread_cleanup_push(on_thread_end, s);
  status = s->work(s->user, &s->error);
  pthread_cleanup_pop(0);
  leave_work(s, status);
  return NULL;
}

static double pause_of(const rh_ranks *ranks) {
  double seconds = beat_s + beat_of_rank_s * ranks->place.size;
  return seconds < most_beat_s ? seconds : most_beat_s;
}

/* 1: the work has ended. */
static int wait_for(shift *s, double seconds) {
  double deadline = rh_now() + seconds;
  pthread_mutex_lock(&s->lock);
  while (!s->ended)
    if (rh_condition_wait(&s->changed, &s->lock, deadline)) break;
  int ended = s->ended;
  pthread_mutex_unlock(&s->lock);
  return ended;
}

static last_words words_of(rh_status status, const rh_error *why) {
  last_words mine = {.has_failed = status != RH_OK, .status = status};
  if (status != RH_OK) snprintf(mine.text, sizeof mine.text, "%.*s", TEXT_BYTES - 1, why->message);
  return mine;
}

/* All ranks fail with the first one's failure.  Failures in the same words are one. */
static rh_status judge_words(const rh_ranks *ranks, const last_words *all, rh_error *error) {
  uint32_t size = ranks->place.size, first = 0, same = 0;
  while (first < size && !all[first].has_failed) first++;
  if (first == size) return RH_OK;
  for (uint32_t r = 0; r < size; r++)
    same += all[r].has_failed && strcmp(all[r].text, all[first].text) == 0;
  if (same == size) return rh_fail(error, all[first].status, "%.*s", TEXT_BYTES, all[first].text);
  return rh_fail(error, all[first].status, "rank %u (host %s): %.*s", first, ranks->hosts[first],
                 TEXT_BYTES, all[first].text);
}

static rh_status settle_failure(rh_ranks *ranks, rh_status status, const rh_error *why,
                                rh_error *error) {
  const last_words mine = words_of(status, why);
  RH_FREED(last_words) all = NULL;
  RH_TRY(RH_NEW(&all, ranks->place.size, "the ranks' messages", error));
  if (!ranks->hosts) RH_TRY(rh_ranks_learn_hosts(ranks, error));
  RH_TRY(rh_ranks_gather(ranks, &mine, sizeof mine, all, error));
  return judge_words(ranks, all, error);
}

/* Each rank's state, a byte of each: with 10^5 ranks, 500 would be too much twice a second.  Their
 * words follow only if one has failed.  *works: 1 if one still works; may be null. */
static rh_status exchange(rh_ranks *ranks, char state, const rh_error *why, rh_status status,
                          int *works, rh_error *error) {
  uint32_t size = ranks->place.size, fails = 0, busy = 0;
  char *all;
  RH_TRY(RH_NEW(&all, size, "the ranks' messages", error));
  rh_status found = rh_ranks_gather(ranks, &state, 1, all, error);
  for (uint32_t r = 0; r < size; r++) {
    fails += all[r] == HAS_FAILED;
    busy += all[r] == WORKS;
  }
  free(all);
  if (works) *works = busy > 0;
  if (found == RH_OK && fails) found = settle_failure(ranks, status, why, error);
  return found;
}

rh_status rh_ranks_settle(rh_ranks *ranks, rh_status mine, const rh_error *why, rh_error *error) {
  return exchange(ranks, mine == RH_OK ? IS_DONE : HAS_FAILED, why, mine, NULL, error);
}

static rh_status beat_until_done(rh_ranks *ranks, shift *s, rh_error *error) {
  for (int works = 1; works;) {
    int ended = wait_for(s, pause_of(ranks));
    rh_status mine = ended ? s->status : RH_OK;
    char state = !ended ? WORKS : mine == RH_OK ? IS_DONE : HAS_FAILED;
    RH_TRY(exchange(ranks, state, &s->error, mine, &works, error));
  }
  return RH_OK;
}

static int start(shift *s, pthread_t *thread) {
  pthread_mutex_init(&s->lock, NULL);
  rh_condition_init(&s->changed);
  int code = pthread_create(thread, NULL, labour, s);
  if (code == 0) return 1;
  s->ended = 1;
  s->status = rh_fail(&s->error, RH_E_NOMEM, "no thread for the reduction: %s", strerror(code));
  return 0;
}

rh_status rh_ranks_work(rh_ranks *ranks, rh_status (*work)(void *user, rh_error *error), void *user,
                        rh_error *error) {
  shift s = {.work = work, .user = user, .locale = uselocale((locale_t)0)};
  pthread_t thread;
  int started = start(&s, &thread);
  rh_error why = {0};
  rh_status status = beat_until_done(ranks, &s, &why);
  if (status != RH_OK) atomic_store(&ranks->stop, 1);
  if (error && status != RH_OK) *error = why;
  /* A broken job, or work that does not stop: the caller's sentence would come too late. */
  if (status != RH_OK && started && !wait_for(&s, return_s)) rh_ranks_abort(ranks, why.message);
  if (started) pthread_join(thread, NULL);
  pthread_cond_destroy(&s.changed);
  pthread_mutex_destroy(&s.lock);
  return status;
}
