/* What the tests of host/engine/io share: .npy files made by hand, what the library reports. */
#ifndef RH_TEST_IO_SUPPORT_H
#define RH_TEST_IO_SUPPORT_H

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "../../host/core/data/data.h"
#include "files_support.h"

/* ---- .npy files made by hand ---- */

typedef struct bytes {
  unsigned char at[4096];
  size_t length;
} bytes;

static inline void append(bytes *to, const void *more, size_t length) {
  ck_assert_uint_le(to->length + length, sizeof to->at);
  if (length) memcpy(to->at + to->length, more, length);
  to->length += length;
}

static inline void append_preamble(bytes *file, int major, size_t header_length) {
  const unsigned char version[] = {(unsigned char)major, 0};
  file->length = 0;
  append(file, "\x93NUMPY", 6);
  append(file, version, 2);
  for (int k = 0; k < (major == 1 ? 2 : 4); k++) {
    const unsigned char byte = (unsigned char)(header_length >> 8 * k);
    append(file, &byte, 1);
  }
}

/* As numpy does it: padded so that the data begin at a multiple of `alignment`. */
static inline void make_npy(bytes *file, int major, const char *header, size_t alignment,
                            const void *data, size_t data_length) {
  size_t preamble = major == 1 ? 10 : 12, length = strlen(header);
  size_t padding = (alignment - (preamble + length + 1) % alignment) % alignment;
  append_preamble(file, major, length + padding + 1);
  append(file, header, length);
  for (size_t k = 0; k < padding; k++) append(file, " ", 1);
  append(file, "\n", 1);
  append(file, data, data_length);
}

static const float four[] = {1.5f, -2, 0, 1e30f};
#define HEADER_OF_FOUR "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }"

static inline bytes file_of_four(void) {
  bytes file;
  make_npy(&file, 1, HEADER_OF_FOUR, 64, four, sizeof four);
  return file;
}

/* ---- What the library says ---- */

typedef struct said {
  int warnings, reports, cancel;
  uint64_t last_total;
  char phase[32], text[1024];
} said;

static inline void hear(void *user, uint32_t level, const char *text) {
  said *heard = user;
  heard->warnings += level == RH_LOG_WARNING;
  snprintf(heard->text, sizeof heard->text, "%s", text);
}

static inline int watch(void *user, const char *phase, uint64_t done, uint64_t total) {
  said *heard = user;
  heard->reports++;
  heard->last_total = total;
  ck_assert(total == 0 || done <= total);
  snprintf(heard->phase, sizeof heard->phase, "%s", phase);
  return heard->cancel;
}

static inline rh_reporter reporter_to(said *heard) { return (rh_reporter){heard, hear, watch}; }

/* ---- Expectations ---- */

/* Refused with this status, and in words that hold `part`. */
static inline void expect_refusal(const char *path, rh_type type, rh_status status,
                                  const char *part) {
  rh_array array;
  memset(&array, 0xa5, sizeof array);
  ck_assert_int_eq(rh_array_open(&array, path, type, NULL, &error), status);
  ck_assert_int_eq(error.status, status);
  assert_says(error.message, part);
  ck_assert_msg(!strchr(error.message, '\n'), "'%s' has a newline", error.message);
  ck_assert_msg(!strchr(".\n ", error.message[strlen(error.message) - 1]), "'%s'", error.message);
  if (strlen(path) < 200)
    ck_assert_msg(strncmp(error.message, path, strlen(path)) == 0, "'%s'", error.message);
  ck_assert_ptr_null(array.region.address); /* left empty, ... */
  rh_array_finish(&array);                  /* ... so this is legal */
  ck_assert_int_eq(rh_array_open(&array, path, type, NULL, NULL), status);
}

static inline void expect_open(rh_array *array, const char *path, rh_type type, const said *heard) {
  rh_reporter reporter = reporter_to((said *)(uintptr_t)heard);
  must(rh_array_open(array, path, type, heard ? &reporter : NULL, &error));
  ck_assert_uint_eq(array->offset_bytes % rh_type_size(array->type), 0);
  ck_assert_uint_ge(array->region.bytes,
                    array->offset_bytes + array->n * rh_type_size(array->type));
}

static inline void expect_content(rh_array *array, rh_type type, const void *data, uint64_t n) {
  ck_assert_uint_eq(array->type, type);
  ck_assert_uint_eq(array->n, n);
  ck_assert_int_eq(memcmp(rh_array_data(array), data, n * rh_type_size(type)), 0);
  rh_array_finish(array);
  ck_assert_ptr_null(array->region.address);
}

/* ---- Headers that are refused ---- */

#define HEADER(descr, fortran, shape)                                                              \
  "{'descr': " descr ", 'fortran_order': " fortran ", 'shape': " shape ", }"

/* ---- Standard input ---- */

static int saved_input = -1;

static inline void put_on_input(int fd) {
  if (saved_input < 0) saved_input = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 100);
  ck_assert_int_eq(dup2(fd, STDIN_FILENO), STDIN_FILENO);
  if (fd != STDIN_FILENO) close(fd);
}

static inline void restore_input(void) {
  if (saved_input < 0) return;
  dup2(saved_input, STDIN_FILENO);
  close(saved_input);
  saved_input = -1;
}

/* A child writes `length` bytes, in pieces with a pause after each, to what is then standard input.
 */
static inline pid_t feed(const void *data, size_t length, size_t piece, useconds_t pause) {
  int ends[2];
  ck_assert_int_eq(pipe(ends), 0);
  pid_t child = fork();
  ck_assert_int_ge(child, 0);
  if (child == 0) {
    close(ends[0]);
    signal(SIGPIPE, SIG_IGN);
    for (size_t done = 0; done < length;) {
      size_t part = length - done < piece ? length - done : piece;
      ssize_t put = write(ends[1], (const char *)data + done, part);
      if (put <= 0) break;
      done += (size_t)put;
      if (pause) usleep(pause);
    }
    _exit(0);
  }
  close(ends[1]);
  put_on_input(ends[0]);
  return child;
}

static inline void end_feed(pid_t child) {
  restore_input(); /* closes the reading end, so that the child cannot wait for ever */
  waitpid(child, NULL, 0);
}

/* Puts the bytes on a pipe and expects their refusal. */
static inline void expect_refused_input(const void *data, size_t length, rh_type type,
                                        rh_status status, const char *part) {
  rh_array array;
  pid_t child = feed(data, length, 65536, 0);
  ck_assert_int_eq(rh_array_open(&array, "-", type, NULL, &error), status);
  assert_says(error.message, part);
  ck_assert_int_eq(strncmp(error.message, "-: ", 3), 0);
  ck_assert_ptr_null(array.region.address);
  end_feed(child);
}

#endif
