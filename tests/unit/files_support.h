/* Files by name, in a folder that belongs to the whole program: to the parent of Check's children,
 * so that it is removed whatever becomes of them. */
#ifndef RH_TEST_FILES_SUPPORT_H
#define RH_TEST_FILES_SUPPORT_H

#include "../core/folder.h"

static char directory[64];

/* The full name of a file there; good for two uses at a time. */
static inline const char *in_dir(const char *name) {
  static char paths[2][512];
  static int k;
  k = !k;
  snprintf(paths[k], sizeof paths[k], "%s/%s", directory, name);
  return paths[k];
}

static inline const char *write_file(const char *name, const void *bytes, size_t length) {
  const char *path = in_dir(name);
  FILE *file = fopen(path, "wb");
  ck_assert_ptr_nonnull(file);
  ck_assert_uint_eq(fwrite(bytes, 1, length, file), length);
  ck_assert_int_eq(fclose(file), 0);
  return path;
}

static inline void make_directory(void) { make_folder(directory, sizeof directory); }

static inline void remove_directory(void) { remove_folder(directory); }

ONCE(make_directory, remove_directory)

#endif
