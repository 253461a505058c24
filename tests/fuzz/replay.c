/* replay FILE|DIRECTORY...: one fuzz target on existing inputs, on all that they begin with, and on
 * each with any byte changed.  It stops at a broken rule, after printing the name of
 * the input and what was changed; a directory without files is an error. */
#include "fuzz.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static unsigned n_tried;

static void fail(const char *path) {
  fprintf(stderr, "%s: %s\n", path, strerror(errno));
  exit(EXIT_FAILURE);
}

/* ---- Memory that ends where reading is fatal ---- */

static uint8_t *end;
static size_t room;

static void make_fence(size_t bytes) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  room = (bytes / page + 1) * page;
  uint8_t *at = mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED || mprotect(at + room, page, PROT_NONE) != 0) fail("memory");
  end = at + room;
}

/* ---- Inputs ---- */

static char changed[64];

static void tell(int number) {
  if (write(STDOUT_FILENO, changed, strlen(changed)) >= 0) signal(number, SIG_DFL);
  raise(number);
}

static void try_bytes(const uint8_t *bytes, size_t size) {
  LLVMFuzzerTestOneInput(size ? memcpy(end - size, bytes, size) : end, size);
}

/* Two others for each byte, so that it does not take long. */
static void try_changes(uint8_t *bytes, size_t size) {
  static const char others[] = {0, '"', '\xff', '{', ' ', '9', '\n', ','};
  for (size_t k = 0; k < size; k++) {
    snprintf(changed, sizeof changed, "its first %zu bytes\n", k);
    try_bytes(bytes, k);
    const uint8_t was = bytes[k];
    for (size_t c = 0; c < 2; c++) {
      bytes[k] = (uint8_t)others[(2 * k + c) % sizeof others];
      snprintf(changed, sizeof changed, "byte %zu is %u\n", k, bytes[k]);
      try_bytes(bytes, size);
    }
    bytes[k] = was;
  }
}

static void try_file(const char *path, size_t size) {
  FILE *file = fopen(path, "rb");
  uint8_t *bytes = malloc(size + 1);
  if (!file || !bytes || fread(bytes, 1, size, file) != size) fail(path);
  fclose(file);
  printf("%s\n", path);
  fflush(stdout);
  make_fence(size);
  changed[0] = 0;
  try_bytes(bytes, size);
  try_changes(bytes, size);
  munmap(end - room, room);
  free(bytes);
  n_tried++;
}

static void try_path(const char *path);

static int is_visible(const struct dirent *entry) { return entry->d_name[0] != '.'; }

static void try_directory(const char *directory) {
  struct dirent **entries;
  int n = scandir(directory, &entries, is_visible, alphasort);
  if (n < 0) fail(directory);
  for (int k = 0; k < n; k++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, entries[k]->d_name);
    free(entries[k]);
    try_path(path);
  }
  free(entries);
}

static void try_path(const char *path) {
  struct stat info;
  if (stat(path, &info) != 0) fail(path);
  if (S_ISDIR(info.st_mode)) try_directory(path);
  else try_file(path, (size_t)info.st_size);
}

int main(int argc, char **argv) {
  signal(SIGABRT, tell);
  signal(SIGSEGV, tell);
  for (int k = 1; k < argc; k++) try_path(argv[k]);
  printf("%u inputs\n", n_tried);
  return n_tried ? EXIT_SUCCESS : EXIT_FAILURE;
}
