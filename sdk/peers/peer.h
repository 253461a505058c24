/* peer.h: the conversation of a peer program with redhost (docs/extend/peers.md).  C11 and C++17;
 * Linux.
 *
 * A program says what it offers, and has three functions for each peer:
 *
 *     static const peer peers[] = {{"mine", "My library 1.0", open_it, take_it, close_it}};
 *     int main(void) { return peer_main(peers, 1); }
 *
 * A program that includes this file needs nothing else of redhost's. */
#ifndef REDHOST_PEER_H
#define REDHOST_PEER_H

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* How a sample is taken. */
enum {
  PEER_DEVICE, /* a batch by the device's clock where there is one: the headline */
  PEER_HOST,   /* the same batch by the host's clock */
  PEER_LATENCY /* one call, always on the first copy, until the value is on the host */
};

/* The data to be reduced: `copies` of n elements, `stride` bytes apart, so that no reduction
 * finds its input in a cache.  The peer makes the copies, in open, from `data`, which is gone
 * after that. */
typedef struct peer_point {
  char op[16], type[8]; /* "sum", "f32" */
  uint64_t n, copies, stride;
  uint32_t element; /* bytes of one */
  const void *data; /* page-aligned */
  /* 0: the whole array is reduced.  Else `segments` of it, each to a result of its own.  With
   * `offsets`, which are gone after open, too, segment s is elements offsets[s] to offsets[s+1]-1.
   * With none, all have `length` elements, and element k of segment s is element
   * (s / inner * length + k) * inner + s % inner: rows if inner is 1, else columns. */
  uint64_t segments, length, inner;
  const uint64_t *offsets;
  void *self; /* the peer's own */
} peer_point;

/* The answer of open, filled by peer_opened, peer_declined and peer_failed. */
typedef struct peer_answer {
  char line[512];
} peer_answer;

/* The answer of take; `value` by peer_value_i64, _u64 and _f64, `failed` by peer_take_failed. */
typedef struct peer_sample {
  double seconds; /* of one reduction */
  int device;     /* 1: by the device's clock */
  char value[96]; /* of the last reduction */
  char failed[256];
} peer_sample;

typedef struct peer {
  const char *name;  /* [a-z0-9][a-z0-9_-]* */
  const char *about; /* what it is, in which version; on what it runs */
  int (*open)(peer_point *point, peer_answer *answer); /* 1: it is open, and will be closed */
  void (*take)(peer_point *point, int kind, uint32_t batch, peer_sample *sample);
  void (*close)(peer_point *point);
  /* Writes the results of the last sample, peer_result_size() bytes each, to `to`: elements of the
   * operator's result type, of argmin and its like indices as int64_t, from the segment's start on.
   * Null: the peer reduces whole arrays only. */
  void (*values)(peer_point *point, void *to);
} peer;

/* ---- Answers --------------------------------------------------------------------------------- */

/* One line, whatever the text holds. */
static inline void peer_one_line(char *text) {
  for (; *text; text++)
    if ((unsigned char)*text < 0x20 || (unsigned char)*text >= 0x7f) *text = '?';
}

/* `launches` of one reduction, 0 if unknown; `params` as in "threads=8", or "". */
static inline int peer_opened(peer_answer *answer, int on_device, uint32_t launches,
                              const char *params) {
  snprintf(answer->line, sizeof answer->line, "opened %s %" PRIu32 "%s%.250s",
           on_device ? "device" : "host", launches, *params ? " " : "", params);
  return 1;
}

static inline int peer_refused(peer_answer *answer, const char *word, const char *format,
                               va_list args) {
  char reason[256];
  vsnprintf(reason, sizeof reason, format, args);
  snprintf(answer->line, sizeof answer->line, "%s %s", word, reason);
  return 0;
}

/* It cannot serve this, which is not a fault. */
__attribute__((format(printf, 2, 3))) static inline int peer_declined(peer_answer *answer,
                                                                      const char *format, ...) {
  va_list args;
  va_start(args, format);
  peer_refused(answer, "declined", format, args);
  va_end(args);
  return 0;
}

__attribute__((format(printf, 2, 3))) static inline int peer_failed(peer_answer *answer,
                                                                    const char *format, ...) {
  va_list args;
  va_start(args, format);
  peer_refused(answer, "failed", format, args);
  va_end(args);
  return 0;
}

__attribute__((format(printf, 2, 3))) static inline void peer_take_failed(peer_sample *sample,
                                                                          const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(sample->failed, sizeof sample->failed, format, args);
  va_end(args);
}

static inline void peer_value_i64(peer_sample *sample, int64_t value) {
  snprintf(sample->value, sizeof sample->value, "%" PRId64, value);
}

static inline void peer_value_u64(peer_sample *sample, uint64_t value) {
  snprintf(sample->value, sizeof sample->value, "%" PRIu64, value);
}

