/* Transports with one fault each: V70 to V83.  It is one library, of which the build makes a copy
 * for each of its kinds; a copy has the fault that its file is named after. */
#define redhost_transport_v1 right
#include "../../../sdk/transport/example.c"
#undef redhost_transport_v1

#include <dlfcn.h>
#include <fenv.h>
#include <signal.h>

#define UNUSED       __attribute__((unused))
#define PROBE(name_) static int32_t name_##_probe(UNUSED char *text, UNUSED uint32_t bytes)
#define OPEN(name_)                                                                                \
  static int32_t name_##_open(void **self, rh_rank_place *place, char *text, uint32_t bytes)
#define GATHER(name_)                                                                              \
  static int32_t name_##_gather(void *self, const void *mine, uint32_t n, void *all,               \
                                UNUSED double seconds, UNUSED char *text, UNUSED uint32_t bytes)
#define ABORT(name_)                                                                               \
  static void name_##_abort(UNUSED void *self, UNUSED int32_t exit_status,                         \
                            UNUSED const char *sentence)
#define CLOSE(name_) static void name_##_close(void *self)

typedef struct kind {
  const char *name;
  rh_transport transport;
} kind;

/* clang-format off */
#define KIND(name_, ...)                                                                           \
  static const kind kind_##name_ = {                                                               \
    #name_, {                                                                                      \
      .magic = RH_TRANSPORT_MAGIC, .struct_size = sizeof(rh_transport),                            \
      .version = RH_TRANSPORT_VERSION, .name = "zoo", .description = "one of the zoo",             \
      .probe = probe, .open = open_job, .gather = gather, .abort = abort_job, .close = close_job,  \
      __VA_ARGS__                                                                                  \
    }                                                                                              \
  };                                                                                               \
  static const kind *const kind_##name_##_listed                                                   \
      __attribute__((used, section("zoo_kinds"))) = &kind_##name_
/* clang-format on */
/* Of the linker, which puts them side by side. */
extern const kind *const __start_zoo_kinds[] __attribute__((visibility("hidden")));
extern const kind *const __stop_zoo_kinds[] __attribute__((visibility("hidden")));

