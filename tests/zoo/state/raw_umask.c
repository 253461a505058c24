/* V58: changes the umask by a raw system call in run. */
#include "state.h"
#include <sys/syscall.h>
#include <unistd.h>

IN_RUN("raw_umask", "changes the umask by a raw system call in run") {
  syscall(SYS_umask, 0);
}
