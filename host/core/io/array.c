#include "array.h"
#include "../base/error.h"
#include "../base/log.h"
#include "../base/text.h"
#include "../base/vocabulary.h"
#include "npy.h"
#include "pace.h"
#include "stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint64_t copied_at_once = 4u << 20; /* bytes between two progress reports */

/* The arguments of rh_array_open, and the bytes after reading. */
typedef struct source {
  const char *name; /* in messages */
  rh_type type;     /* requested by the caller; 0: none */
  const rh_reporter *reporter;
  rh_region region; /* owned by this source until an array takes it over */
  uint64_t length;
  int in_memory; /* 1: the region may be written */
} source;

/* ---- Raw or .npy: checks that need the first bytes only ---------------------------------- */

static rh_status check_raw(const source *src, const void *bytes, uint64_t length, rh_error *error) {
  static const char zip[] = {'P', 'K', 3, 4};
  if (!src->type && length >= sizeof zip && memcmp(bytes, zip, sizeof zip) == 0)
    return rh_fail(error, RH_E_FILE,
                   "%s: is a ZIP archive, as .npz files are; extract the .npy file first",
                   src->name);
  if (!src->type)
    return rh_fail(error, RH_E_FILE, "%s: is not a .npy file; raw data needs an element type",
                   src->name);
  if (rh_npy_resembles(bytes, length))
    return rh_fail(error, RH_E_FILE,
                   "%s: is a damaged .npy file: its first bytes are not \\x93NUMPY; save the array "
                   "again with numpy.save",
                   src->name);
  return RH_OK;
}

static rh_status check_npy(const source *src, const rh_npy *npy, rh_error *error) {
  if (src->type && src->type != npy->type)
    return rh_fail(error, RH_E_USAGE, "%s: holds %s, but %s was requested", src->name,
                   rh_type_name(npy->type), rh_type_name(src->type));
  return RH_OK;
}

/* ---- Elements in the wrong order or place ---------------------------------------------------- */

