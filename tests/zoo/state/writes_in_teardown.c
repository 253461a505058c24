/* V58: writes to standard output by a raw system call in teardown. */
#include "state.h"
#include <sys/syscall.h>
#include <unistd.h>

IN_TEARDOWN("writes_in_teardown", "writes to standard output by a raw system call in teard") {
  syscall(SYS_write, 1, "x", 1);
}
