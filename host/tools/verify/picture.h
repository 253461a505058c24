/* A picture of this process: everything that a plugin has to leave as it found it, as text that can
 * be compared. */
#ifndef RH_VERIFY_PICTURE_H
#define RH_VERIFY_PICTURE_H

#include "../../core/base/text.h"

/* How a part of the picture is judged; 0: any difference counts. */
enum {
  RH_MAY_HOLD = 1 << 0, /* an instance may have more of it from setup to teardown */
  RH_MAY_GO =
      1 << 1, /* only what is new counts: drivers end threads and unmap files of their own */
  RH_MAY_SETTLE = 1 << 2 /* the kernel or a driver lets go of it a moment later */
};

/* Each part with the words for messages and how it is judged, in the order of being reported. */
#define RH_PICTURE_LIST(X)                                                                         \
  X(STREAMS, streams, "the standard streams", 0)                                                   \
  X(CHILDREN, children, "child processes", RH_MAY_GO)                                              \
  X(ACTIONS, actions, "signal actions", 0)                                                         \
  X(MASK, mask, "blocked signals", 0)                                                              \
  X(STACK, stack, "the signal stack", 0)                                                           \
  X(TIMERS, timers, "timers", 0)                                                                   \
  X(ENVIRONMENT, environment, "the environment", 0)                                                \
  X(LOCALE, locale, "the locale", 0)                                                               \
  X(DIRECTORIES, directories, "directories", 0)                                                    \
  X(STATUS, status, "process attributes", 0)                                                       \
  X(SETTINGS, settings, "process settings", 0)                                                     \
  X(LIMITS, limits, "resource limits", 0)                                                          \
  X(SCHEDULING, scheduling, "scheduling", 0)                                                       \
  X(FLOATING, floating, "the floating-point control word", 0)                                      \
  X(DESCRIPTORS, descriptors, "open descriptors", RH_MAY_HOLD | RH_MAY_SETTLE)                     \
  X(THREADS, threads, "threads", RH_MAY_HOLD | RH_MAY_GO | RH_MAY_SETTLE)                          \
  X(CODE, code, "writable and executable memory", RH_MAY_GO | RH_MAY_SETTLE)                       \
  X(FILES, files, "mapped files", RH_MAY_HOLD | RH_MAY_GO | RH_MAY_SETTLE)                         \
  X(LIBRARIES, libraries, "loaded libraries", RH_MAY_GO)

enum {
#define RH_X(NAME, name, words, how) RH_PICTURE_##NAME,
  RH_PICTURE_LIST(RH_X)
#undef RH_X
      RH_PICTURE_PARTS
};

#define RH_X(NAME, name, words, how) void rh_take_##name(rh_text *to);
RH_PICTURE_LIST(RH_X)
#undef RH_X

const char *rh_picture_words(int part);
int rh_picture_how(int part);

/* Each part is lines of lines.h */
typedef struct rh_picture {
  rh_text parts[RH_PICTURE_PARTS];
} rh_picture;

/* The truth is the kernel's: what libc remembers of signals or the umask says nothing of raw system
 * calls. */
void rh_picture_take(rh_picture *picture, uint32_t without); /* bits of parts to leave out */
void rh_picture_finish(rh_picture *picture);

/* One part, in place of what was there. */
void rh_picture_take_part(rh_picture *picture, int part);

/* Bytes of private memory without a file that malloc does not know of; 0 where malloc does not
 * tell. */
uint64_t rh_picture_other_memory(void);

#endif
