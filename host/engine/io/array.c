#include "io.h"

static const uint64_t read_at_once = 4u << 20; /* bytes between two progress reports */

static void describe(rh_array *array, const rh_feed *feed, uint64_t n) {
  const rh_npy *npy = &feed->npy;
  *array =
      (rh_array){.type = feed->type, .n = n, .offset_bytes = feed->data_offset, .dimensions = 1};
  if (!feed->is_npy) return;
  array->dimensions = npy->dimensions;
  array->fortran_order = npy->fortran_order && npy->long_dimensions > 1;
  memcpy(array->shape, npy->shape, sizeof array->shape);
}

static int is_misaligned(const rh_feed *feed) {
  return feed->data_offset % rh_type_size(feed->type) != 0;
}

/* Can its elements not be used where the file has them, even if it can be mapped? */
static int must_read(const rh_feed *feed) {
  return is_misaligned(feed) || (feed->is_npy && feed->npy.swapped);
}

/* ---- Files ---- */

static rh_status read_elements(rh_array *array, rh_feed *feed, rh_error *error) {
  static const atomic_int goes_on;
  rh_pace pace = {.reporter = feed->reporter, .phase = "reading"};
  uint64_t size = rh_type_size(feed->type), got;
  rh_status status = rh_region_alloc_shared(&array->region, feed->n * size, error);
  rh_error_prefix(error, status, "%s", feed->name);
  array->offset_bytes = 0;
  for (uint64_t done = 0; done < feed->n && status == RH_OK; done += got) {
    uint64_t n = feed->n - done < read_at_once / size ? feed->n - done : read_at_once / size;
    char *to = (char *)array->region.address + done * size;
    status = rh_pace_report(&pace, done * size, feed->n * size, error);
    if (status == RH_OK) status = rh_feed_read(feed, done, n, to, &goes_on, &got, error);
  }
  return status;
}

rh_status rh_array_check_unchanged(const rh_array *array, const char *name, rh_error *error) {
  if (!array->file_bytes || array->region.own) return RH_OK;
  return rh_file_check_unchanged(name, array->region.file, array->file_bytes, &array->modified,
                                 error);
}

/* Checks for changes of the file here if elements were read; otherwise after the reduction. */
static rh_status take_file(rh_array *array, rh_feed *feed, rh_error *error) {
  rh_error why = {0};
  RH_TRY(rh_feed_check_unchanged(feed, error));
  describe(array, feed, feed->n);
  array->file_bytes = feed->file_bytes;
  array->modified = feed->modified;
  rh_feed_warn(feed);
  rh_status status = RH_OK;
  if (must_read(feed) ||
      rh_region_map(&array->region, feed->fd, feed->file_bytes, feed->name, NULL) != RH_OK)
    status = read_elements(array, feed, &why);
  rh_status of_file = rh_feed_check_unchanged(feed, error);
  if (status == RH_OK && of_file == RH_OK) return RH_OK;
  if (of_file == RH_OK && error) *error = why;
  rh_array_finish(array);
  return of_file != RH_OK ? of_file : status;
}

/* ---- Pipes ---- */

/* Reads it to its end. */
static rh_status take_pipe(rh_array *array, rh_feed *feed, rh_error *error) {
  rh_stream *head = &feed->head;
  RH_TRY(rh_feed_gather(feed, UINT64_MAX, error));
  rh_region_trim(&head->region, head->length);
  uint64_t bytes = head->length - feed->data_offset, size = rh_type_size(feed->type);
  RH_TRY(rh_feed_check_bytes(feed, bytes, error));
  if (feed->is_npy && bytes > feed->npy.data_bytes) /* it was not read to its end */
    rh_log(feed->reporter, RH_LOG_WARNING, "%s: bytes after the data are ignored", feed->name);
  describe(array, feed, feed->is_npy ? feed->n : bytes / size);
  array->region = head->region;
  head->region = (rh_region){0};
  char *elements = (char *)array->region.address + feed->data_offset;
  if (is_misaligned(feed)) {
    elements = memmove(array->region.address, elements, array->n * size);
    array->offset_bytes = 0;
  }
  if (feed->is_npy && feed->npy.swapped) rh_file_swap(elements, array->n * size, (uint32_t)size);
  return RH_OK;
}

rh_status rh_array_take_feed(rh_array *array, rh_feed *feed, rh_error *error) {
  *array = (rh_array){0};
  return feed->is_pipe ? take_pipe(array, feed, error) : take_file(array, feed, error);
}

rh_status rh_array_open(rh_array *array, const char *path, rh_type type,
                        const rh_reporter *reporter, rh_error *error) {
  RH_FINISHED(rh_feed) feed;
  *array = (rh_array){0};
  RH_TRY(rh_feed_open(&feed, path, type, reporter, error));
  return rh_array_take_feed(array, &feed, error);
}
