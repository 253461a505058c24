#include "data.h"

#include <stdatomic.h>

/* Elements that one thread computes between two checks for cancellation: about a
 * millisecond. */
static const uint64_t chunk = 1u << 18;

typedef struct job {
  const rh_kind *kind;
  rh_recipe recipe;
  rh_type type;
  void *data;
  pthread_t caller; /* the only thread that reports */
  rh_pace pace;
  atomic_uint_fast64_t done;
  atomic_int status; /* not RH_OK: it was cancelled */
  rh_error *error;
} job;

/* ---- Elements to memory: one loop per type --------------------------------------------------- */

static inline uint16_t half_bits(double x) { return rh_half_from_float((float)x); }

#define DEFINE_FILL(name, T, element, convert)                                                     \
  static void name(const job *j, uint64_t first, uint64_t end) {                                   \
    T *data = j->data;                                                                             \
    for (uint64_t i = first; i < end; i++) data[i] = convert(j->kind->element(&j->recipe, i));     \
  }
DEFINE_FILL(fill_8, uint8_t, integer, (uint8_t))
DEFINE_FILL(fill_16, uint16_t, integer, (uint16_t))
DEFINE_FILL(fill_32, uint32_t, integer, (uint32_t))
DEFINE_FILL(fill_64, uint64_t, integer, (uint64_t))
DEFINE_FILL(fill_f16, uint16_t, real, half_bits)
DEFINE_FILL(fill_f32, float, real, (float))
DEFINE_FILL(fill_f64, double, real, (double))

static void fill(const job *j, uint64_t first, uint64_t end) {
  static void (*const fills[])(const job *j, uint64_t first, uint64_t end) = {
      [RH_TYPE_i8] = fill_8,    [RH_TYPE_u8] = fill_8,   [RH_TYPE_i16] = fill_16,
      [RH_TYPE_u16] = fill_16,  [RH_TYPE_i32] = fill_32, [RH_TYPE_u32] = fill_32,
      [RH_TYPE_i64] = fill_64,  [RH_TYPE_u64] = fill_64, [RH_TYPE_f16] = fill_f16,
      [RH_TYPE_f32] = fill_f32, [RH_TYPE_f64] = fill_f64};
  fills[j->type](j, first, end);
}

void rh_generate(const char *kind, uint64_t seed, rh_type type, uint64_t n, uint64_t first,
                 uint64_t count, void *to) {
  /* Elements are written where they would be in the whole. */
  const job j = {.kind = rh_kind_find(kind),
                 .recipe = rh_recipe_make(seed, type, n),
                 .type = type,
                 .data = (void *)((uintptr_t)to - first * rh_type_size(type))};
  fill(&j, first, first + count);
}

static void fill_piece(void *of_job, uint64_t first, uint64_t count) {
  job *j = of_job;
  uint64_t n = j->recipe.n;
  if (n > chunk && pthread_equal(j->caller, pthread_self()) && atomic_load(&j->status) == RH_OK)
    atomic_store(&j->status, rh_pace_report(&j->pace, atomic_load(&j->done), n, j->error));
  if (atomic_load(&j->status) != RH_OK) return;
  fill(j, first, first + count);
  atomic_fetch_add(&j->done, count);
}

rh_status rh_array_check_kind(const char *kind, rh_error *error) {
  const char *const *names = rh_array_kinds();
  size_t n = 0;
  char hint[RH_SUGGESTION_BYTES];
  RH_FINISHED(rh_text) list = {0};
  if (rh_kind_find(kind)) return RH_OK;
  for (; names[n]; n++) rh_text_add(&list, "%s%s", n ? " " : "; known: ", names[n]);
  return rh_fail(error, RH_E_USAGE, "unknown kind of data '%.40s'%s", kind,
                 rh_suggest(hint, kind, names, n, rh_text_get(&list)));
}

static rh_status check_length(rh_type type, uint64_t n, rh_error *error) {
  uint32_t size = rh_type_size(type);
  if (!size) return rh_fail(error, RH_E_USAGE, "type number %u is unknown", type);
  if (n > UINT64_MAX / size)
    return rh_fail(error, RH_E_USAGE, "%llu elements of %s: their size in bytes overflows 64 bits",
                   (unsigned long long)n, rh_type_name(type));
  return RH_OK;
}

void rh_array_finish(rh_array *array) {
  rh_region_finish(&array->region);
  *array = (rh_array){0};
}

rh_status rh_array_reserve(rh_array *array, rh_type type, uint64_t n, int shared, rh_error *error) {
  rh_array made = {.type = type, .n = n, .dimensions = 1};
  uint32_t size = rh_type_size(type);
  RH_TRY(check_length(type, n, error));
  RH_TRY(shared ? rh_region_alloc_shared(&made.region, n * size, error)
                : rh_region_alloc(&made.region, n * size, error));
  *array = made;
  return RH_OK;
}

rh_status rh_array_reuse(rh_array *array, rh_type type, uint64_t n, uint64_t room,
                         rh_error *error) {
  rh_region region = array->region;
  uint64_t bytes = n * rh_type_size(type);
  rh_status status = check_length(type, n, error);
  if (status == RH_OK && (!region.address || region.bytes < bytes)) {
    rh_region_finish(&region);
    if (room <= bytes || rh_region_alloc(&region, room, NULL) != RH_OK)
      status = rh_region_alloc(&region, bytes, error);
  }
  *array = (rh_array){.region = region, .type = type, .n = n, .dimensions = 1};
  if (status != RH_OK) rh_array_finish(array);
  return status;
}

rh_status rh_array_fill(rh_array *array, const char *kind, uint64_t seed,
                        const rh_reporter *reporter, rh_error *error) {
  job j = {.kind = rh_kind_find(kind),
           .type = array->type,
           .data = (char *)array->region.address + array->offset_bytes,
           .caller = pthread_self(),
           .pace = {.reporter = reporter, .phase = "generating"},
           .error = error};
  RH_TRY(rh_array_check_kind(kind, error));
  if (array->n == 0) return RH_OK;
  j.recipe = rh_recipe_make(seed, array->type, array->n);
  /* Other threads may fill all before the caller has a piece, and reports are its affair. */
  RH_TRY(rh_pace_report(&j.pace, 0, array->n, error));
  rh_share(array->n, chunk, fill_piece, &j);
  return (rh_status)atomic_load(&j.status);
}

rh_status rh_array_generate(rh_array *array, const char *kind, uint64_t seed, rh_type type,
                            uint64_t n, const rh_reporter *reporter, rh_error *error) {
  *array = (rh_array){0};
  RH_TRY(rh_array_check_kind(kind, error));
  RH_TRY(rh_array_reserve(array, type, n, 0, error));
  rh_status status = rh_array_fill(array, kind, seed, reporter, error);
  if (status != RH_OK) rh_array_finish(array);
  return status;
}

static const double seconds_between_reports = 0.2;

rh_status rh_pace_report(rh_pace *pace, uint64_t done, uint64_t total, rh_error *error) {
  double now = rh_now();
  if (now < pace->next) return RH_OK;
  pace->next = now + seconds_between_reports;
  return rh_progress(pace->reporter, pace->phase, done, total, error);
}
