/* V61: sizes, offsets and result indices that do not fit 24, 31 and 32 bits. */
#include "internal.h"

#include <sys/mman.h>

/* The input repeats one tile, mapped over and over, so that it takes address space but hardly
 * any memory.  The tile's size divides neither 2^31 nor 2^32, so an index that lost its upper
 * bits reads other elements. */
enum { TILE_PAGES = 1021 };

typedef struct rh_huge {
  rh_array tile; /* in a file */
  unsigned char *memory;
  uint64_t tile_bytes, bytes;
} rh_huge;

/* Segments are for host strategies. */
typedef enum shape { WHOLE, SCATTERED, ROWS } shape;
enum { MIDDLE = (1 << 25) - 11, N_ROWS = 5 };
#define ROW_ELEMENTS (((uint64_t)1 << 30) + 7)
static const struct {
  uint64_t n, first, index;
  const char *what;
  int is_quick;
  shape shape;
} cases[] = {
    /* All bits but a low one are set, so losing any of them changes the value.  No f32 has this
     * value. */
    {1003, MIDDLE, 1, "first beyond 2^24", 1, WHOLE},
    {1003, 0, MIDDLE >> 5, "result_index beyond 2^19", 1, WHOLE},
    {MIDDLE, 1, 1, "n beyond 2^24", 1, WHOLE},
    {((uint64_t)1 << 31) + 1003, 3, 1, "n beyond 2^31", 0, WHOLE},
    {1003, ((uint64_t)1 << 31) + 5, 1, "first beyond 2^31", 0, WHOLE},
    {1003, ((uint64_t)1 << 32) + 5, 1, "first beyond 2^32", 0, WHOLE},
    {((uint64_t)1 << 32) + 1003, 1, 1, "n beyond 2^32", 0, WHOLE},
    {1003, 0, ((uint64_t)1 << 32) + 3, "result_index beyond 2^32", 0, WHOLE},
    {1003, ((uint64_t)1 << 32) + 5, 0, "segments beyond 2^32", 1, SCATTERED},
    {N_ROWS * ROW_ELEMENTS, 0, 0, "rows beyond 2^32", 0, ROWS},
};
enum { CASES = RH_COUNT(cases), SAMPLE = 1 << 22 };
static const double patience_s = 60, quick_patience_s = 2;

static const uint64_t starts[] = {((uint64_t)1 << 32) + 5, 7, ((uint64_t)1 << 31) + 5},
                      stops[] = {((uint64_t)1 << 32) + 1008, 1007, ((uint64_t)1 << 31) + 9};

static uint64_t elements_of(int k) { return cases[k].first + cases[k].n; }

/* ---- The input ---- */

static rh_status map_tiles(rh_huge *h, rh_error *error) {
  void *all = mmap(NULL, h->bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED)
    return rh_fail(error, RH_E_NOMEM, "no addresses for %llu bytes", (unsigned long long)h->bytes);
  h->memory = all;
  for (uint64_t at = 0; at < h->bytes; at += h->tile_bytes)
    if (mmap(h->memory + at, h->tile_bytes, PROT_READ, MAP_SHARED | MAP_FIXED, h->tile.region.file,
             0) == MAP_FAILED)
      return rh_fail(error, RH_E_NOMEM, "no memory for %llu bytes", (unsigned long long)h->bytes);
  return RH_OK;
}

/* Makes the input, and uses it.  Floats are ones and zeros, so that every order of adding them is
 * exact.  RH_DECLINED where there is no memory. */
static rh_status place_input(rh_rig *rig, rh_huge *h, int k) {
  const uint64_t elements = elements_of(k), size = rig->row.element_size;
  const char *kind = rh_type_is_float(rig->type) ? "onehot" : "hash";
  h->tile_bytes = (uint64_t)TILE_PAGES * (uint64_t)sysconf(_SC_PAGESIZE);
  h->bytes = (elements * size + h->tile_bytes - 1) / h->tile_bytes * h->tile_bytes;
  rh_status status = rh_array_reserve(&h->tile, rig->type, h->tile_bytes / size, 1, rig->error);
  if (status == RH_OK) status = rh_array_fill(&h->tile, kind, rig->trial->seed, NULL, rig->error);
  if (status == RH_OK) status = map_tiles(h, rig->error);
  if (status == RH_OK)
    status = rh_fixture_make(&rig->own, rig->session, &rig->row, h->memory, elements,
                             cases[k].index + 2, rig->error);
  return status == RH_E_NOMEM || (status == RH_E_CL && !rig->own.input) ? RH_DECLINED : status;
}

