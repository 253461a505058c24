/* A snapshot of this process: all the state that a plugin must not change, as text that can be
 * compared. */
#pragma once

#include "../../core/base/text.h"

/* How a part of the snapshot is compared; 0: any difference counts. */
enum {
  RH_MAY_HOLD = 1 << 0, /* an instance may have more of it from setup to teardown */
  RH_MAY_GO =
      1 << 1, /* only additions count: drivers end their own threads and unmap their own files */
  RH_MAY_SETTLE = 1 << 2 /* the kernel or a driver releases it a moment later */
};

/* Each part with its name in messages and how it is compared, in the order of reports. */
#define RH_SNAPSHOT_LIST(X)                                                                        \
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
#define RH_X(NAME, name, words, how) RH_SNAPSHOT_##NAME,
  RH_SNAPSHOT_LIST(RH_X)
#undef RH_X
      RH_SNAPSHOT_PARTS
};

#define RH_X(NAME, name, words, how) void rh_take_##name(rh_text *to);
RH_SNAPSHOT_LIST(RH_X)
#undef RH_X

const char *rh_snapshot_words(int part);
int rh_snapshot_how(int part);

/* Each part is lines of lines.h */
typedef struct rh_snapshot {
  rh_text parts[RH_SNAPSHOT_PARTS];
} rh_snapshot;

/* Asks the kernel: libc's own records miss changes made by raw system calls. */
void rh_snapshot_take(rh_snapshot *snapshot, uint32_t without); /* bits of parts to leave out */
void rh_snapshot_finish(rh_snapshot *snapshot);

/* Replaces one part. */
void rh_snapshot_take_part(rh_snapshot *snapshot, int part);

/* Bytes of anonymous private memory that malloc does not account for; 0 if malloc does not tell. */
uint64_t rh_snapshot_other_memory(void);
