/* What the fuzz targets share.  Each fuzz_NAME.c is one target: linked with libFuzzer it looks for
 * inputs that break a rule, linked with replay.c it tries those of corpus/NAME again. */
#ifndef FUZZ_H
#define FUZZ_H

#include <redhost/redhost.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Tries one input; a broken rule ends the process.  Always 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A rule, which must hold whatever the input is; assert() that no build leaves out. */
#define RULE(condition)                                                                            \
  do {                                                                                             \
    if (condition) break;                                                                          \
    fprintf(stderr, "%s:%d: broken rule: %s\n", __FILE__, __LINE__, #condition);                   \
    abort();                                                                                       \
  } while (0)

/* A refusal has the status expected, and says something. */
static inline void fuzz_check_refusal(rh_status status, const rh_error *error, rh_status expected) {
  RULE(status == expected);
  RULE(error->status == status);
  RULE(error->message[0]);
  RULE(memchr(error->message, 0, sizeof error->message));
}

/* The input as a named file, the same every time. */
static inline const char *as_file(const void *bytes, size_t size) {
  static int fd = -1;
  static char path[64];
  if (fd < 0) fd = memfd_create("fuzz", MFD_CLOEXEC);
  RULE(ftruncate(fd, 0) == 0 && pwrite(fd, bytes, size, 0) == (ssize_t)size);
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  return path;
}

/* As a string, malloc'ed. */
static inline char *as_text(const uint8_t *data, size_t size) {
  char *text = calloc(1, size + 1);
  RULE(text);
  if (size) memcpy(text, data, size);
  return text;
}

#endif
