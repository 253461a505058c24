/* A folder for a test's files. */
#ifndef RH_TEST_FOLDER_H
#define RH_TEST_FOLDER_H

#include "../suite/suite.h"

#include <ftw.h>
#include <sys/stat.h>

/* Others may enter it, for tests that give up their rights. */
static inline void make_folder(char *path, size_t size) {
  snprintf(path, size, "/tmp/redhost-test-XXXXXX");
  if (!mkdtemp(path) || chmod(path, 0755) != 0) abort();
}

static inline int remove_one(const char *path, const struct stat *info, int flag, struct FTW *ftw) {
  (void)info;
  (void)flag;
  (void)ftw;
  return remove(path);
}

static inline void remove_folder(const char *path) {
  nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
