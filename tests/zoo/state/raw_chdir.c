/* V58: changes the working directory by a raw system call in setup. */
#include "state.h"
#include <sys/syscall.h>
#include <unistd.h>

IN_SETUP("raw_chdir", "changes the working directory by a raw system call in s") {
  syscall(SYS_chdir, "/");
}
