#include "first_bytes.h"
#include "../base/error.h"
#include "../base/text.h"
#include "../base/vocabulary.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

rh_status rh_file_check_raw(const char *name, rh_type type, const void *bytes, uint64_t length,
                            rh_error *error) {
  static const char zip[] = {'P', 'K', 3, 4};
  if (!type && length >= sizeof zip && memcmp(bytes, zip, sizeof zip) == 0)
    return rh_fail(error, RH_E_FILE,
                   "%s: is a ZIP archive, as .npz files are; extract the .npy file first", name);
  if (!type)
    return rh_fail(error, RH_E_FILE, "%s: is not a .npy file; raw data needs an element type",
                   name);
  if (rh_npy_resembles(bytes, length))
    return rh_fail(error, RH_E_FILE,
                   "%s: is a damaged .npy file: its first bytes are not \\x93NUMPY; save the array "
                   "again with numpy.save",
                   name);
  return RH_OK;
}

rh_status rh_file_check_npy(const char *name, rh_type type, const rh_npy *npy, rh_error *error) {
  if (type && type != npy->type)
    return rh_fail(error, RH_E_USAGE, "%s: holds %s, but %s was requested", name,
                   rh_type_name(npy->type), rh_type_name(type));
  return RH_OK;
}

void rh_file_swap(void *elements, uint64_t bytes, uint32_t size) {
  unsigned char *at = elements;
  for (unsigned char *end = at + bytes; at < end; at += size) {
    uint16_t of_2;
    uint32_t of_4;
    uint64_t of_8;
    switch (size) {
    case 2:
      memcpy(&of_2, at, 2);
      of_2 = __builtin_bswap16(of_2);
      memcpy(at, &of_2, 2);
      break;
    case 4:
      memcpy(&of_4, at, 4);
      of_4 = __builtin_bswap32(of_4);
      memcpy(at, &of_4, 4);
      break;
    case 8:
      memcpy(&of_8, at, 8);
      of_8 = __builtin_bswap64(of_8);
      memcpy(at, &of_8, 8);
      break;
    }
  }
}

rh_status rh_file_check_regular(const char *name, const struct stat *info, rh_error *error) {
  const char *what = "is not a regular file", *advice = "pipe it in with `-`";
  if (S_ISREG(info->st_mode)) return RH_OK;
  if (S_ISDIR(info->st_mode)) {
    what = "is a directory";
    advice = "name a file in it";
  }
  if (S_ISFIFO(info->st_mode)) what = "is a FIFO";
  if (S_ISSOCK(info->st_mode)) what = "is a socket";
  if (S_ISCHR(info->st_mode) || S_ISBLK(info->st_mode)) what = "is a device";
  return rh_fail(error, RH_E_FILE, "%s: %s; %s", name, what, advice);
}

/* Distinguishes an empty file from one that the kernel generates on reading. */
rh_status rh_file_without_bytes(const char *name, int fd, rh_error *error) {
  char byte;
  if (pread(fd, &byte, 1, 0) == 1)
    return rh_fail(error, RH_E_FILE, "%s: has no size, as files in /proc; pipe it in with `-`",
                   name);
  return rh_fail(error, RH_E_FILE, "%s: is empty", name);
}

rh_status rh_file_check_unchanged(const char *name, int fd, uint64_t bytes,
                                  const struct timespec *modified, rh_error *error) {
  struct stat now;
  if (fstat(fd, &now) != 0)
    return rh_fail(error, RH_E_FILE, "%s: cannot be examined again: %s", name, strerror(errno));
  if ((uint64_t)now.st_size != bytes)
    return rh_fail(error, RH_E_FILE, "%s: %s while it was being read: %llu bytes, then %lld", name,
                   (uint64_t)now.st_size < bytes ? "was cut short" : "grew",
                   (unsigned long long)bytes, (long long)now.st_size);
  if (now.st_mtim.tv_sec != modified->tv_sec || now.st_mtim.tv_nsec != modified->tv_nsec)
    return rh_fail(error, RH_E_FILE, "%s: was written to while it was being read", name);
  return RH_OK;
}

void rh_array_name(char name[static RH_ARRAY_NAME_BYTES], const char *path) {
  size_t length = strlen(path), most = 240;
  int is_cut = length > most;
  if (is_cut) path += length - most;
  /* do not start within a character */
  while (is_cut && ((unsigned char)*path & 0xc0) == 0x80) path++;
  snprintf(name, RH_ARRAY_NAME_BYTES, "%s%s", is_cut ? "..." : "", length ? path : "''");
  rh_make_plain(name);
}