static void rh_huge_finish(rh_huge *h) {
  if (h->memory) munmap(h->memory, h->bytes);
  rh_array_finish(&h->tile);
}

/* Computed from the result of one tile: operators are associative, and exact here. */
static void expect(const rh_huge *h, const rh_op *row, uint64_t first, uint64_t n,
                   unsigned char expected[16]) {
  _Alignas(16) unsigned char tile[16];
  const void *data = rh_array_data(&h->tile);
  uint64_t length = h->tile_bytes / row->element_size, at = first % length;
  memcpy(tile, row->identity, row->value_size);
  memcpy(expected, row->identity, row->value_size);
  row->fold(tile, data, 0, length);
  while (n) {
    uint64_t now = n < length - at ? n : length - at;
    if (now == length) row->combine(expected, tile);
    else row->fold(expected, data, at, now);
    n -= now;
    at = 0;
  }
}

/* ---- One case ---- */

static rh_status run_once(rh_rig *rig, const rh_huge *h, uint64_t n, uint64_t first) {
  _Alignas(16) unsigned char expected[16] = {0};
  rig->n = n;
  rig->first = first;
  RH_TRY(rh_rig_run(rig));
  expect(h, &rig->row, first, n, expected);
  if (rh_rig_gave(rig, expected)) return RH_OK;
  return rh_trial_fail(rig->trial, "%s of %s, n = %llu, first = %llu: wrong result",
                       rh_op_name(rig->op), rh_type_name(rig->type), (unsigned long long)n,
                       (unsigned long long)first);
}

/* RH_DECLINED if what began at `start` takes too long `times` times. */
static rh_status check_patience(rh_rig *rig, double start, double times) {
  double forecast_s = (rh_now() - start) * times;
  if (forecast_s <= (rig->trial->quick ? quick_patience_s : patience_s)) return RH_OK;
  return rh_fail(rig->error, RH_DECLINED, "would take some %.0f s", forecast_s);
}

/* Forecasts the time from a sample first. */
static rh_status run_whole(rh_rig *rig, const rh_huge *h, int k) {
  uint64_t n = cases[k].n;
  RH_TRY(rh_fixture_aim(&rig->own, cases[k].index, rig->error));
  RH_TRY(run_once(rig, h, 1003, 0));
  if (n > SAMPLE) {
    double start = rh_now();
    RH_TRY(run_once(rig, h, SAMPLE, 0));
    RH_TRY(check_patience(rig, start, (double)n / SAMPLE));
  }
  return run_once(rig, h, n, cases[k].first);
}

static rh_status run_segments(rh_rig *rig, const rh_huge *h, const rh_layout *layout) {
  _Alignas(16) unsigned char values[N_ROWS * 16], expected[16] = {0};
  rig->with.segments = layout;
  rig->results = values;
  RH_TRY(rh_rig_run(rig));
  for (uint64_t s = 0; s < layout->segments; s++) {
    uint64_t first = rh_layout_first(layout, s), n = rh_layout_length(layout, s);
    expect(h, &rig->row, first, n, expected);
    if (!rh_op_same_values(&rig->row, rig->type, values + s * rig->row.value_size, expected))
      return rh_trial_fail(rig->trial,
                           "%s of %s, segment %llu (elements %llu on, %llu of them): wrong result",
                           rh_op_name(rig->op), rh_type_name(rig->type), (unsigned long long)s,
                           (unsigned long long)first, (unsigned long long)n);
  }
  return RH_OK;
}

/* Short segments far away; and long rows, where there is time. */
static rh_status run_layout(rh_rig *rig, const rh_huge *h, int k, const rh_layout *layout) {
  const rh_layout sample = rh_layout_axis(N_ROWS, SAMPLE, 1);
  rig->n = elements_of(k);
  if (cases[k].shape == ROWS) {
    double start = rh_now();
    RH_TRY(run_segments(rig, h, &sample));
    RH_TRY(check_patience(rig, start, (double)ROW_ELEMENTS / SAMPLE));
  }
  return run_segments(rig, h, layout);
}

