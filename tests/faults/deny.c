/* Starts a program without certain system calls, as containers and service managers do:
 *     deny EPERM|ENOSYS|EACCES NAME[,NAME]... PROGRAM [ARGUMENT]...
 * Its children lack them too. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NAMES(X)                                                                                   \
  X(clone3)                                                                                        \
  X(flock)                                                                                         \
  X(getcwd)                                                                                        \
  X(getrandom)                                                                                     \
  X(getxattr)                                                                                      \
  X(madvise)                                                                                       \
  X(membarrier)                                                                                    \
  X(memfd_create)                                                                                  \
  X(mkdir)                                                                                         \
  X(mremap)                                                                                        \
  X(pidfd_open)                                                                                    \
  X(pipe2)                                                                                         \
  X(poll)                                                                                          \
  X(prctl)                                                                                         \
  X(prlimit64)                                                                                     \
  X(sched_setaffinity)                                                                             \
  X(sendto)                                                                                        \
  X(setpgid)                                                                                       \
  X(socketpair)                                                                                    \
  X(statx)                                                                                         \
  X(sysinfo)                                                                                       \
  X(uname)                                                                                         \
  X(waitid)

static long number_of(const char *name) {
#define X(call)                                                                                    \
  if (strcmp(name, #call) == 0) return SYS_##call;
  NAMES(X)
#undef X
  return -1;
}

int main(int argc, char **argv) {
  enum { MOST = 32 };
  struct sock_filter filter[2 * MOST + 2];
  unsigned short n = 0, calls = 0;
  if (argc < 4) return 99;
  unsigned code = strcmp(argv[1], "ENOSYS") == 0   ? ENOSYS
                  : strcmp(argv[1], "EACCES") == 0 ? EACCES
                                                   : EPERM;
  filter[n++] =
      (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  for (char *rest = argv[2], *name; (name = strsep(&rest, ",")) && calls < MOST; calls++) {
    long number = number_of(name);
    if (number < 0) {
      fprintf(stderr, "deny: unknown call %s\n", name);
      return 99;
    }
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | code);
  }
  filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  struct sock_fprog program = {n, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0) {
    perror("deny: seccomp");
    return 77;
  }
  execv(argv[3], argv + 3);
  perror(argv[3]);
  return 99;
}
