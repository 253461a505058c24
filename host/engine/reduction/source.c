#include "reduction.h"

/* ---- Files and pipes ---- */

static rh_status read_feed(const rh_source *source, uint32_t k, uint64_t first, uint64_t n,
                           void *to, const atomic_int *stop, uint64_t *got, rh_error *error) {
  return rh_feed_read(source->feeds[k], first - source->first, n, to, stop, got, error);
}

static rh_status check_lengths(const rh_feed *one, const rh_feed *other, rh_error *error) {
  if (one->n == other->n) return RH_OK;
  if (one->n == UINT64_MAX || other->n == UINT64_MAX)
    return rh_fail(
        error, RH_E_USAGE,
        "%s beside %s: raw elements of a pipe are reduced alone, because their number is "
        "not known beforehand; pipe them in as .npy",
        one->name, other->name);
  return rh_fail(error, RH_E_USAGE, "%s has %llu elements, and %s has %llu", one->name,
                 (unsigned long long)one->n, other->name, (unsigned long long)other->n);
}

rh_status rh_source_of_feeds(rh_source *source, rh_feed *const *feeds, uint32_t n_operands,
                             rh_error *error) {
  *source = (rh_source){.n_operands = n_operands, .n = feeds[0]->n, .read = read_feed};
  for (uint32_t k = 0; k < n_operands; k++) {
    RH_TRY(check_lengths(feeds[0], feeds[k], error));
    rh_feed_warn(feeds[k]);
    source->feeds[k] = feeds[k];
    source->types[k] = feeds[k]->type;
    source->in_order |= feeds[k]->is_pipe;
  }
  return RH_OK;
}

void rh_source_view(rh_source *source, uint64_t first, uint64_t n, int leaves) {
  for (uint32_t k = 0; k < source->n_operands; k++)
    if (source->feeds[k]) rh_feed_view(source->feeds[k], first - source->first, n, leaves);
}

/* Where element `first` of a feed that is viewed is, in bytes. */
static uint64_t place_of(const rh_source *source, uint32_t k, uint64_t first) {
  return source->feeds[k]->data_offset + (first - source->first) * rh_type_size(source->types[k]);
}

rh_status rh_source_at(const rh_source *source, uint32_t k, uint64_t first, uint64_t n,
                       const void **at, rh_error *error) {
  const char *array = source->arrays[k];
  const rh_feed *feed = source->feeds[k];
  uint64_t torn_at;
  *at = NULL;
  if (array && (!source->tails[k] || first + n <= source->tail))
    *at = array + (first - source->first) * rh_type_size(source->types[k]);
  if (!feed || !feed->view.address) return RH_OK;
  *at = feed->view.address + place_of(source, k, first);
  return rh_view_is_torn(&feed->view, &torn_at) ? rh_feed_check_unchanged(feed, error) : RH_OK;
}

void rh_source_leave(const rh_source *source, uint64_t first, uint64_t n) {
  for (uint32_t k = 0; k < source->n_operands; k++) {
    const rh_feed *feed = source->feeds[k];
    if (feed && feed->view.address && feed->leaves)
      rh_view_leave(&feed->view, place_of(source, k, first), n * rh_type_size(source->types[k]));
  }
}

int rh_source_is_viewed(const rh_source *source) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < source->n_operands; k++)
    n += source->feeds[k] && source->feeds[k]->view.address;
  return n == source->n_operands;
}

rh_status rh_source_check_unchanged(const rh_source *source, rh_error *error) {
  for (uint32_t k = 0; k < source->n_operands; k++)
    if (source->feeds[k]) RH_TRY(rh_feed_check_unchanged(source->feeds[k], error));
  return RH_OK;
}

/* ---- Generated data ---- */

enum { AT_ONCE = 1 << 18 }; /* elements between two looks at *stop */

static rh_status generate(const rh_source *source, uint32_t k, uint64_t first, uint64_t n, void *to,
                          const atomic_int *stop, uint64_t *got, rh_error *error) {
  (void)error;
  uint64_t size = rh_type_size(source->types[k]);
  for (uint64_t done = 0; done < n && !atomic_load(stop); done += AT_ONCE) {
    uint64_t count = n - done < AT_ONCE ? n - done : AT_ONCE;
    rh_generate(source->kind, source->seed + k, source->types[k], source->n, first + done, count,
                (char *)to + done * size);
  }
  *got = n;
  return RH_OK;
}

void rh_source_generated(rh_source *source, const char *kind, uint64_t seed, const rh_type *types,
                         uint32_t n_operands, uint64_t n) {
  *source =
      (rh_source){.n_operands = n_operands, .n = n, .kind = kind, .seed = seed, .read = generate};
  memcpy(source->types, types, n_operands * sizeof *types);
}

/* ---- Arrays ---- */

static rh_status copy(const rh_source *source, uint32_t k, uint64_t first, uint64_t n, void *to,
                      const atomic_int *stop, uint64_t *got, rh_error *error) {
  (void)stop;
  (void)error;
  uint64_t size = rh_type_size(source->types[k]), here = n;
  if (source->tails[k] && first + n > source->tail)
    here = first < source->tail ? source->tail - first : 0;
  if (here)
    memcpy(to, (const char *)source->arrays[k] + (first - source->first) * size, here * size);
  if (here < n)
    memcpy((char *)to + here * size,
           (const char *)source->tails[k] + (first + here - source->tail) * size,
           (n - here) * size);
  *got = n;
  return RH_OK;
}

void rh_source_of_arrays(rh_source *source, const rh_operator *op, const void *const *arrays,
                         uint64_t first, uint64_t n) {
  *source = (rh_source){.n_operands = op->n_operands, .n = n, .first = first, .read = copy};
  for (uint32_t k = 0; k < op->n_operands; k++) source->types[k] = op->operands[k].type;
  memcpy(source->arrays, arrays, op->n_operands * sizeof *arrays);
}

/* ---- What they are ---- */

/* Along the slowest dimension, an array may be cut into files. */
static int add_order(json_t *to, const rh_npy *npy) {
  const char *begin = npy->shape + 1, *end = begin + strcspn(begin, ")");
  if (npy->fortran_order)
    while (end > begin && *end != ',') end--;
  else begin += strcspn(begin, ",") + 2;
  return json_object_set_new(to, "order", json_string(npy->fortran_order ? "Fortran" : "C")) |
         json_object_set_new(to, "rows", json_sprintf("(%.*s)", (int)(end - begin), begin));
}

json_t *rh_source_identity(const rh_source *source, int of_files) {
  if (source->kind)
    return json_pack("{s:s,s:I,s:I}", "data", source->kind, "seed", (json_int_t)source->seed,
                     "elements", (json_int_t)source->n);
  json_t *to = json_object(), *files = json_array();
  int failed = 0, has_order = 0;
  for (uint32_t k = 0; k < source->n_operands && source->feeds[k]; k++) {
    const rh_feed *file = source->feeds[k];
    const struct timespec *changed = &file->modified;
    if (of_files)
      failed |= json_array_append_new(
          files, json_pack("{s:I,s:I,s:o}", "bytes", (json_int_t)file->file_bytes, "header",
                           (json_int_t)file->data_offset, "changed",
                           json_sprintf("%lld.%09ld", (long long)changed->tv_sec,
                                        (long)changed->tv_nsec)));
    if (file->is_npy && file->npy.long_dimensions > 1 && !has_order++)
      failed |= add_order(to, &file->npy);
  }
  if (of_files) failed |= json_object_set(to, "files", files);
  json_decref(files);
  if (!failed) return to;
  json_decref(to);
  return NULL;
}
