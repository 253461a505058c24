#include "reduction.h"

enum { AT_ONCE = 1 << 20 /* bytes that a thread reads at once */ };

/* One operand, on its way. */
typedef struct fetched {
  const rh_source *source;
  const rh_segments_part *part;
  const atomic_int *stop;
  uint32_t operand, size;
  char *to;
  pthread_mutex_t lock; /* of what follows */
  rh_status status;
  rh_error error;
} fetched;

static void read_run(fetched *f, uint64_t first, uint64_t n, char *to) {
  const rh_source *source = f->source;
  const void *at = NULL;
  rh_error error = {0};
  uint64_t got = n;
  rh_status status = rh_source_at(source, f->operand, first, n, &at, &error);
  if (status == RH_OK && at) memcpy(to, at, n * f->size);
  else if (status == RH_OK)
    status = source->read(source, f->operand, first, n, to, f->stop, &got, &error);
  if (status == RH_OK && got < n) status = rh_fail(&error, RH_E_CANCELLED, "reading was ended");
  if (status == RH_OK) return;
  pthread_mutex_lock(&f->lock);
  f->status = status;
  f->error = error;
  pthread_mutex_unlock(&f->lock);
}

/* Elements of the only run, or else runs. */
static void read_some(void *user, uint64_t first, uint64_t count) {
  fetched *f = user;
  const rh_segments_part *part = f->part;
  if (part->rows == 1) {
    read_run(f, part->at + first, count, f->to + first * f->size);
    return;
  }
  for (uint64_t k = first; k < first + count; k++)
    read_run(f, part->at + k * part->stride, part->width, f->to + k * part->width * f->size);
}

static rh_status fetch(const rh_source *source, const rh_segments_part *part, uint32_t operand,
                       char *to, const atomic_int *stop, rh_error *error) {
  uint32_t size = rh_type_size(source->types[operand]);
  uint64_t units = part->rows == 1 ? part->width : part->rows;
  uint64_t each = part->rows == 1 ? AT_ONCE / size : AT_ONCE / (part->width * size) + 1;
  fetched f = {
      .source = source, .part = part, .stop = stop, .operand = operand, .size = size, .to = to};
  pthread_mutex_init(&f.lock, NULL);
  rh_share(units, source->in_order ? units : each, read_some, &f);
  pthread_mutex_destroy(&f.lock);
  return rh_error_pass(error, f.status, &f.error);
}

/* All operands where the source has them? */
static rh_status find_in_place(rh_elements_room *room, const rh_source *source,
                               const rh_segments_part *part, int *is_there, rh_error *error) {
  *is_there = part->rows == 1;
  for (uint32_t k = 0; k < source->n_operands && *is_there; k++) {
    RH_TRY(rh_source_at(source, k, part->at, part->width, &room->operands[k], error));
    *is_there = room->operands[k] != NULL;
  }
  return RH_OK;
}

static rh_status make_room(rh_elements_room *room, uint64_t bytes, rh_error *error) {
  if (room->region.bytes >= bytes && room->region.address) return RH_OK;
  rh_region_finish(&room->region);
  return rh_region_alloc(&room->region, bytes ? bytes : 1, error);
}

rh_status rh_elements_bring(rh_elements_room *room, const rh_source *source, const rh_axes *axes,
                            const rh_segments_part *part, const rh_job_spec *spec,
                            const atomic_int *stop, rh_error *error) {
  rh_job_spec own = *spec;
  int is_there = 0;
  const rh_elements some = {part->first, part->segments, part->begin, part->n};
  if (!axes) RH_TRY(find_in_place(room, source, part, &is_there, error));
  room->is_copy = !is_there;
  if (is_there) return RH_OK;
  own.operation.n = rh_segments_part_n(part);
  RH_TRY(make_room(room, rh_operand_layout(&own, own.offsets), error));
  rh_job_operands_at(&own, room->region.address, room->operands);
  for (uint32_t k = 0; k < source->n_operands && own.operation.n; k++) {
    char *to = (char *)room->region.address + own.offsets[k];
    if (axes)
      rh_axes_rearrange(axes, source->arrays[k], rh_type_size(source->types[k]), &some, 1, to);
    else RH_TRY(fetch(source, part, k, to, stop, error));
  }
  return RH_OK;
}

void rh_elements_room_finish(rh_elements_room *room) {
  rh_region_finish(&room->region);
  *room = (rh_elements_room){.is_copy = 0};
}
