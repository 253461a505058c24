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

rh_status rh_ranks_gather(rh_ranks *ranks, const void *mine, uint32_t bytes, void *all,
                          rh_error *error) {
  char text[512] = "the transport gives no reason", host[RH_HOST_BYTES + 8] = "";
  unsigned rank;
  if (ranks->transport->gather(ranks->self, mine, bytes, all, patience_s, text, sizeof text) == 0)
    return RH_OK;
  ranks->broken = 1;
  int names = sscanf(text, "rank %u", &rank) == 1 && rank < ranks->place.size;
  ranks->blames_first = names && rank == 0;
  if (names && ranks->hosts) snprintf(host, sizeof host, " (host %s)", ranks->hosts[rank]);
  const char *end = ranks->transport->abort ? "; all ranks end" : "";
  return rh_fail(error, RH_E_PLUGIN, "%s%s%s", text, host, end);
}

static rh_status learn_hosts(rh_ranks *ranks, rh_error *error) {
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
  return learn_hosts(ranks, error);
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

void rh_ranks_say(void (*say)(void *user, const char *sentence), void *user, const char *sentence,
                  int is_first) {
  if (!say || !rh_word_take()) return;
  say(user, sentence);
  if (!is_first) rh_word_hold();
}

/* All ranks notice that rank 0 is lost.  They come to it one after the other, and the first ends
 * the others.  Other losses are for rank 0 to report, which knows of them first. */
void rh_ranks_abort(rh_ranks *ranks, const char *sentence) {
  uint32_t turn = ranks->place.rank - (ranks->blames_first ? 1 : 0);
  if (ranks->place.rank > 0) usleep((turn < 4 ? turn : 4) * 300000);
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

/* ---- Are all asked for the same? ---- */

rh_digest rh_agree_digest(const char *text) {
  size_t length = strlen(text);
  return (rh_digest){{rh_hash(0, text, length), rh_hash(length + 1, text, length)}};
}

typedef struct comparison {
  char *first; /* of rank 0 */
  uint32_t *other;
  rh_difference *found;
} comparison;

static rh_status take_text(void *of_comparison, uint32_t rank, const void *theirs, uint64_t bytes,
                           rh_error *error) {
  comparison *c = of_comparison;
  if (*c->other) return RH_OK;
  char *text = strndup(theirs, bytes);
  if (!text) return rh_fail(error, RH_E_NOMEM, "no memory for what the ranks say");
  if (rank == 0) {
    c->first = text;
    return RH_OK;
  }
  if (rh_operation_differ(c->first, text, c->found)) *c->other = rank;
  free(text);
  return RH_OK;
}

rh_status rh_agree_compare(rh_ranks *ranks, const char *mine, uint32_t *other, rh_difference *found,
                           rh_error *error) {
  const rh_digest digest = rh_agree_digest(mine);
  comparison c = {NULL, other, found};
  int differ = 0;
  RH_FREED(rh_digest) all = NULL;
  *other = 0;
  if (!ranks->hosts) RH_TRY(learn_hosts(ranks, error));
  RH_TRY(RH_NEW(&all, ranks->place.size, "what the ranks say", error));
  RH_TRY(rh_ranks_gather(ranks, &digest, sizeof digest, all, error));
  for (uint32_t r = 0; r < ranks->place.size; r++)
    differ |= memcmp(&all[r], &all[0], sizeof *all) != 0;
  if (!differ) return RH_OK;
  rh_status status = rh_ranks_gather_any(ranks, mine, strlen(mine) + 1, take_text, &c, error);
  free(c.first);
  return status;
}

rh_status rh_agree_fail(const rh_ranks *ranks, uint32_t other, const rh_difference *found,
                        rh_error *error) {
  return rh_fail(error, RH_E_USAGE,
                 "rank 0 (host %s) and rank %u (host %s) are asked for different reductions: %s; "
                 "start all with the same request",
                 ranks->hosts[0], other, ranks->hosts[other], found->words);
}

/* ---- Working ---- */

enum { WORKS, IS_DONE, HAS_FAILED };

/* A rank says this once one has failed. */
typedef struct last_words {
  int32_t status;
  char text[TEXT_BYTES];
} last_words;

typedef struct shift {
  rh_status (*work)(void *user, rh_error *error);
  void *user;
  locale_t locale;
  pthread_t thread;
  int has_ended, has_returned; /* it is joined; and not because it ended itself */
  rh_status status;
  rh_error error;
} shift;

static void *labour(void *of_shift) {
  shift *s = of_shift;
  uselocale(s->locale);
  s->status = s->work(s->user, &s->error);
  s->has_returned = 1;
  return NULL;
}

/* 1: the work has ended. */
static int wait_for(shift *s, double seconds) {
  double deadline = rh_now() + seconds;
  struct timespec until = {.tv_sec = (time_t)deadline};
  until.tv_nsec = (long)(1e9 * (deadline - (double)until.tv_sec));
  if (s->has_ended) return 1;
  if (pthread_clockjoin_np(s->thread, NULL, CLOCK_MONOTONIC, &until) != 0) return 0;
  if (!s->has_returned)
    s->status = rh_fail(&s->error, RH_E_PLUGIN,
                        "a strategy has ended the thread that ran it, as by pthread_exit()");
  return s->has_ended = 1;
}

/* All ranks fail with the first one's failure.  Failures in the same words are one. */
static rh_status judge_words(const rh_ranks *ranks, const last_words *all, rh_error *error) {
  uint32_t size = ranks->place.size, first = 0, same = 0;
  while (first < size && all[first].status == RH_OK) first++;
  if (first == size) return RH_OK;
  for (uint32_t r = 0; r < size; r++)
    same += all[r].status != RH_OK && strcmp(all[r].text, all[first].text) == 0;
  if (same == size) return rh_fail(error, all[first].status, "%.*s", TEXT_BYTES, all[first].text);
  return rh_fail(error, all[first].status, "rank %u (host %s): %.*s", first, ranks->hosts[first],
                 TEXT_BYTES, all[first].text);
}

static rh_status settle_failure(rh_ranks *ranks, rh_status status, const rh_error *why,
                                rh_error *error) {
  last_words mine = {.status = status};
  RH_FREED(last_words) all = NULL;
  if (status != RH_OK) snprintf(mine.text, sizeof mine.text, "%.*s", TEXT_BYTES - 1, why->message);
  RH_TRY(RH_NEW(&all, ranks->place.size, "the ranks' messages", error));
  if (!ranks->hosts) RH_TRY(learn_hosts(ranks, error));
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
  double pause = fmin(beat_s + beat_of_rank_s * ranks->place.size, most_beat_s);
  for (int works = 1; works;) {
    int ended = wait_for(s, pause);
    rh_status mine = ended ? s->status : RH_OK;
    char state = !ended ? WORKS : mine == RH_OK ? IS_DONE : HAS_FAILED;
    RH_TRY(exchange(ranks, state, &s->error, mine, &works, error));
  }
  return RH_OK;
}

rh_status rh_ranks_work(rh_ranks *ranks, rh_status (*work)(void *user, rh_error *error), void *user,
                        rh_error *error) {
  shift s = {.work = work, .user = user, .locale = uselocale((locale_t)0)};
  rh_error why = {0};
  int code = pthread_create(&s.thread, NULL, labour, &s);
  s.has_ended = code != 0;
  if (code)
    s.status = rh_fail(&s.error, RH_E_NOMEM, "no thread for the reduction: %s", strerror(code));
  rh_status status = beat_until_done(ranks, &s, &why);
  if (status == RH_OK) return RH_OK;
  atomic_store(&ranks->stop, 1);
  if (error) *error = why;
  /* A broken job, or work that does not stop: the caller's sentence would come too late. */
  if (!wait_for(&s, return_s)) rh_ranks_abort(ranks, why.message);
  return status;
}