static inline void peer_value_f64(peer_sample *sample, double value) {
  snprintf(sample->value, sizeof sample->value, "%.17g", value);
}

/* Behind the value, which is the element there: of argmin, argmax, argamax. */
static inline void peer_index(peer_sample *sample, uint64_t index) {
  size_t used = strlen(sample->value);
  snprintf(sample->value + used, sizeof sample->value - used, " %" PRIu64, index);
}

static inline double peer_clock(clockid_t which) {
  struct timespec now;
  clock_gettime(which, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static inline double peer_now(void) { return peer_clock(CLOCK_MONOTONIC); }

/* ---- The conversation ------------------------------------------------------------------------ */

enum { PEER_CHANNEL = 4, PEER_DATA = 5, PEER_MOST = 32 };

/* A peer and the point that it has open. */
typedef struct peer_seat {
  const peer *who;
  int is_open;
  peer_point point;
  uint64_t offsets_at, results_at; /* of segments: places in the data's file; 0: no offsets */
} peer_seat;

static inline uint32_t peer_type_size(const char *type) {
  static const char *const names[] = {"i8",  "u8",  "i16", "u16", "i32", "u32",
                                      "i64", "u64", "f16", "f32", "f64"};
  static const uint32_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
    if (strcmp(type, names[k]) == 0) return sizes[k];
  return 0;
}

/* Of the operator's results; of argmin and its like of the index. */
static inline uint32_t peer_result_size(const peer_point *point) {
  int adds = !strcmp(point->op, "sum") || !strcmp(point->op, "prod") || !strcmp(point->op, "asum");
  if (strncmp(point->op, "arg", 3) == 0) return 8;
  if (!adds) return peer_type_size(point->type);
  return !strcmp(point->type, "f16") ? 4 : point->type[0] == 'f' ? peer_type_size(point->type) : 8;
}

/* Maps the elements, and the offsets of segments, for as long as the peer opens. */
static inline void peer_do_open(peer_seat *seat, peer_answer *answer) {
  peer_point *point = &seat->point;
  struct stat st;
  if (point->segments && !seat->who->values) {
    peer_declined(answer, "it reduces whole arrays only");
    return;
  }
  point->element = peer_type_size(point->type);
  if (point->element == 0) {
    peer_declined(answer, "the type %s is not known here", point->type);
    return;
  }
  if (point->n == 0 || point->n > SIZE_MAX / point->element) {
    peer_declined(answer, "not for %" PRIu64 " elements", point->n);
    return;
  }
  size_t bytes = (size_t)point->n * point->element;
  if (seat->offsets_at) bytes = (size_t)seat->offsets_at + (point->segments + 1) * 8;
  void *data = MAP_FAILED;
  if (fstat(PEER_DATA, &st) == 0 && (uint64_t)st.st_size >= bytes)
    data = mmap(NULL, bytes, PROT_READ, MAP_SHARED, PEER_DATA, 0);
  if (data == MAP_FAILED) {
    peer_failed(answer, "descriptor 5 does not hold the data");
    return;
  }
  point->data = data;
  if (seat->offsets_at)
    point->offsets = (const uint64_t *)(const void *)((const char *)data + seat->offsets_at);
  seat->is_open = seat->who->open(point, answer);
  point->data = NULL;
  point->offsets = NULL;
  munmap(data, bytes);
}

/* "open NAME OP TYPE N COPIES STRIDE", or with "segments" for "open" what these are; 0, or -1. */
static inline int peer_read_point(peer_seat *seat, const char *line) {
  peer_point *point = &seat->point;
  int read =
      sscanf(line,
             "%*s %*s %15s %7s %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
             " %" SCNu64 " %" SCNu64,
             point->op, point->type, &point->n, &point->copies, &point->stride, &point->segments,
             &point->length, &point->inner, &seat->offsets_at, &seat->results_at);
  if (strncmp(line, "segments ", 9) != 0) {
    point->segments = seat->offsets_at = 0;
    return read == 5 ? 0 : -1;
  }
  if (point->length) seat->offsets_at = 0;
  return read == 10 && point->segments > 0 ? 0 : -1;
}

static inline void peer_answer_open(peer_seat *seat, const char *line, FILE *out) {
  peer_answer answer = {""};
  peer_point *point = &seat->point;
  memset(point, 0, sizeof *point);
  if (seat->is_open) peer_failed(&answer, "%s is open already", seat->who->name);
  else if (peer_read_point(seat, line) != 0) peer_failed(&answer, "a malformed question");
  else peer_do_open(seat, &answer);
  peer_one_line(answer.line);
  fprintf(out, "%s\n", answer.line);
}

/* Threads that look for more work for a while (OpenMP's, OpenBLAS's) would take the processors
 * from the contender that is measured next: waits until this process uses none, 0.2 s at most. */
static inline void peer_fall_asleep(void) {
  const struct timespec nap = {0, 500000};
  double end = peer_now() + 0.2, used;
  do {
    used = peer_clock(CLOCK_PROCESS_CPUTIME_ID);
    nanosleep(&nap, NULL);
    used = peer_clock(CLOCK_PROCESS_CPUTIME_ID) - used;
  } while (used > 1e-4 && peer_now() < end);
}

static inline void peer_answer_take(peer_seat *seat, const char *line, FILE *out) {
  peer_sample sample;
  char kind[16];
  uint32_t batch;
  memset(&sample, 0, sizeof sample);
  if (!seat->is_open) {
    peer_take_failed(&sample, "%s is not open", seat->who->name);
  } else if (sscanf(line, "%*s %*s %15s %" SCNu32, kind, &batch) != 2 || batch == 0) {
    peer_take_failed(&sample, "a malformed question");
  } else {
    int number = strcmp(kind, "latency") == 0 ? PEER_LATENCY
                 : strcmp(kind, "host") == 0  ? PEER_HOST
                                              : PEER_DEVICE;
    seat->who->take(&seat->point, number, batch, &sample);
    peer_fall_asleep();
  }
  peer_one_line(sample.failed);
  if (*sample.failed) fprintf(out, "failed %s\n", sample.failed);
  else
    fprintf(out, "taken %.17g %s %s\n", sample.seconds, sample.device ? "device" : "host",
            seat->point.segments ? "0" : sample.value);
}

static inline void peer_answer_values(peer_seat *seat, FILE *out) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), at = (size_t)seat->results_at / page * page;
  size_t bytes = (size_t)(seat->results_at - at) +
                 (size_t)seat->point.segments * peer_result_size(&seat->point);
  if (!seat->is_open || !seat->point.segments) {
    fprintf(out, "failed %s has no segments open\n", seat->who->name);
    return;
  }
  void *data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, PEER_DATA, (off_t)at);
  if (data == MAP_FAILED) {
    fprintf(out, "failed descriptor 5 has no room for the results\n");
    return;
  }
  seat->who->values(&seat->point, (char *)data + (seat->results_at - at));
  munmap(data, bytes);
  fprintf(out, "valued\n");
}

