#include "rank.h"
#include "../../core/base/clock.h"
#include "../../core/base/error.h"
#include "../../core/base/fpstate.h"
#include "../../core/base/path.h"
#include "../../core/base/random.h"
#include "../../core/child/request.h"
#include "../../engine/ranks/transports.h"
#include "load.h"
#include "sentence.h"

#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char order_name[] = "order";
enum { FENCE = 64, FENCE_BYTE = 0xa5, READY_AFTER = 5, MOST_ORDER = 1 << 16 };

/* Seconds: how long a gather among ranks that live may take, and a job that nothing breaks. */
static const double calm_s = 20, lasts_s = 60;

typedef struct rank {
  const rh_rank_order *order;
  const rh_transport *transport;
  void *self;
  rh_rank_place place;
  int report; /* the file */
  uint32_t round;
  double broken_s;           /* how long the last gather took, */
  const char *why;           /* and its sentence if it failed */
  unsigned char *mine, *all; /* of the most bytes, `all` with a fence before and after */
} rank;

/* ---- The order ---- */

static const rh_request_field fields[] = {
    RH_REQUEST_FIELD(rh_rank_order, task),
    RH_REQUEST_FIELD(rh_rank_order, size),
    RH_REQUEST_FIELD(rh_rank_order, special),
    RH_REQUEST_FIELD(rh_rank_order, seed),
};
enum { N_FIELDS = sizeof fields / sizeof *fields };

static FILE *open_in(const char *directory, const char *name, const char *mode) {
  char *path = rh_path_join(directory, name);
  FILE *file = path ? fopen(path, mode) : NULL;
  free(path);
  return file;
}

rh_status rh_rank_order_write(const rh_rank_order *order, const char *directory, rh_error *error) {
  rh_text text = {0};
  rh_request_begin(&text);
  rh_request_add(&text, "path", order->path);
  rh_request_add_fields(&text, fields, N_FIELDS, order);
  rh_status status = rh_request_end(&text, error);
  FILE *file = status == RH_OK ? open_in(directory, order_name, "we") : NULL;
  size_t written = file ? fwrite(text.s, 1, text.length, file) : 0;
  int closed = file ? fclose(file) : -1;
  if (status == RH_OK && (written != text.length || closed != 0))
    status = rh_fail(error, RH_E_FILE, "%s: cannot be written", directory);
  rh_text_finish(&text);
  return status;
}

static int read_order(rh_child_request *request, rh_rank_order *order, const char *directory) {
  char *bytes = malloc(MOST_ORDER);
  FILE *file = bytes ? open_in(directory, order_name, "re") : NULL;
  size_t length = file ? fread(bytes, 1, MOST_ORDER, file) : 0;
  if (file) fclose(file);
  if (rh_request_parse(request, bytes, length) != 0) return -1;
  order->path = rh_request_get(request, "path");
  return order->path ? rh_request_fields(request, fields, N_FIELDS, order) : -1;
}

/* ---- The report ---- */

/* One write for each line: the test reads while the rank lives, and it may be killed. */
__attribute__((format(printf, 2, 3))) static void say(const rank *r, const char *format, ...) {
  char line[1024];
  va_list args;
  va_start(args, format);
  int length = vsnprintf(line, sizeof line - 1, format, args);
  va_end(args);
  if (length < 0) return;
  if ((size_t)length > sizeof line - 2) length = sizeof line - 2;
  for (int k = 0; k < length; k++)
    if (line[k] == '\n') line[k] = ' ';
  line[length++] = '\n';
  ssize_t unused = write(r->report, line, (size_t)length);
  (void)unused;
}

static int open_report(const char *directory) {
  char name[32];
  snprintf(name, sizeof name, "%ld", (long)getpid());
  char *path = rh_path_join(directory, name);
  int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
  free(path);
  return file;
}

/* ---- Gathering ---- */

/* What byte k of a rank is in this round; ranks and rounds differ in every byte. */
static unsigned char byte_of(const rank *r, uint32_t of, uint32_t k) {
  return (unsigned char)rh_random_mix(r->order->seed ^ ((uint64_t)r->round << 40) ^
                                      ((uint64_t)of << 20) ^ k);
}

static size_t all_bytes(const rank *r) {
  return (size_t)r->place.size * RH_TRANSPORT_MOST_BYTES + 2 * (size_t)FENCE;
}

static void fill(rank *r, uint32_t n) {
  memset(r->all, FENCE_BYTE, (size_t)r->place.size * n + 2 * (size_t)FENCE);
  for (uint32_t k = 0; k < n; k++) r->mine[k] = byte_of(r, r->place.rank, k);
}

