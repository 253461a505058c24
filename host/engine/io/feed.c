#include "io.h"

#include <poll.h>

/* MOST_AT_ONCE: of one read(), so that progress and cancellation stay responsive. */
enum { WAIT_MS = 100, MOST_AT_ONCE = 4 << 20, PIPE_BYTES = 1 << 20 };

/* ---- Opening files ---- */

/* Reads as many of a file's first bytes as its format takes. */
static rh_status read_header(rh_feed *feed, void **bytes, uint64_t *length, rh_error *error) {
  uint64_t wanted = rh_file_wanted(NULL, 0);
  size_t got = 1;
  for (*length = 0; *length < wanted && got > 0; wanted = rh_file_wanted(*bytes, *length)) {
    if (wanted > feed->file_bytes) wanted = feed->file_bytes;
    void *more = realloc(*bytes, wanted);
    if (!more) return rh_fail(error, RH_E_NOMEM, "%s: no memory for its header", feed->name);
    *bytes = more;
    if (rh_read_all(feed->fd, (char *)more + *length, wanted - *length, *length, &got) != 0)
      return rh_fail(error, RH_E_FILE, "%s: cannot be read: %s", feed->name, strerror(errno));
    *length += got;
  }
  return RH_OK;
}

static rh_status take_npy(rh_feed *feed, const void *bytes, uint64_t length, rh_error *error) {
  RH_TRY(rh_npy_parse(&feed->npy, bytes, length, feed->name, error));
  if (feed->type && feed->type != feed->npy.type)
    return rh_fail(error, RH_E_USAGE, "%s: holds %s, but %s was requested", feed->name,
                   rh_type_name(feed->npy.type), rh_type_name(feed->type));
  feed->is_npy = 1;
  feed->type = feed->npy.type;
  feed->n = feed->npy.n;
  feed->data_offset = feed->npy.data_offset;
  return RH_OK;
}

/* Are so many bytes of elements, all that there are, those of a whole array? */
static rh_status check_bytes(const rh_feed *feed, uint64_t there, rh_error *error) {
  uint32_t size = rh_type_size(feed->type);
  if (feed->is_npy && there < feed->npy.data_bytes)
    return rh_fail(
        error, RH_E_FILE,
        "%s: shape %s of %s needs %llu bytes, only %llu are there; is the copy complete?",
        feed->name, feed->npy.shape, rh_type_name(feed->type),
        (unsigned long long)feed->npy.data_bytes, (unsigned long long)there);
  if (!feed->is_npy && there % size != 0)
    return rh_fail(error, RH_E_FILE, "%s: %llu bytes is not a multiple of %u, the size of %s",
                   feed->name, (unsigned long long)there, size, rh_type_name(feed->type));
  return RH_OK;
}

/* The first bytes of a file or pipe. */
static rh_status take_header(rh_feed *feed, const void *bytes, uint64_t length, rh_error *error) {
  if (rh_npy_has_magic(bytes, length)) return take_npy(feed, bytes, length, error);
  return rh_file_check_raw(feed->name, feed->type, bytes, length, feed->reporter, error);
}

