#include "../../core/data/array.h"
#include "../../core/base/error.h"
#include "../../core/base/log.h"
#include "../../core/base/vocabulary.h"
#include "../../core/data/pace.h"
#include "feed.h"
#include "first_bytes.h"
#include "npy.h"

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
    if (npy->swapped) rh_file_swap(part, bytes, rh_type_size(npy->type));
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
    rh_file_swap((char *)src->region.address + *offset, npy->data_bytes, rh_type_size(npy->type));
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
                      .fortran_order = npy->fortran_order && npy->long_dimensions > 1};
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

rh_status rh_array_check_unchanged(const rh_array *array, const char *name, rh_error *error) {
  if (!array->file_bytes || array->region.own) return RH_OK;
  return rh_file_check_unchanged(name, array->region.file, array->file_bytes, &array->modified,
                                 error);
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
    RH_TRY(rh_file_check_raw(src->name, src->type, src->region.address, src->length, error));
    return take_raw(array, src, error);
  }
  rh_npy npy;
  RH_TRY(rh_npy_parse(&npy, src->region.address, src->length, src->name, error));
  RH_TRY(rh_file_check_npy(src->name, src->type, &npy, error));
  return take_npy(array, src, &npy, error);
}

/* Checks for changes of the file here if elements were copied; otherwise after the reduction. */
static rh_status take_whole(rh_array *array, source *src, int fd, const struct stat *info,
                            rh_error *error) {
  rh_status status = take_mapped(array, src, error);
  rh_status of_file =
      rh_file_check_unchanged(src->name, fd, (uint64_t)info->st_size, &info->st_mtim, error);
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
  RH_TRY(rh_file_check_regular(src->name, &info, error)); /* the file may have been replaced */
  if (info.st_size <= 0) return rh_file_without_bytes(src->name, fd, error);
  RH_TRY(map_file(src, fd, (uint64_t)info.st_size, error));
  return take_whole(array, src, fd, &info, error);
}

static rh_status open_file(rh_array *array, source *src, const char *path, rh_error *error) {
  struct stat info;
  /* Checked before opening, because opening a device or a socket may have side effects or fail
   * with an obscure error. */
  int fd = stat(path, &info);
  if (fd == 0) {
    RH_TRY(rh_file_check_regular(src->name, &info, error));
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK); /* never waits for a FIFO */
  }
  if (fd < 0)
    return rh_fail(error, RH_E_FILE, "%s: cannot be opened: %s", src->name, strerror(errno));
  rh_status status = take_file(array, src, fd, error);
  close(fd);
  return status;
}

rh_status rh_array_take_feed(rh_array *array, rh_feed *feed, const rh_reporter *reporter,
                             rh_error *error) {
  source src = {.name = feed->name,
                .type = feed->type,
                .reporter = reporter,
                .region = feed->head.region,
                .length = feed->head.length,
                .in_memory = 1};
  *array = (rh_array){0};
  rh_stream_trim(&feed->head);
  src.region = feed->head.region;
  feed->head.region = (rh_region){0};
  rh_status status =
      feed->is_npy ? take_npy(array, &src, &feed->npy, error) : take_raw(array, &src, error);
  if (status != RH_OK) rh_region_finish(&src.region);
  return status;
}

static rh_status open_standard_input(rh_array *array, source *src, rh_error *error) {
  struct stat info;
  const int fd = STDIN_FILENO;
  /* A file at its beginning is mapped; if that fails, it is read. */
  if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0 &&
      lseek(fd, 0, SEEK_CUR) == 0 && map_file(src, fd, (uint64_t)info.st_size, NULL) == RH_OK)
    return take_whole(array, src, fd, &info, error);
  rh_feed feed;
  rh_status status = rh_feed_open_pipe(&feed, src->type, src->reporter, error);
  if (status == RH_OK) status = rh_feed_gather(&feed, UINT64_MAX, error);
  if (status == RH_OK) status = rh_array_take_feed(array, &feed, src->reporter, error);
  rh_feed_finish(&feed);
  return status;
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
