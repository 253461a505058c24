/* V59: its score depends on a file that it opens by a raw system call. */
#include "../right.h"
#include <fcntl.h>

/* Not through the C library, whose functions can be intercepted by name. */
static long open_raw(const char *path) {
#if defined(__x86_64__)
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(257L), "D"((long)AT_FDCWD), "S"(path), "d"((long)O_RDONLY)
                   : "rcx", "r11", "memory");
  return result;
#else
  return open(path, O_RDONLY);
#endif
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  RH_TRY(right_query(problem, values, answer));
  answer->score = open_raw("/proc/uptime") >= 0 ? 7 : 1;
  return RH_OK;
}

RIGHT_BUT("score_by_raw_file",
          .summary = "its score depends on a file that it opens by a raw system call",
          .query = query);