static void swap_bytes(void *elements, uint64_t bytes, uint32_t size) {
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

/* Moves the data to the start of `to`, which may be the source's own region, and swaps bytes if
 * needed. */
static rh_status copy_elements(const source *src, const rh_npy *npy, void *to, rh_error *error) {
  const char *data = (const char *)src->region.address + npy->data_offset;
  rh_pace pace = {.reporter = src->reporter, .phase = "reading"};
  for (uint64_t done = 0; done < npy->data_bytes;) {
    uint64_t bytes = npy->data_bytes - done;
    if (bytes > copied_at_once) bytes = copied_at_once;
    RH_TRY(rh_pace_report(&pace, done, npy->data_bytes, error));
    char *part = (char *)to + done;
    memmove(part, data + done, bytes);
    if (npy->swapped) swap_bytes(part, bytes, rh_type_size(npy->type));
    done += bytes;
  }
  return RH_OK;
}

/* Makes the elements, at *offset of the region, native-endian and aligned; copies only if
 * necessary. */
static rh_status arrange_elements(source *src, const rh_npy *npy, uint64_t *offset,
                                  rh_error *error) {
  int aligned = npy->data_offset % rh_type_size(npy->type) == 0;
  *offset = npy->data_offset;
  if (aligned && !npy->swapped) return RH_OK;
  if (src->in_memory && aligned) {
    swap_bytes((char *)src->region.address + *offset, npy->data_bytes, rh_type_size(npy->type));
    return RH_OK;
  }
  *offset = 0;
  if (src->in_memory) return copy_elements(src, npy, src->region.address, error);

  rh_region copy = {0};
  rh_status status = rh_region_alloc_shared(&copy, npy->data_bytes, error);
  if (status != RH_OK)
    rh_error_prefix(error, "%s", src->name);
  else
    status = copy_elements(src, npy, copy.address, error);
  if (status != RH_OK) {
    rh_region_finish(&copy);
    return status;
  }
  rh_region_finish(&src->region);
  src->region = copy;
  return RH_OK;
}

/* ---- Moving the region into the array
 * --------------------------------------------------------- */

static void warn_of_trailing_bytes(const source *src, uint64_t bytes) {
  if (bytes == 0) return;
  if (src->in_memory) /* the stream was not read to its end */
    rh_log(src->reporter, RH_LOG_WARNING, "%s: bytes after the data are ignored", src->name);
  else
    rh_log(src->reporter, RH_LOG_WARNING, "%s: %llu bytes after the data are ignored", src->name,
           (unsigned long long)bytes);
}

static rh_status take_npy(rh_array *array, source *src, const rh_npy *npy, rh_error *error) {
  uint64_t there = src->length - npy->data_offset, offset;
  if (there < npy->data_bytes)
    return rh_fail(
        error, RH_E_FILE,
        "%s: shape %s of %s needs %llu bytes, only %llu are there; is the copy complete?",
        src->name, npy->shape, rh_type_name(npy->type), (unsigned long long)npy->data_bytes,
        (unsigned long long)there);
  warn_of_trailing_bytes(src, there - npy->data_bytes);
  RH_TRY(arrange_elements(src, npy, &offset, error));
  *array = (rh_array){.type = npy->type,
                      .n = npy->n,
                      .region = src->region,
                      .offset_bytes = offset,
                      .dimensions = npy->dimensions,
                      .fortran_order = npy->fortran_order && npy->dimensions > 1};
  memcpy(array->shape, npy->shape, sizeof array->shape);
  return RH_OK;
}

static rh_status take_raw(rh_array *array, const source *src, rh_error *error) {
  uint32_t size = rh_type_size(src->type);
  if (src->length % size != 0)
    return rh_fail(error, RH_E_FILE, "%s: %llu bytes is not a multiple of %u, the size of %s",
                   src->name, (unsigned long long)src->length, size, rh_type_name(src->type));
  *array = (rh_array){
      .type = src->type, .n = src->length / size, .region = src->region, .dimensions = 1};
  return RH_OK;
}

/* ---- Files ----------------------------------------------------------------------------------- */

static rh_status check_is_regular(const char *name, const struct stat *info, rh_error *error) {
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
static rh_status fail_for_no_bytes(const char *name, int fd, rh_error *error) {
  char byte;
  if (pread(fd, &byte, 1, 0) == 1)
    return rh_fail(error, RH_E_FILE, "%s: has no size, as files in /proc; pipe it in with `-`",
                   name);
  return rh_fail(error, RH_E_FILE, "%s: is empty", name);
}

static rh_status check_unchanged(const char *name, int fd, uint64_t bytes,
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

rh_status rh_array_check_unchanged(const rh_array *array, const char *name, rh_error *error) {
  if (!array->file_bytes || array->region.own) return RH_OK;
  return check_unchanged(name, array->region.file, array->file_bytes, &array->modified, error);
}

static rh_status map_file(source *src, int fd, uint64_t bytes, rh_error *error) {
  rh_error why = {0};
  rh_status status = rh_region_map(&src->region, fd, bytes, src->name, &why);
  if (status != RH_OK) return rh_fail(error, status, "%s; pipe it in with `-`", why.message);
  src->length = bytes;
  return RH_OK;
}

/* Makes an array of the mapped file. */
static rh_status take_mapped(rh_array *array, source *src, rh_error *error) {
  if (!rh_npy_has_magic(src->region.address, src->length)) {
    RH_TRY(check_raw(src, src->region.address, src->length, error));
    return take_raw(array, src, error);
  }
  rh_npy npy;
  RH_TRY(rh_npy_parse(&npy, src->region.address, src->length, src->name, error));
  RH_TRY(check_npy(src, &npy, error));
  return take_npy(array, src, &npy, error);
}

/* Checks for changes of the file here if elements were copied; otherwise after the reduction. */
static rh_status take_whole(rh_array *array, source *src, int fd, const struct stat *info,
                            rh_error *error) {
  rh_status status = take_mapped(array, src, error);
  rh_status of_file =
      check_unchanged(src->name, fd, (uint64_t)info->st_size, &info->st_mtim, error);
  array->file_bytes = (uint64_t)info->st_size;
  array->modified = info->st_mtim;
  if (status == RH_OK && of_file == RH_OK) return RH_OK;
  rh_region_finish(&src->region);
  *array = (rh_array){0};
  return of_file != RH_OK ? of_file : status;
}

static rh_status take_file(rh_array *array, source *src, int fd, rh_error *error) {
  struct stat info;
  if (fstat(fd, &info) != 0)
    return rh_fail(error, RH_E_FILE, "%s: cannot be opened: %s", src->name, strerror(errno));
  RH_TRY(check_is_regular(src->name, &info, error)); /* the file may have been replaced */
  if (info.st_size <= 0) return fail_for_no_bytes(src->name, fd, error);
  RH_TRY(map_file(src, fd, (uint64_t)info.st_size, error));
  return take_whole(array, src, fd, &info, error);
}

static rh_status open_file(rh_array *array, source *src, const char *path, rh_error *error) {
  struct stat info;
  /* Checked before opening, because opening a device or a socket may have side effects or fail
   * with an obscure error. */
  int fd = stat(path, &info);
  if (fd == 0) {
    RH_TRY(check_is_regular(src->name, &info, error));
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK); /* never waits for a FIFO */
  }
  if (fd < 0)
    return rh_fail(error, RH_E_FILE, "%s: cannot be opened: %s", src->name, strerror(errno));
  rh_status status = take_file(array, src, fd, error);
  close(fd);
  return status;
}

/* ---- Standard input -------------------------------------------------------------------------- */

/* Reads until the format is known, and then only as many bytes as needed. */
static rh_status read_stream(rh_stream *stream, source *src, rh_npy *npy, int *is_npy,
                             rh_error *error) {
  uint64_t wanted = 0;
  do {
    RH_TRY(rh_stream_fill(stream, wanted, 0, error));
    wanted = rh_npy_wanted(stream->region.address, stream->length);
  } while (stream->length < wanted && !stream->ended);
  if (stream->length == 0)
    return rh_fail(error, RH_E_FILE, "%s: no data on standard input", src->name);

  *is_npy = rh_npy_has_magic(stream->region.address, stream->length);
  if (!*is_npy) {
    RH_TRY(check_raw(src, stream->region.address, stream->length, error));
    return rh_stream_fill(stream, UINT64_MAX, 0, error);
  }
  RH_TRY(rh_npy_parse(npy, stream->region.address, stream->length, src->name, error));
  RH_TRY(check_npy(src, npy, error));
  uint64_t end = npy->data_offset + npy->data_bytes;
  if (end < npy->data_bytes || end == UINT64_MAX) end = UINT64_MAX - 1;
  return rh_stream_fill(stream, end + 1, end, error); /* one byte more, to detect trailing data */
}

static rh_status take_stream(rh_array *array, source *src, int fd, rh_error *error) {
  rh_stream stream = {
      .fd = fd, .name = src->name, .pace = {.reporter = src->reporter, .phase = "reading"}};
  rh_npy npy;
  int is_npy = 0;
  rh_status status = read_stream(&stream, src, &npy, &is_npy, error);
  rh_stream_trim(&stream);
  src->region = stream.region;
  src->length = stream.length;
  src->in_memory = 1;
  if (status == RH_OK)
    status = is_npy ? take_npy(array, src, &npy, error) : take_raw(array, src, error);
  if (status != RH_OK) rh_region_finish(&src->region);
  return status;
}

static rh_status open_standard_input(rh_array *array, source *src, rh_error *error) {
  struct stat info;
  const int fd = STDIN_FILENO;
  if (fstat(fd, &info) != 0)
    return rh_fail(error, RH_E_FILE, "%s: no data on standard input, which is closed", src->name);
  if (isatty(fd))
    return rh_fail(error, RH_E_FILE,
                   "%s: standard input is a terminal; pipe the data in or name a file", src->name);
  /* A file at its beginning is mapped; if that fails, it is read. */
  if (S_ISREG(info.st_mode) && info.st_size > 0 && lseek(fd, 0, SEEK_CUR) == 0 &&
      map_file(src, fd, (uint64_t)info.st_size, NULL) == RH_OK)
    return take_whole(array, src, fd, &info, error);
  return take_stream(array, src, fd, error);
}

/* ---- Opening and closing --------------------------------------------------------------------- */

void rh_array_name(char name[static RH_ARRAY_NAME_BYTES], const char *path) {
  size_t length = strlen(path), most = 240;
  int is_cut = length > most;
  if (is_cut) path += length - most;
  /* do not start within a character */
  while (is_cut && ((unsigned char)*path & 0xc0) == 0x80) path++;
  snprintf(name, RH_ARRAY_NAME_BYTES, "%s%s", is_cut ? "..." : "", length ? path : "''");
  rh_make_plain(name);
}

rh_status rh_array_open(rh_array *array, const char *path, rh_type type,
                        const rh_reporter *reporter, rh_error *error) {
  char name[RH_ARRAY_NAME_BYTES];
  *array = (rh_array){0};
  rh_array_name(name, path);
  source src = {.name = name, .type = type, .reporter = reporter};
  if (type && !rh_type_size(type))
    return rh_fail(error, RH_E_USAGE, "%s: type number %u is unknown", name, type);
  if (strcmp(path, "-") == 0) return open_standard_input(array, &src, error);
  return open_file(array, &src, path, error);
}

void rh_array_finish(rh_array *array) {
  rh_region_finish(&array->region);
  *array = (rh_array){0};
}
