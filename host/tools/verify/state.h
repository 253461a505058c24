/* The state of this process that a plugin must not change, as lines of text that can be compared.
 * The kernel is asked where it knows the answer: libc's own records miss changes made by raw system
 * calls. */
#pragma once

#include "../../core/base/text.h"

/* How a part is compared; 0: any difference counts. */
enum {
  RH_MAY_HOLD = 1 << 0, /* an instance may have more of it from setup to teardown */
  RH_MAY_GO =
      1 << 1, /* only additions count: drivers end their own threads and unmap their own files */
  RH_MAY_SETTLE = 1 << 2 /* the kernel or a driver releases it a moment later */
};

/* Each part with its name in messages and how it is compared, in the order of reports. */
#define RH_STATE_LIST(X)                                                                           \
  X(STREAMS, streams, "the standard streams", 0)                                                   \
  X(CHILDREN, children, "child processes", RH_MAY_GO)                                              \
  X(SIGNALS, signals, "signals and timers", 0)                                                     \
  X(ENVIRONMENT, environment, "the environment", 0)                                                \
  X(LOCALE, locale, "the locale", 0)                                                               \
  X(DIRECTORIES, directories, "directories and the file mode mask", 0)                             \
  X(ATTRIBUTES, attributes, "process attributes", 0)                                               \
  X(FLOATING, floating, "the floating-point control word", 0)                                      \
  X(DESCRIPTORS, descriptors, "open descriptors", RH_MAY_HOLD | RH_MAY_SETTLE)                     \
  X(THREADS, threads, "threads", RH_MAY_HOLD | RH_MAY_GO | RH_MAY_SETTLE)                          \
  X(CODE, code, "writable and executable memory", RH_MAY_GO | RH_MAY_SETTLE)                       \
  X(FILES, files, "mapped files", RH_MAY_HOLD | RH_MAY_GO | RH_MAY_SETTLE)                         \
  X(LIBRARIES, libraries, "loaded libraries", RH_MAY_GO)

enum {
#define RH_X(NAME, name, words, how) RH_STATE_##NAME,
  RH_STATE_LIST(RH_X)
#undef RH_X
      RH_STATE_PARTS
};

typedef struct rh_state_part {
  void (*take)(rh_text *to); /* adds its lines */
  const char *words;
  int how;
} rh_state_part;
extern const rh_state_part rh_state_parts[RH_STATE_PARTS];

/* Does a text have that line? */
int rh_state_has(const rh_text *lines, const char *line, size_t length);
/* The number of lines of a part now. */
unsigned rh_state_count(int part);

/* Bytes of anonymous private memory that malloc does not account for; 0 if malloc does not tell. */
uint64_t rh_state_other_memory(void);
