#include "../../core/data/array.h"
#include "../../core/base/error.h"
#include "../../core/base/log.h"
#include "../../core/base/vocabulary.h"
#include "../../core/data/pace.h"
#include "feed.h"
#include "first_bytes.h"

#include <string.h>
#include <unistd.h>

static const uint64_t copied_at_once = 4u << 20; /* bytes between two progress reports */

/* What an array is made of: the file, mapped, or the pipe in memory. */
typedef struct source {
  const rh_feed *feed;
  rh_region region; /* owned by this source until an array takes it over */
  uint64_t length;
  int in_memory; /* 1: the region may be written */
} source;

/* Moves the data to the start of `to`, which may be the source's own region, and swaps bytes if
 * needed. */
static rh_status copy_elements(const source *src, void *to, rh_error *error) {
  const rh_npy *npy = &src->feed->npy;
  const char *data = (const char *)src->region.address + npy->data_offset;
  rh_pace pace = {.reporter = src->feed->reporter, .phase = "reading"};
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
static rh_status arrange_elements(source *src, uint64_t *offset, rh_error *error) {
  const rh_npy *npy = &src->feed->npy;
  int aligned = npy->data_offset % rh_type_size(npy->type) == 0;
  *offset = npy->data_offset;
  if (aligned && !npy->swapped) return RH_OK;
  if (src->in_memory && aligned) {
    rh_file_swap((char *)src->region.address + *offset, npy->data_bytes, rh_type_size(npy->type));
    return RH_OK;
  }
  *offset = 0;
  if (src->in_memory) return copy_elements(src, src->region.address, error);

  rh_region copy = {0};
  rh_status status = rh_region_alloc_shared(&copy, npy->data_bytes, error);
  if (status != RH_OK)
    rh_error_prefix(error, "%s", src->feed->name);
  else
    status = copy_elements(src, copy.address, error);
  if (status != RH_OK) {
    rh_region_finish(&copy);
    return status;
  }
  rh_region_finish(&src->region);
  src->region = copy;
  return RH_OK;
}

/* ---- Moving the region into the array ---- */

static void warn_of_trailing_bytes(const source *src) {
  const rh_feed *feed = src->feed;
  if (!src->in_memory)
    rh_feed_warn(feed);
  else if (src->length - feed->data_offset > feed->npy.data_bytes) /* it was not read to its end */
    rh_log(feed->reporter, RH_LOG_WARNING, "%s: bytes after the data are ignored", feed->name);
}

static rh_status take_npy(rh_array *array, source *src, rh_error *error) {
  const rh_npy *npy = &src->feed->npy;
  uint64_t offset;
  warn_of_trailing_bytes(src);
  RH_TRY(arrange_elements(src, &offset, error));
  *array = (rh_array){.type = npy->type,
                      .n = npy->n,
                      .region = src->region,
                      .offset_bytes = offset,
                      .dimensions = npy->dimensions,
                      .fortran_order = npy->fortran_order && npy->long_dimensions > 1};
  memcpy(array->shape, npy->shape, sizeof array->shape);
  return RH_OK;
}

static rh_status take_source(rh_array *array, source *src, rh_error *error) {
  const rh_feed *feed = src->feed;
  RH_TRY(rh_feed_check_bytes(feed, src->length - feed->data_offset, error));
  if (feed->is_npy) return take_npy(array, src, error);
  *array = (rh_array){.type = feed->type,
                      .n = src->length / rh_type_size(feed->type),
                      .region = src->region,
                      .dimensions = 1};
  return RH_OK;
}

rh_status rh_array_check_unchanged(const rh_array *array, const char *name, rh_error *error) {
  if (!array->file_bytes || array->region.own) return RH_OK;
  return rh_file_check_unchanged(name, array->region.file, array->file_bytes, &array->modified,
                                 error);
}

/* Checks for changes of the file here if elements were copied; otherwise after the reduction. */
static rh_status take_mapped(rh_array *array, const rh_feed *feed, rh_region region,
                             rh_error *error) {
  source src = {.feed = feed, .region = region, .length = feed->file_bytes};
  rh_status status = take_source(array, &src, error);
  rh_status of_file = rh_feed_check_unchanged(feed, error);
  array->file_bytes = feed->file_bytes;
  array->modified = feed->modified;
  if (status == RH_OK && of_file == RH_OK) return RH_OK;
  rh_region_finish(&src.region);
  *array = (rh_array){0};
  return of_file != RH_OK ? of_file : status;
}

/* Reads it to its end. */
static rh_status take_pipe(rh_array *array, rh_feed *feed, rh_error *error) {
  RH_TRY(rh_feed_gather(feed, UINT64_MAX, error));
  rh_stream_trim(&feed->head);
  source src = {
      .feed = feed, .region = feed->head.region, .length = feed->head.length, .in_memory = 1};
  feed->head.region = (rh_region){0};
  rh_status status = take_source(array, &src, error);
  if (status != RH_OK) rh_region_finish(&src.region);
  return status;
}

rh_status rh_array_take_feed(rh_array *array, rh_feed *feed, rh_error *error) {
  rh_region region;
  rh_error why = {0};
  *array = (rh_array){0};
  if (feed->is_pipe) return take_pipe(array, feed, error);
  RH_TRY(rh_feed_check_unchanged(feed, error));
  rh_status status = rh_region_map(&region, feed->fd, feed->file_bytes, feed->name, &why);
  if (status == RH_OK) return take_mapped(array, feed, region, error);
  if (feed->fd != STDIN_FILENO)
    return rh_fail(error, status, "%s; pipe it in with `-`", why.message);
  rh_feed pipe; /* a file that cannot be mapped can be read */
  status = rh_feed_open_pipe(&pipe, feed->type, feed->reporter, error);
  if (status == RH_OK) status = take_pipe(array, &pipe, error);
  rh_feed_finish(&pipe);
  return status;
}

rh_status rh_array_open(rh_array *array, const char *path, rh_type type,
                        const rh_reporter *reporter, rh_error *error) {
  rh_feed feed;
  *array = (rh_array){0};
  RH_TRY(rh_feed_open(&feed, path, type, reporter, error));
  rh_status status = rh_array_take_feed(array, &feed, error);
  rh_feed_finish(&feed);
  return status;
}
