/* What the tests of host/tools/isolate share: programs that are their own children, and what the
 * parent says meanwhile. */
#ifndef RH_TEST_CHILD_SUPPORT_H
#define RH_TEST_CHILD_SUPPORT_H

#include <limits.h>
#include <signal.h>

#include "../../host/tools/isolate/internal.h"
#include "../suite/suite.h"

static char self[PATH_MAX];

static inline int find_self(void) { return readlink("/proc/self/exe", self, sizeof self - 1) > 0; }

/* More than the parent takes. */
static inline void flood(void) {
  static char stars[1 << 16];
  memset(stars, '*', sizeof stars);
  while (write(4, stars, sizeof stars) > 0) continue;
  _exit(8);
}

/* Lines of no meaning, with "|" between them. */
static inline void assert_garbage(const char *lines, int is_own, uint32_t op, rh_type type) {
  rh_peer_message message;
  for (const char *at = lines, *end; at; at = *end ? end + 1 : NULL) {
    end = strchrnul(at, '|');
    ck_assert_msg(rh_peer_line_read(at, (size_t)(end - at), is_own, op, type, &message) ==
                      RH_PEER_GARBAGE,
                  "'%.*s' is accepted", (int)(end - at), at);
  }
}

static char logged[4096], reported[4096];
static int cancels;

static inline void on_log(void *user, uint32_t level, const char *text) {
  (void)user;
  size_t used = strlen(logged);
  snprintf(logged + used, sizeof logged - used, "%u %s\n", level, text);
}

static inline int on_progress(void *user, const char *phase, uint64_t done, uint64_t total) {
  (void)user;
  if (strcmp(phase, "peer") != 0) {
    size_t used = strlen(reported);
    snprintf(reported + used, sizeof reported - used, "%s ", phase);
  }
  (void)done;
  (void)total;
  return cancels;
}

#endif
