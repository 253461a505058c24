/* replay FILE|DIRECTORY...: one fuzz target on existing inputs.  It stops at a broken rule, after
 * printing the name of the input; a directory without files is an error. */
#include "fuzz.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

static unsigned n_tried;

static void fail(const char *path) {
  fprintf(stderr, "%s: %s\n", path, strerror(errno));
  exit(EXIT_FAILURE);
}

/* The input is in a block of exactly its size, so that a sanitizer sees reads beyond it. */
static void try_file(const char *path, size_t size) {
  FILE *file = fopen(path, "rb");
  uint8_t *bytes = malloc(size ? size : 1);
  if (!file || !bytes || fread(bytes, 1, size, file) != size) fail(path);
  fclose(file);
  printf("%s\n", path);
  fflush(stdout);
  LLVMFuzzerTestOneInput(bytes, size);
  free(bytes);
  n_tried++;
}

static void try_path(const char *path);

static int is_visible(const struct dirent *entry) {
  return entry->d_name[0] != '.';
}

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
  if (S_ISDIR(info.st_mode))
    try_directory(path);
  else
    try_file(path, (size_t)info.st_size);
}

int main(int argc, char **argv) {
  for (int k = 1; k < argc; k++) try_path(argv[k]);
  printf("%u inputs\n", n_tried);
  return n_tried ? EXIT_SUCCESS : EXIT_FAILURE;
}