static int fence_is_whole(const unsigned char *at) {
  for (int k = 0; k < FENCE; k++)
    if (at[k] != FENCE_BYTE) return 0;
  return 1;
}

/* 0, or -1 and a finding. */
static int check_bytes(const rank *r, uint32_t n) {
  const unsigned char *all = r->all + FENCE;
  for (uint32_t k = 0; k < n; k++)
    if (r->mine[k] != byte_of(r, r->place.rank, k)) {
      say(r, "wrong gather with n = %u changes `mine'", n);
      return -1;
    }
  for (uint32_t of = 0; of < r->place.size; of++)
    for (uint32_t k = 0; k < n; k++)
      if (all[(size_t)of * n + k] != byte_of(r, of, k)) {
        say(r, "wrong gather %u, with n = %u: byte %u of rank %u is not the one that it gave",
            r->round + 1, n, k, of);
        return -1;
      }
  if (fence_is_whole(r->all) && fence_is_whole(all + (size_t)r->place.size * n)) return 0;
  say(r, "wrong gather with n = %u writes outside `all'", n);
  return -1;
}

/* 0; 1: gather failed, as it should where a rank is lost; -1: a finding. */
static int gather(rank *r, uint32_t n, double seconds) {
  char *text = rh_sentence_room();
  fill(r, n);
  double start = rh_now();
  int32_t code =
      r->transport->gather(r->self, r->mine, n, r->all + FENCE, seconds, text, RH_SENTENCE_BYTES);
  const char *fault = code ? rh_sentence_fault(text) : NULL;
  if (code != 0 && code != -1) {
    say(r, "wrong gather returns %d; it must be 0 or -1", code);
    return -1;
  }
  if (fault) {
    say(r, "wrong gather fails and %s", fault);
    return -1;
  }
  if (code == 0 && check_bytes(r, n) != 0) return -1;
  r->round++;
  r->broken_s = rh_now() - start;
  r->why = text;
  return code ? 1 : 0;
}

/* The same where no rank is lost. */
static int gather_calmly(rank *r, uint32_t n) {
  int code = gather(r, n, calm_s);
  if (code > 0)
    say(r, "wrong gather fails after %.1f s of %.0f, and no rank is lost: %s", r->broken_s, calm_s,
        r->why);
  return code == 0 ? 0 : -1;
}

/* ---- Tasks: 0 when the rank may leave, else -1 ---- */

static int gather_sizes(rank *r) {
  static const uint32_t sizes[] = {1,    2,    3,    7,    8,     16,    31,    64,    65,
                                   255,  256,  1000, 1023, 1024,  4095,  4096,  4097,  488,
                                   8191, 8192, 9999, 1,    16384, 32767, 65535, 65536, 1};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
    if (gather_calmly(r, sizes[k]) != 0) return -1;
  return 0;
}

static int gather_many(rank *r) {
  enum { ROUNDS = 300, NAP_US = 4000, LARGEST = 5000 };
  rh_load *load = rh_load_start();
  int result = 0;
  for (int k = 0; k < ROUNDS && result == 0; k++) {
    uint64_t size = rh_random_mix(r->order->seed + (uint64_t)k);
    uint64_t nap = rh_random_mix(size ^ r->place.rank);
    if (nap % 16 == 0) usleep((useconds_t)(nap >> 32) % NAP_US);
    result = gather_calmly(r, 1 + (uint32_t)(size % LARGEST));
  }
  rh_load_stop(load);
  return result;
}

static int is_special(const rank *r) {
  return r->place.rank == r->order->special;
}

static int come_late(rank *r) {
  for (uint32_t k = 0; k < READY_AFTER; k++) {
    if (k == 2 && is_special(r)) usleep((useconds_t)(RH_RANK_LATE_S * 1e6));
    if (gather_calmly(r, 8) != 0) return -1;
  }
  return 0;
}

/* Does not return: ends as redhost does when a rank is lost. */
static void abort_job(rank *r, int32_t status) {
  r->transport->abort(r->self, status, "a test of the transport");
  say(r, "wrong abort returns");
  _exit(9);
}

static int last(rank *r) {
  double end = rh_now() + lasts_s;
  while (rh_now() < end) {
    int code = gather(r, 16, RH_RANK_PATIENCE_S);
    if (code < 0) return -1;
    if (code > 0) say(r, "broke %.2f %s", r->broken_s, r->why);
    if (code > 0) abort_job(r, RH_RANK_BROKEN_STATUS);
    if (r->round == READY_AFTER) say(r, "ready");
    if (r->round > READY_AFTER && is_special(r)) {
      if (r->order->task == RH_RANK_LEAVES) _exit(RH_RANK_LEAVES_STATUS);
      if (r->order->task == RH_RANK_ABORTS) abort_job(r, RH_RANK_ABORT_STATUS);
    }
    usleep(20000);
  }
  return 0;
}