/* The head of a function, and the kind that is right but for it. */
#define BUT_PROBE(name_)  BUT(PROBE, probe, name_)
#define BUT_OPEN(name_)   BUT(OPEN, open, name_)
#define BUT_GATHER(name_) BUT(GATHER, gather, name_)
#define BUT_ABORT(name_)  BUT(ABORT, abort, name_)
#define BUT_CLOSE(name_)  BUT(CLOSE, close, name_)
#define BUT(head_, field_, name_)                                                                  \
  head_(name_);                                                                                    \
  KIND(name_, .field_ = name_##_##field_);                                                         \
  head_(name_)

/* The kind that is right but for where open says that it is, or for what gather is told. */
#define BUT_PLACE(name_, change_)                                                                  \
  BUT_OPEN(name_) {                                                                                \
    int32_t result = open_job(self, place, text, bytes);                                           \
    change_;                                                                                       \
    return result;                                                                                 \
  }
#define BUT_FOR(name_, seconds_)                                                                   \
  BUT_GATHER(name_) { return gather(self, mine, n, all, seconds_, text, bytes); }

/* V81: abort ends all ranks as if nothing were wrong. */
BUT_ABORT(abort_is_success) { abort_job(self, 0, sentence); }

/* V81: abort closes its connections, and returns. */
BUT_ABORT(abort_returns) { close_job(self); }

/* V81: abort waits for the others to end first. */
BUT_ABORT(abort_waits) {
  for (;;) pause();
}

/* V74: every rank believes to be the first of its host, so all take one device. */
BUT_PLACE(all_local_first, place->local_rank = 0)

/* V74: every rank is rank 0. */
BUT_PLACE(all_rank_0, place->rank = place->local_rank = 0)

/* V73: probe offers a job of one rank, and open refuses it. */
BUT_OPEN(alone_fails) {
  if (!getenv("TRANSPORT_RANK")) return fail(text, bytes, "start it with run-example");
  return open_job(self, place, text, bytes);
}

/* V73: a gather of one rank copies nothing. */
BUT_GATHER(alone_forgets) {
  const job *j = self;
  return j->size == 1 ? 0 : gather(self, mine, n, all, seconds, text, bytes);
}

/* V73: a process without a job believes that it is one of two. */
BUT_PLACE(alone_is_two, if (place->size == 1) place->size = 2)

/* V75: the parts come in another order than that of the ranks. */
BUT_GATHER(by_arrival) {
  const job *j = self;
  int32_t result = gather(self, mine, n, all, seconds, text, bytes);
  char *last = (char *)all + (size_t)(j->size - 1) * n, kept[16];
  uint32_t part = n < sizeof kept ? n : sizeof kept;
  memcpy(kept, all, part);
  memcpy(all, last, part);
  memcpy(last, kept, part);
  return result;
}

/* V83: open moves the process to another directory, so that no relative path is right. */
BUT_OPEN(changes_directory) {
  if (chdir("/") != 0) return fail(text, bytes, "cannot move to /");
  return open_job(self, place, text, bytes);
}

/* V82: close releases its state twice. */
BUT_CLOSE(close_frees_twice) {
  close_job(self);
  close_job(self);
}

/* V82: close waits for an answer that does not come. */
BUT_CLOSE(close_hangs) {
  const job *j = self;
  char unused;
  if (j->size > 1 && j->rank == 1) receive(j->peers[0], &unused, 1, now() + 1e6);
  if (j->size > 1 && j->rank == 0) pause();
  close_job(self);
}

/* V74: probe does not see that a launcher started the process. */
BUT_PROBE(does_not_know_its_job) {
  probe(text, bytes);
  return RH_TRANSPORT_CAN;
}

/* V80: says in two lines why a gather failed. */
BUT_GATHER(fails_in_two_lines) {
  int32_t result = gather(self, mine, n, all, seconds, text, bytes);
  if (result != 0) snprintf(text, bytes, "a rank has ended\nsorry");
  return result;
}

/* V78: does not say why a gather failed. */
BUT_GATHER(fails_without_a_word) {
  char unused[512];
  return gather(self, mine, n, all, seconds, unused, sizeof unused);
}

/* V75: only the first 4096 bytes of a part arrive. */
BUT_GATHER(first_page_only) {
  const job *j = self;
  int32_t result = gather(self, mine, n, all, seconds, text, bytes);
  for (uint32_t r = 0; r < j->size && n > 4096; r++)
    memset((char *)all + (size_t)r * n + 4096, 0, n - 4096);
  return result;
}

/* V78: goes on without a rank that has ended, with zeros in its place. */
BUT_GATHER(hides_a_death) {
  const job *j = self;
  if (gather(self, mine, n, all, seconds, text, bytes) == 0) return 0;
  memset(all, 0, (size_t)j->size * n);
  return 0;
}

/* V77: waits for a fifth of a second, however long it is told to. */
BUT_FOR(impatient, 0.2)

/* V82: a process that it starts outlives the job. */
BUT_OPEN(leaves_a_helper) {
  int32_t result = open_job(self, place, text, bytes);
  if (result == 0 && place->rank == 0 && fork() == 0) {
    release(*self);
    setsid();
    sleep(60);
    _exit(0);
  }
  return result;
}

/* V74: counts one rank more than there is. */
BUT_PLACE(one_too_many, place->size++)

/* V71: probe returns something that is not an answer. */
BUT_PROBE(probe_answers_7) {
  probe(text, bytes);
  return 7;
}

/* V71: probe fills its text without an end. */
BUT_PROBE(probe_cuts) {
  memset(text, 32, bytes);
  return RH_TRANSPORT_CAN;
}

/* V71: probe says no, and not why. */
BUT_PROBE(probe_is_silent) { return RH_TRANSPORT_CANNOT; }

/* V71: probe works the first time, and not again. */
BUT_PROBE(probe_only_once) {
  static int asked;
  snprintf(text, bytes, "TCP");
  return asked++ ? RH_TRANSPORT_CANNOT : RH_TRANSPORT_CAN;
}

/* V71 crash: probe writes more than it was given room for. */
BUT_PROBE(probe_overflows) {
  memset(text, 32, bytes + 64);
  text[bytes + 63] = 0;
  return RH_TRANSPORT_CAN;
}

/* V72: probe prints what it finds, into every list. */
BUT_PROBE(probe_prints) {
  int32_t answer = probe(text, bytes);
  fprintf(stderr, "zoo: %s\n", text);
  return answer;
}

/* V72: probe leaves a variable for a library that it opens later. */
BUT_PROBE(probe_sets_environment) {
  setenv("ZOO_NET", "tcp", 1);
  return probe(text, bytes);
}

/* V72: probe opens a connection and keeps it. */
BUT_PROBE(probe_starts) {
  if (socket(AF_INET, SOCK_STREAM, 0) < 0) return RH_TRANSPORT_CANNOT;
  return probe(text, bytes);
}

/* V71: probe writes two lines. */
BUT_PROBE(probe_two_lines) {
  snprintf(text, bytes, "TCP\nof version 4");
  return RH_TRANSPORT_CAN;
}

/* V75: returns how many bytes it gathered, as read() does. */
BUT_GATHER(returns_a_count) {
  return gather(self, mine, n, all, seconds, text, bytes) == 0 ? (int32_t)n : -1;
}

/* V83: gather changes how the rank rounds, and with it every sum. */
BUT_GATHER(rounds_toward_zero) {
  fesetround(FE_TOWARDZERO);
  return gather(self, mine, n, all, seconds, text, bytes);
}

/* V75: writes whole words, behind the last byte that it was given room for. */
BUT_GATHER(rounds_up) {
  const job *j = self;
  int32_t result = gather(self, mine, n, all, seconds, text, bytes);
  size_t total = (size_t)j->size * n;
  memset((char *)all + total, 0, -total % 8);
  return result;
}

/* V75: uses the caller's constant part as its own memory. */
BUT_GATHER(spoils_mine) {
  int32_t result = gather(self, mine, n, all, seconds, text, bytes);
  char *own;
  memcpy(&own, &mine, sizeof own);
  own[n - 1] ^= 1;
  return result;
}

/* V79: gives up long after the time that it was told. */
BUT_FOR(takes_its_time, seconds + 4)

/* V76: its buffer of a hundred messages wraps around wrongly. */
BUT_GATHER(tires) {
  static int times;
  int32_t result = gather(self, mine, n, all, seconds, text, bytes);
  if (++times % 100 == 0) *(char *)all ^= 1;
  return result;
}

/* V79: waits without end for a rank that does not answer. */
BUT_FOR(waits_for_ever, 1e6)

static const char long_text[] =
    "a transport for clusters of every kind, over every network, with every library, which its "
    "author has described in more words than a table has room for";

/* V70: A description of more than a line. */
KIND(long_description, .description = long_text);
/* V70: A name with characters that none may have. */
KIND(loud_name, .name = "My Net!");
/* V70: A function is missing. */
KIND(no_abort, .abort = NULL);
/* V70: the magic is missing, as from a file of another program. */
KIND(no_magic, .magic = 0);
/* V70 pass: nothing; it passes every test. */
KIND(right_template, .reserved = 0);
/* V70: A reserved field has a value, which a later redhost would read. */
KIND(uses_reserved, .reserved = 3);

extern rh_transport redhost_transport_v1;
RH_TRANSPORT_EXPORT rh_transport redhost_transport_v1;

__attribute__((constructor)) static void choose(void) {
  Dl_info found = {0};
  if (!dladdr(&redhost_transport_v1, &found) || !found.dli_fname) return;
  const char *slash = strrchr(found.dli_fname, '/'), *name = slash ? slash + 1 : found.dli_fname;
  for (const kind *const *k = __start_zoo_kinds; k < __stop_zoo_kinds; k++) {
    size_t length = strlen((*k)->name);
    if (strncmp(name, (*k)->name, length) == 0 && name[length] == '.')
      memcpy(&redhost_transport_v1, &(*k)->transport, sizeof redhost_transport_v1);
  }
}
