#include "base.h"

#include <signal.h>
#include <sys/syscall.h>

/* readdir() allocates memory, which a signal handler must not. */
typedef struct directory_entry {
  unsigned long long inode, offset;
  unsigned short length;
  unsigned char type;
  char name[];
} directory_entry;

/* The file lists numbers, each followed by a space. */
static int signal_listed(int fd, int number) {
  char bytes[512];
  int n = 0;
  pid_t pid = 0;
  ssize_t got;
  while ((got = read(fd, bytes, sizeof bytes)) > 0)
    for (ssize_t k = 0; k < got; k++) {
      if (bytes[k] >= '0' && bytes[k] <= '9') {
        pid = 10 * pid + (bytes[k] - '0');
      } else if (pid > 0) {
        kill(pid, number);
        pid = 0;
        n++;
      }
    }
  return n;
}

/* -1 if the file does not exist: the thread has ended, or the entry is not a thread. */
static int signal_of_thread(int tasks, const char *thread, int number) {
  char path[64] = "";
  if (*thread < '0' || *thread > '9' || strlen(thread) > 20) return -1;
  strcat(strcat(path, thread), "/children");
  int fd = openat(tasks, path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  int n = signal_listed(fd, number);
  close(fd);
  return n;
}

int rh_children_signal(int number) {
  _Alignas(directory_entry) char entries[2048];
  int tasks = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC), total = -1;
  long got;
  if (tasks < 0) return -1;
  while ((got = syscall(SYS_getdents64, tasks, entries, sizeof entries)) > 0)
    for (long at = 0; at < got;) {
      const directory_entry *entry = (const void *)(entries + at);
      int n = signal_of_thread(tasks, entry->name, number);
      if (n >= 0) total = total < 0 ? n : total + n;
      at += entry->length;
    }
  close(tasks);
  return total;
}