static int close_apart(rank *r) {
  enum { ROUNDS = 20, APART_US = 150000 };
  for (int k = 0; k < ROUNDS; k++)
    if (gather_calmly(r, 4096) != 0) return -1;
  usleep((r->order->seed % 2 ? r->place.rank : r->place.size - 1 - r->place.rank) * APART_US);
  return 0;
}

static int do_task(rank *r) {
  switch (r->order->task) {
  case RH_RANK_SIZES: return gather_sizes(r);
  case RH_RANK_MANY: return gather_many(r);
  case RH_RANK_LATE: return come_late(r);
  case RH_RANK_LASTS:
  case RH_RANK_LEAVES:
  case RH_RANK_ABORTS: return last(r);
  case RH_RANK_CLOSES: return close_apart(r);
  default: return gather_calmly(r, 64);
  }
}

/* ---- What a transport must leave alone: on it hangs every result ---- */

typedef struct surroundings {
  rh_fpstate fp;
  char locale[256], directory[4096];
  mode_t mask;
} surroundings;

static void look_around(surroundings *s) {
  s->fp = rh_fpstate_save();
  snprintf(s->locale, sizeof s->locale, "%s", setlocale(LC_ALL, NULL));
  if (!getcwd(s->directory, sizeof s->directory)) s->directory[0] = 0;
  s->mask = umask(0);
  umask(s->mask);
}

static void compare(const rank *r, const surroundings *before, const char *phase) {
  surroundings now;
  if (r->order->task != RH_RANK_STATE) return;
  int fp = rh_fpstate_restore(&before->fp);
  look_around(&now);
  const char *what = fp                                              ? "floating-point control word"
                     : strcmp(now.locale, before->locale) != 0       ? "locale"
                     : strcmp(now.directory, before->directory) != 0 ? "working directory"
                     : now.mask != before->mask                      ? "file mode mask"
                                                                     : NULL;
  if (what) say(r, "wrong %s changes the %s", phase, what);
}

/* ---- The whole ---- */

static int join(rank *r) {
  char *text = rh_sentence_room();
  int32_t answer = r->transport->probe(text, RH_SENTENCE_BYTES);
  if (answer != RH_TRANSPORT_STARTED && r->order->size > 1) {
    say(r, "wrong probe returns %d in a process that the launcher started, instead of %d: %.200s",
        answer, RH_TRANSPORT_STARTED, rh_sentence_fault(text) ? "" : text);
    return -1;
  }
  text = rh_sentence_room();
  if (r->transport->open(&r->self, &r->place, text, RH_SENTENCE_BYTES) != 0) {
    const char *fault = rh_sentence_fault(text);
    say(r, "wrong open fails%s%s", fault ? " and " : ": ", fault ? fault : text);
    return -1;
  }
  say(r, "joined %u %u %u", r->place.rank, r->place.size, r->place.local_rank);
  if (r->place.size == r->order->size && r->place.rank < r->place.size) return 0;
  say(r, "wrong open says that this is rank %u of %u; %u were started", r->place.rank,
      r->place.size, r->order->size);
  return -1;
}

static int take_part(rank *r) {
  surroundings before;
  look_around(&before);
  if (join(r) != 0) return 1;
  compare(r, &before, "open");
  r->mine = malloc(RH_TRANSPORT_MOST_BYTES);
  r->all = malloc(all_bytes(r));
  int result = r->mine && r->all ? do_task(r) : -1;
  compare(r, &before, "gather");
  if (result == 0) {
    r->transport->close(r->self);
    compare(r, &before, "close");
    say(r, "closed");
  }
  free(r->mine);
  free(r->all);
  return result == 0 ? 0 : 1;
}

int rh_rank_main(const char *directory) {
  rh_child_request request = {0};
  rh_rank_order order = {0};
  rank r = {.order = &order, .place.struct_size = sizeof(rh_rank_place)};
  rh_error error = {0};
  char host[64] = "";
  int code = 2;
  if (read_order(&request, &order, directory) == 0 && (r.report = open_report(directory)) >= 0) {
    gethostname(host, sizeof host - 1);
    say(&r, "begin %s", host);
    code = 1;
    if (rh_transport_open(order.path, &r.transport, &error) == RH_OK)
      code = take_part(&r);
    else
      say(&r, "wrong %s", error.message);
    close(r.report);
  }
  rh_request_finish(&request);
  return code;
}