static rh_status take_file(rh_feed *feed, rh_error *error) {
  struct stat info;
  RH_FREED(void) bytes = NULL;
  uint64_t length;
  char byte;
  if (fstat(feed->fd, &info) != 0)
    return rh_fail(error, RH_E_FILE, "%s: cannot be opened: %s", feed->name, strerror(errno));
  RH_TRY(rh_file_check_regular(feed->name, &info, error));
  /* The kernel may generate a file on reading. */
  if (info.st_size <= 0)
    return rh_fail(error, RH_E_FILE,
                   pread(feed->fd, &byte, 1, 0) == 1
                       ? "%s: has no size, as files in /proc; pipe it in with `-`"
                       : "%s: is empty",
                   feed->name);
  feed->file_bytes = (uint64_t)info.st_size;
  feed->modified = info.st_mtim;
  RH_TRY(read_header(feed, &bytes, &length, error));
  RH_TRY(take_header(feed, bytes, length, error));
  if (!feed->is_npy) feed->n = feed->file_bytes / rh_type_size(feed->type);
  RH_TRY(check_bytes(feed, feed->file_bytes - feed->data_offset, error));
  posix_fadvise(feed->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
  return RH_OK;
}

static rh_status open_file(rh_feed *feed, const char *path, rh_error *error) {
  struct stat info;
  if (stat(path, &info) != 0)
    return rh_fail(error, RH_E_FILE, "%s: cannot be opened: %s", feed->name, strerror(errno));
  RH_TRY(rh_file_check_regular(feed->name, &info, error));
  feed->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (feed->fd < 0)
    return rh_fail(error, RH_E_FILE, "%s: cannot be opened: %s", feed->name, strerror(errno));
  feed->owns_fd = 1;
  return take_file(feed, error);
}

/* ---- Bytes of a pipe ---- */

static const uint64_t first_region = 1u << 20;

static rh_status make_room(rh_feed *feed, rh_error *error) {
  if (feed->head.length < feed->head.region.bytes) return RH_OK;
  uint64_t bytes = feed->head.region.bytes ? feed->head.region.bytes * 2 : first_region;
  /* Shared memory, because another process may need the data. */
  rh_status status = feed->head.region.address
                         ? rh_region_grow(&feed->head.region, bytes, error)
                         : rh_region_alloc_shared(&feed->head.region, bytes, error);
  return rh_error_prefix(error, status, "%s", feed->name);
}

enum { NONE_YET = -1, FAILED = -2 };

/* What the pipe has now, for which it waits a moment: *got > 0 bytes, 0 at its end, NONE_YET after
 * that moment, a signal, or where another process was faster, or FAILED. */
static ssize_t read_some(const rh_feed *feed, void *to, uint64_t bytes, rh_error *error) {
  struct pollfd readable = {.fd = feed->fd, .events = POLLIN};
  ssize_t got = poll(&readable, 1, WAIT_MS);
  if (got == 0) return NONE_YET;
  if (got > 0) got = read(feed->fd, to, bytes < MOST_AT_ONCE ? bytes : MOST_AT_ONCE);
  if (got >= 0) return got;
  if (errno == EINTR || errno == EAGAIN) return NONE_YET;
  rh_fail(error, RH_E_FILE, "%s: cannot be read: %s", feed->name, strerror(errno));
  return FAILED;
}

/* Reads until at least `wanted` bytes are there or the stream ends, which is not a failure.
 * `total` is for the progress report; 0: unknown. */
static rh_status fill(rh_feed *feed, uint64_t wanted, uint64_t total, rh_error *error) {
  rh_stream *head = &feed->head;
  while (head->length < wanted && !head->ended) {
    RH_TRY(make_room(feed, error));
    RH_TRY(rh_pace_report(&head->pace, head->length, total, error));
    ssize_t got = read_some(feed, (char *)head->region.address + head->length,
                            head->region.bytes - head->length, error);
    if (got == FAILED) return RH_E_FILE;
    if (got > 0) head->length += (uint64_t)got;
    head->ended = got == 0;
    if (got == NONE_YET) head->pace.next = 0; /* the signal may be a request to cancel */
  }
  return RH_OK;
}

/* ---- Opening pipes ---- */

/* Reads until the format is known. */
static rh_status take_pipe(rh_feed *feed, rh_error *error) {
  rh_stream *head = &feed->head;
  uint64_t wanted = 0;
  feed->is_pipe = 1;
  feed->n = UINT64_MAX;
  fcntl(feed->fd, F_SETPIPE_SZ, PIPE_BYTES); /* fewer changes between writer and reader, if so */
  head->pace = (rh_pace){.reporter = feed->reporter, .phase = "reading"};
  do {
    RH_TRY(fill(feed, wanted, 0, error));
    wanted = rh_file_wanted(head->region.address, head->length);
  } while (head->length < wanted && !head->ended);
  if (head->length == 0)
    return rh_fail(error, RH_E_FILE, "%s: no data on standard input", feed->name);
  return take_header(feed, head->region.address, head->length, error);
}

static rh_status open_standard_input(rh_feed *feed, rh_error *error) {
  struct stat info;
  feed->fd = STDIN_FILENO;
  if (fstat(feed->fd, &info) != 0)
    return rh_fail(error, RH_E_FILE, "%s: no data on standard input, which is closed", feed->name);
  if (isatty(feed->fd))
    return rh_fail(error, RH_E_FILE,
                   "%s: standard input is a terminal; pipe the data in or name a file", feed->name);
  int is_file = S_ISREG(info.st_mode) && info.st_size > 0 && lseek(feed->fd, 0, SEEK_CUR) == 0;
  return is_file ? take_file(feed, error) : take_pipe(feed, error);
}

rh_status rh_feed_open(rh_feed *feed, const char *path, rh_type type, const rh_reporter *reporter,
                       rh_error *error) {
  *feed = (rh_feed){.type = type, .reporter = reporter, .fd = -1};
  rh_array_name(feed->name, path);
  if (feed->type && !rh_type_size(feed->type))
    return rh_fail(error, RH_E_USAGE, "%s: type number %u is unknown", feed->name, feed->type);
  rh_status status =
      strcmp(path, "-") == 0 ? open_standard_input(feed, error) : open_file(feed, path, error);
  if (status != RH_OK) rh_feed_finish(feed);
  return status;
}

/* ---- Pipes ---- */

/* The bytes that belong to a pipe's array, its header included; UINT64_MAX: all until its end. */
static uint64_t bytes_of_pipe(const rh_feed *feed) {
  uint64_t end = feed->data_offset + feed->npy.data_bytes;
  if (!feed->is_npy) return UINT64_MAX;
  return end < feed->data_offset || end == UINT64_MAX ? UINT64_MAX - 1 : end;
}

int rh_feed_is_gathered(const rh_feed *feed) {
  return feed->head.ended || feed->head.length > bytes_of_pipe(feed);
}

rh_status rh_feed_gather(rh_feed *feed, uint64_t most, rh_error *error) {
  uint64_t all = bytes_of_pipe(feed), wanted = most == UINT64_MAX ? most : most + 1;
  /* One byte more than the array has tells that there is something after it. */
  if (all != UINT64_MAX && all + 1 < wanted) wanted = all + 1;
  return fill(feed, wanted, all == UINT64_MAX ? 0 : all, error);
}

/* The bytes that were read ahead, and then the pipe's: as read_some(). */
static ssize_t next_bytes(rh_feed *feed, void *to, uint64_t bytes, rh_error *error) {
  rh_stream *head = &feed->head;
  uint64_t at = feed->data_offset + feed->given;
  if (at < head->length) {
    if (bytes > head->length - at) bytes = head->length - at;
    memcpy(to, (const char *)head->region.address + at, bytes);
    return (ssize_t)bytes;
  }
  if (head->region.address) rh_region_finish(&head->region);
  return head->ended ? 0 : read_some(feed, to, bytes, error);
}

static rh_status fill_from_pipe(rh_feed *feed, char *to, uint64_t bytes, const atomic_int *stop,
                                uint64_t *done, rh_error *error) {
  for (*done = 0; *done < bytes && !atomic_load(stop);) {
    ssize_t got = next_bytes(feed, to + *done, bytes - *done, error);
    if (got == FAILED) return RH_E_FILE;
    if (got == 0) return RH_OK;
    if (got == NONE_YET) continue;
    *done += (uint64_t)got;
    feed->given += (uint64_t)got;
  }
  return RH_OK;
}

/* Reads elements before `first` that nothing needs. */
static rh_status skip_in_pipe(rh_feed *feed, uint64_t first, const atomic_int *stop,
                              rh_error *error) {
  uint64_t end = first * rh_type_size(feed->type), bytes = 1;
  char room[1 << 16];
  if (feed->given > end)
    return rh_fail(error, RH_E_INTERNAL, "%s: a pipe is read in order", feed->name);
  while (feed->given < end && bytes && !atomic_load(stop)) {
    uint64_t left = end - feed->given;
    RH_TRY(
        fill_from_pipe(feed, room, left < sizeof room ? left : sizeof room, stop, &bytes, error));
  }
  return bytes ? RH_OK : check_bytes(feed, feed->given, error);
}

static rh_status read_pipe(rh_feed *feed, uint64_t first, uint64_t n, void *to,
                           const atomic_int *stop, uint64_t *got, rh_error *error) {
  uint32_t size = rh_type_size(feed->type);
  uint64_t bytes, wanted = n;
  RH_TRY(skip_in_pipe(feed, first, stop, error));
  if (feed->is_npy && wanted > feed->n - first) wanted = feed->n - first;
  RH_TRY(fill_from_pipe(feed, to, wanted * size, stop, &bytes, error));
  *got = bytes / size;
  if (atomic_load(stop) || (bytes % size == 0 && (!feed->is_npy || *got == wanted))) return RH_OK;
  return check_bytes(feed, feed->given, error);
}

/* ---- Files ---- */

/* Has it another size, or was it written to since it was opened? */
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

/* Can its elements not be used where the file has them, even if it can be mapped? */
static int must_read(const rh_feed *feed) {
  return feed->npy.swapped || feed->data_offset % rh_type_size(feed->type) != 0;
}

static rh_status read_file(const rh_feed *feed, uint64_t first, uint64_t n, char *to,
                           const atomic_int *stop, rh_error *error) {
  uint32_t size = rh_type_size(feed->type);
  uint64_t bytes = n * size, at = feed->data_offset + first * size;
  for (uint64_t done = 0; done < bytes && !atomic_load(stop);) {
    uint64_t now = bytes - done < MOST_AT_ONCE ? bytes - done : MOST_AT_ONCE;
    ssize_t got = pread(feed->fd, to + done, now, (off_t)(at + done));
    if (got > 0) done += (uint64_t)got;
    if (got < 0 && errno != EINTR)
      return rh_fail(error, RH_E_FILE, "%s: cannot be read at byte %llu: %s", feed->name,
                     (unsigned long long)(at + done), strerror(errno));
    if (got != 0) continue;
    RH_TRY(rh_feed_check_unchanged(feed, error));
    return rh_fail(error, RH_E_FILE, "%s: ends at byte %llu, although it has %llu", feed->name,
                   (unsigned long long)(at + done), (unsigned long long)feed->file_bytes);
  }
  return RH_OK;
}

rh_status rh_feed_check_unchanged(const rh_feed *feed, rh_error *error) {
  uint64_t at;
  if (!feed->file_bytes) return RH_OK;
  RH_TRY(check_unchanged(feed->name, feed->fd, feed->file_bytes, &feed->modified, error));
  if (!rh_view_is_torn(&feed->view, &at)) return RH_OK;
  return rh_fail(error, RH_E_FILE, "%s: cannot be read at byte %llu: %s", feed->name,
                 (unsigned long long)at, strerror(EIO));
}

/* ---- Views of files ---- */

void rh_feed_view(rh_feed *feed, uint64_t first, uint64_t n, int leaves) {
  uint32_t size = rh_type_size(feed->type);
  if (feed->view.address || !feed->file_bytes || must_read(feed) || n == 0 ||
      !rh_view_open(&feed->view, feed->fd, feed->file_bytes))
    return;
  feed->leaves = leaves;
  if (!rh_view_is_cached(&feed->view, feed->data_offset + first * size, n * size))
    rh_view_close(&feed->view);
}

/* ---- Either ---- */

/* Elements need not be aligned. */
#define SWAP(word, turned)                                                                         \
  for (uint64_t k = 0; k < bytes; k += sizeof(word)) {                                             \
    word x;                                                                                        \
    memcpy(&x, at + k, sizeof x);                                                                  \
    x = turned(x);                                                                                 \
    memcpy(at + k, &x, sizeof x);                                                                  \
  }
static void swap(void *elements, uint64_t bytes, uint32_t size) {
  unsigned char *at = elements;
  if (size == 2) SWAP(uint16_t, __builtin_bswap16)
  if (size == 4) SWAP(uint32_t, __builtin_bswap32)
  if (size == 8) SWAP(uint64_t, __builtin_bswap64)
}

rh_status rh_feed_read(rh_feed *feed, uint64_t first, uint64_t n, void *to, const atomic_int *stop,
                       uint64_t *got, rh_error *error) {
  uint32_t size = rh_type_size(feed->type);
  *got = n;
  RH_TRY(feed->is_pipe ? read_pipe(feed, first, n, to, stop, got, error)
                       : read_file(feed, first, n, to, stop, error));
  if (feed->npy.swapped) swap(to, *got * size, size);
  return RH_OK;
}

void rh_feed_warn(const rh_feed *feed) {
  uint64_t end = feed->data_offset + feed->npy.data_bytes;
  if (feed->is_npy && feed->file_bytes > end)
    rh_log(feed->reporter, RH_LOG_WARNING, "%s: %llu bytes after the data are ignored", feed->name,
           (unsigned long long)(feed->file_bytes - end));
}

void rh_feed_finish(rh_feed *feed) {
  if (feed->owns_fd) close(feed->fd);
  rh_region_finish(&feed->head.region);
  rh_view_close(&feed->view);
  feed->owns_fd = 0;
}

/* ---- All elements, in memory ---- */

static void describe(rh_array *array, const rh_feed *feed, uint64_t n) {
  const rh_npy *npy = &feed->npy;
  *array =
      (rh_array){.type = feed->type, .n = n, .offset_bytes = feed->data_offset, .dimensions = 1};
  if (!feed->is_npy) return;
  array->dimensions = npy->dimensions;
  array->fortran_order = npy->fortran_order && npy->long_dimensions > 1;
  memcpy(array->shape, npy->shape, sizeof array->shape);
}

static rh_status read_elements(rh_array *array, rh_feed *feed, rh_error *error) {
  enum { AT_ONCE = 4 << 20 /* bytes between two progress reports */ };
  static const atomic_int goes_on;
  rh_pace pace = {.reporter = feed->reporter, .phase = "reading"};
  uint64_t size = rh_type_size(feed->type), got;
  rh_status status = rh_region_alloc_shared(&array->region, feed->n * size, error);
  rh_error_prefix(error, status, "%s", feed->name);
  array->offset_bytes = 0;
  for (uint64_t done = 0; done < feed->n && status == RH_OK; done += got) {
    uint64_t n = feed->n - done < AT_ONCE / size ? feed->n - done : AT_ONCE / size;
    char *to = (char *)array->region.address + done * size;
    status = rh_pace_report(&pace, done * size, feed->n * size, error);
    if (status == RH_OK) status = rh_feed_read(feed, done, n, to, &goes_on, &got, error);
  }
  return status;
}

rh_status rh_array_check_unchanged(const rh_array *array, const char *name, rh_error *error) {
  if (!array->file_bytes || array->region.own) return RH_OK;
  return check_unchanged(name, array->region.file, array->file_bytes, &array->modified, error);
}

/* Checks for changes of the file here if elements were read; otherwise after the reduction. */
static rh_status map_file(rh_array *array, rh_feed *feed, rh_error *error) {
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

/* Reads it to its end. */
static rh_status gather_pipe(rh_array *array, rh_feed *feed, rh_error *error) {
  rh_stream *head = &feed->head;
  RH_TRY(rh_feed_gather(feed, UINT64_MAX, error));
  rh_region_trim(&head->region, head->length);
  uint64_t bytes = head->length - feed->data_offset, size = rh_type_size(feed->type);
  RH_TRY(check_bytes(feed, bytes, error));
  if (feed->is_npy && bytes > feed->npy.data_bytes) /* it was not read to its end */
    rh_log(feed->reporter, RH_LOG_WARNING, "%s: bytes after the data are ignored", feed->name);
  describe(array, feed, feed->is_npy ? feed->n : bytes / size);
  array->region = head->region;
  head->region = (rh_region){0};
  char *elements = (char *)array->region.address + feed->data_offset;
  if (feed->data_offset % size != 0) {
    elements = memmove(array->region.address, elements, array->n * size);
    array->offset_bytes = 0;
  }
  if (feed->npy.swapped) swap(elements, array->n * size, (uint32_t)size);
  return RH_OK;
}

rh_status rh_array_take_feed(rh_array *array, rh_feed *feed, rh_error *error) {
  *array = (rh_array){0};
  return feed->is_pipe ? gather_pipe(array, feed, error) : map_file(array, feed, error);
}

rh_status rh_array_open(rh_array *array, const char *path, rh_type type,
                        const rh_reporter *reporter, rh_error *error) {
  RH_FINISHED(rh_feed) feed;
  *array = (rh_array){0};
  RH_TRY(rh_feed_open(&feed, path, type, reporter, error));
  return rh_array_take_feed(array, &feed, error);
}