static inline void peer_answer_close(peer_seat *seat, FILE *out) {
  if (seat->is_open) seat->who->close(&seat->point);
  seat->is_open = 0;
  fprintf(out, "closed\n");
}

static inline void peer_answer_line(peer_seat *seats, size_t n, const char *line, FILE *out) {
  char verb[16], name[64];
  peer_seat *seat = NULL;
  if (sscanf(line, "%15s %63s", verb, name) != 2) verb[0] = name[0] = 0;
  for (size_t k = 0; k < n; k++)
    if (strcmp(seats[k].who->name, name) == 0) seat = &seats[k];
  if (seat && (strcmp(verb, "open") == 0 || strcmp(verb, "segments") == 0))
    peer_answer_open(seat, line, out);
  else if (seat && strcmp(verb, "take") == 0) peer_answer_take(seat, line, out);
  else if (seat && strcmp(verb, "values") == 0) peer_answer_values(seat, out);
  else if (seat && strcmp(verb, "close") == 0) peer_answer_close(seat, out);
  else fprintf(out, "failed a malformed question\n");
}

static inline FILE *peer_channel(const char *mode) {
  int fd = fcntl(PEER_CHANNEL, F_DUPFD_CLOEXEC, 6);
  FILE *file = fd < 0 ? NULL : fdopen(fd, mode);
  if (file) return file;
  fprintf(stderr, "This is a peer program: redhost --bench --peer=PROGRAM runs it.\n");
  exit(2);
}

/* For a program that cannot offer anything: says why, and gives what main returns. */
static inline int peer_main_failed(const char *why) {
  char reason[256];
  FILE *out = peer_channel("w");
  snprintf(reason, sizeof reason, "%s", why);
  peer_one_line(reason);
  fprintf(out, "failed %s\n", reason);
  return fclose(out) != 0;
}

/* Offers n peers, 32 at most, and serves them until redhost has had enough or is gone. */
static inline int peer_main(const peer *peers, size_t n) {
  static peer_seat seats[PEER_MOST];
  char line[512];
  FILE *in = peer_channel("r"), *out = peer_channel("w");
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* a long sample must not outlive redhost */
  fprintf(out, "redhost-peer 1\n");
  for (size_t k = 0; k < n && k < PEER_MOST; k++) {
    seats[k].who = &peers[k];
    fprintf(out, "peer %s %.250s\n", peers[k].name, peers[k].about);
  }
  fprintf(out, "ready\n");
  while (fflush(out) == 0 && fgets(line, sizeof line, in)) peer_answer_line(seats, n, line, out);
  for (size_t k = 0; k < n && k < PEER_MOST; k++)
    if (seats[k].is_open) peers[k].close(&seats[k].point);
  fclose(in);
  fclose(out);
  return 0;
}

#endif