/* The device's memory: an input takes it if it cannot be used in place, a large result always
 * does. */
static rh_status fits(rh_trial *trial, const rh_op *row, int k) {
  if (!trial->session) return RH_OK;
  const rh_cl_device *device = trial->session->device;
  uint64_t result = (cases[k].index + 2) * row->value_size;
  if (cases[k].index > MIDDLE && device->shares_memory)
    return rh_trial_skip(trial, "the device shares the host's memory");
  uint64_t input = elements_of(k) * row->element_size;
  if (rh_cl_input_fits(device, input, "the input", &trial->error) != RH_OK ||
      rh_cl_input_fits(device, result, "the result", &trial->error) != RH_OK)
    return RH_DECLINED;
  return RH_OK;
}

/* RH_DECLINED: not possible here, and the error says why. */
static rh_status try_case(rh_trial *trial, rh_pair pair, int k) {
  const rh_layout layout = cases[k].shape == ROWS ? rh_layout_axis(N_ROWS, ROW_ELEMENTS, 1)
                                                  : rh_layout_offsets(starts, stops, 3);
  const int is_whole = cases[k].shape == WHOLE;
  const rh_rig_with with = {.has_no_place = 1, .segments = is_whole ? NULL : &layout};
  RH_FINISHED(rh_huge) h = {.memory = NULL};
  RH_FINISHED(rh_rig) rig = {.trial = NULL}; /* before the memory that it uses */
  rh_trial_phase(trial, cases[k].what);
  RH_TRY(fits(trial, rh_op_find(pair.op, pair.type), k));
  RH_TRY(rh_rig_open(&rig, trial, pair, is_whole ? cases[k].n : layout.longest, &with));
  RH_TRY(place_input(&rig, &h, k));
  return is_whole ? run_whole(&rig, &h, k) : run_layout(&rig, &h, k, &layout);
}

/* The smallest element type, with an operator whose result does not depend on the order. */
static rh_status find_pair(rh_trial *trial, rh_pair *best) {
  rh_pairs pairs;
  uint32_t least = UINT32_MAX;
  RH_TRY(rh_served_pairs(trial, SAMPLE, RH_MOST_PAIRS, &pairs));
  for (uint32_t k = 0; k < pairs.n; k++) {
    const rh_pair pair = pairs.list[k];
    const rh_op *row = rh_op_find(pair.op, pair.type);
    if (row->flags & RH_OP_INDEXED || pair.op == RH_OP_prod || row->element_size >= least) continue;
    least = row->element_size;
    *best = pair;
  }
  if (least != UINT32_MAX) return RH_OK;
  return rh_trial_skip(trial, "serves no operator and type with an exact result");
}

/* Layouts that are declined are not tried. */
RH_TEST(61, "more elements than fit 24, 31 and 32 bits", RH_NEEDS_DEVICE, RH_OF_STRATEGY, 1, 600,
        20, 0.1) {
  RH_FINISHED(rh_text) missed = {0};
  rh_pair pair = {0};
  RH_TRY(find_pair(trial, &pair));
  const int is_host = rh_strategy_is_host(trial->strategy);
  const int has_layouts = is_host && trial->strategy->promises & RH_SERVES_LAYOUTS;
  rh_status status = RH_OK;
  for (int k = 0; k < CASES && rh_unless_declined(status) == RH_OK; k++) {
    int is_possible = cases[k].shape == WHOLE ? !is_host || cases[k].index <= 1 : has_layouts;
    if (!is_possible || (trial->quick && !cases[k].is_quick)) continue;
    status = try_case(trial, pair, k);
    if (status == RH_DECLINED && cases[k].shape == WHOLE)
      rh_text_add(&missed, "%s%s: %s", missed.length ? "; " : "not tried: ", cases[k].what,
                  trial->error.message);
  }
  status = rh_unless_declined(status);
  if (status == RH_OK && missed.length) return rh_trial_skip(trial, "%s", rh_text_get(&missed));
  return status;
}
