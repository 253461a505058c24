/* V58: maps a file in the first setup and leaves it mapped. */
#include "state.h"
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

IN_SETUP("keeps_file_mapped", "maps a file in the first setup and leaves it mapped") {
  static void *mapped;
  if (mapped) return;
  int file = memfd_create("zoo", MFD_CLOEXEC);
  if (ftruncate(file, 4096) == 0)
    mapped = (void *)syscall(SYS_mmap, NULL, 4096, PROT_READ, MAP_SHARED, file, 0);
  close(file);
}
