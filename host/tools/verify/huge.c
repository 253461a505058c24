/* V61: sizes, offsets and result indices that do not fit 24, 31 and 32 bits. */
#include "../../core/base/clock.h"
#include "../../core/base/error.h"
#include "../../core/base/vocabulary.h"
#include "../../core/cl/input.h"
#include "../../core/operation/ops.h"
#include "../../core/run/instance.h"
#include "problems.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The input repeats one tile, mapped over and over, so that it takes address space but hardly
 * any memory.  The tile's size divides neither 2^31 nor 2^32, so an index that lost its upper
 * bits reads other elements. */
enum { TILE_PAGES = 1021 };

typedef struct rh_huge {
  rh_array tile;
  int file;
  unsigned char *memory;
  uint64_t tile_bytes, bytes;
} rh_huge;

enum { MIDDLE = (1 << 25) - 11 };
static const struct {
  uint64_t n, first, index;
  const char *what;
} cases[] = {
    /* All bits but a low one are set, so losing any of them changes the value.  No f32 has this
     * value. */
    {1003, MIDDLE, 1, "first beyond 2^24"},
    {1003, 0, MIDDLE >> 5, "result_index beyond 2^19"},
    {MIDDLE, 1, 1, "n beyond 2^24"},
    {((uint64_t)1 << 31) + 1003, 3, 1, "n beyond 2^31"},
    {1003, ((uint64_t)1 << 31) + 5, 1, "first beyond 2^31"},
    {1003, ((uint64_t)1 << 32) + 5, 1, "first beyond 2^32"},
    {((uint64_t)1 << 32) + 1003, 1, 1, "n beyond 2^32"},
    {1003, 0, ((uint64_t)1 << 32) + 3, "result_index beyond 2^32"},
};
enum { CASES = sizeof cases / sizeof *cases, QUICK_CASES = 3, SAMPLE = 1 << 22 };
static const double patience_s = 60, quick_patience_s = 2;

/* ---- The input ---- */

static rh_status map_tiles(rh_huge *h, rh_error *error) {
  h->memory = mmap(NULL, h->bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (h->memory == MAP_FAILED) h->memory = NULL;
  for (uint64_t at = 0; h->memory && at < h->bytes; at += h->tile_bytes)
    if (mmap(h->memory + at, h->tile_bytes, PROT_READ, MAP_SHARED | MAP_FIXED, h->file, 0) ==
        MAP_FAILED)
      return rh_fail(error, RH_E_NOMEM, "no memory for %llu bytes", (unsigned long long)h->bytes);
  if (h->memory) return RH_OK;
  return rh_fail(error, RH_E_NOMEM, "no addresses for %llu bytes", (unsigned long long)h->bytes);
}

/* Floats are ones and zeros, so that every order of adding them is exact. */
static rh_status begin_huge(rh_huge *h, rh_pair pair, uint64_t elements, uint64_t seed,
                            rh_error *error) {
  uint32_t size = rh_op_find(pair.op, pair.type)->element_size;
  const char *kind = rh_type_is_float(pair.type) ? "onehot" : "hash";
  h->tile_bytes = (uint64_t)TILE_PAGES * (uint64_t)sysconf(_SC_PAGESIZE);
  h->bytes = (elements * size + h->tile_bytes - 1) / h->tile_bytes * h->tile_bytes;
  h->file = memfd_create("redhost-tile", MFD_CLOEXEC);
  RH_TRY(rh_array_generate(&h->tile, kind, seed, pair.type, h->tile_bytes / size, NULL, error));
  if (h->file < 0 ||
      pwrite(h->file, rh_array_data(&h->tile), h->tile_bytes, 0) != (ssize_t)h->tile_bytes)
    return rh_fail(error, RH_E_NOMEM, "no memory for %llu bytes",
                   (unsigned long long)h->tile_bytes);
  return map_tiles(h, error);
}

static void end_huge(rh_huge *h) {
  if (h->memory) munmap(h->memory, h->bytes);
  if (h->file >= 0) close(h->file);
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
    if (now == length)
      row->combine(expected, tile);
    else
      row->fold(expected, data, at, now);
    n -= now;
    at = 0;
  }
}

/* ---- One case ---- */

static rh_status run_once(rh_rig *rig, const rh_huge *h, uint64_t n, uint64_t first) {
  _Alignas(16) unsigned char value[16] = {0}, expected[16] = {0};
  rig->n = n;
  rig->first = first;
  RH_TRY(rh_rig_run(rig, value));
  expect(h, &rig->row, first, n, expected);
  if (rh_rig_same(rig, value, expected)) return RH_OK;
  return rh_fail(&rig->error, RH_E_WRONG, "%s of %s, n = %llu, first = %llu: wrong result",
                 rh_op_name(rig->op), rh_type_name(rig->type), (unsigned long long)n,
                 (unsigned long long)first);
}

/* Forecasts the time from a sample first. */
static rh_status run_in_time(rh_rig *rig, const rh_huge *h, uint64_t n, uint64_t first) {
  double most_s = rig->trial->quick ? quick_patience_s : patience_s;
  RH_TRY(run_once(rig, h, 1003, 0));
  if (n > SAMPLE) {
    double start = rh_now();
    RH_TRY(run_once(rig, h, SAMPLE, 0));
    double forecast_s = (rh_now() - start) * (double)n / SAMPLE;
    if (forecast_s > most_s)
      return rh_fail(&rig->error, RH_DECLINED, "would take some %.0f s", forecast_s);
  }
  return run_once(rig, h, n, first);
}

/* The device's memory: an input takes it if it cannot be used in place, a large result always
 * does. */
static rh_status fits(rh_rig *rig, int k) {
  const rh_cl_device *device = rig->session->device;
  uint64_t input = (cases[k].first + cases[k].n) * rig->row.element_size;
  uint64_t result = (cases[k].index + 2) * rig->row.value_size;
  if (cases[k].index > MIDDLE && device->shares_memory)
    return rh_fail(&rig->error, RH_DECLINED, "the device shares the host's memory");
  if (rh_cl_input_fits(device, input, "the input", &rig->error) == RH_OK &&
      rh_cl_input_fits(device, result, "the result", &rig->error) == RH_OK)
    return RH_OK;
  return RH_DECLINED;
}

/* RH_DECLINED: not possible here, and rig->error says why. */
static rh_status try_case(rh_rig *rig, rh_trial *trial, rh_pair pair, int k) {
  rh_huge h = {.file = -1};
  rh_fixture place = {0};
  uint64_t elements = cases[k].first + cases[k].n;
  rh_status status = rh_rig_begin(rig, trial, pair.op, pair.type, cases[k].n);
  if (status == RH_OK && rig->session) status = fits(rig, k);
  if (status == RH_OK) status = rh_rig_setup(rig);
  if (status == RH_OK) status = begin_huge(&h, pair, elements, trial->seed, &rig->error);
  if (status == RH_OK)
    status = rh_fixture_init(&place, rig->session, &rig->row, 0, cases[k].index + 2, &rig->error);
  if (status == RH_OK) status = rh_fixture_put(&place, h.memory, elements, &rig->error);
  if (status == RH_E_NOMEM || (status == RH_E_CL && !place.input)) status = RH_DECLINED;
  rig->place = &place;
  if (status == RH_OK) status = rh_fixture_aim(&place, cases[k].index, &rig->error);
  if (status == RH_OK) status = run_in_time(rig, &h, cases[k].n, cases[k].first);
  rh_rig_teardown(rig);
  rh_fixture_finish(&place);
  end_huge(&h);
  return status;
}

/* ---- Segments, of host strategies ---- */

enum { ROWS = 5, FAR = 3 };
static const uint64_t far_starts[FAR] = {((uint64_t)1 << 32) + 5, 7, ((uint64_t)1 << 31) + 5},
                      far_stops[FAR] = {((uint64_t)1 << 32) + 1008, 1007, ((uint64_t)1 << 31) + 9};

static rh_status run_segments(rh_rig *rig, const rh_huge *h, const rh_layout *layout) {
  _Alignas(16) unsigned char values[ROWS * 16], expected[16] = {0};
  rig->with.segments = layout;
  rig->results = values;
  RH_TRY(rh_rig_run(rig, expected));
  for (uint64_t s = 0; s < layout->segments; s++) {
    uint64_t first = rh_layout_first(layout, s), n = rh_layout_length(layout, s);
    expect(h, &rig->row, first, n, expected);
    if (!rh_rig_same(rig, values + s * rig->row.value_size, expected))
      return rh_fail(&rig->error, RH_E_WRONG,
                     "%s of %s, segment %llu (elements %llu on, %llu of them): wrong result",
                     rh_op_name(rig->op), rh_type_name(rig->type), (unsigned long long)s,
                     (unsigned long long)first, (unsigned long long)n);
  }
  return RH_OK;
}

/* Short segments far away; and long rows, where there is time. */
static rh_status try_segments(rh_rig *rig, rh_trial *trial, rh_pair pair, int by_rows) {
  const rh_layout layout = by_rows ? rh_layout_axis(ROWS, ((uint64_t)1 << 30) + 7, 1)
                                   : rh_layout_offsets(far_starts, far_stops, FAR);
  const rh_layout sample = rh_layout_axis(ROWS, SAMPLE, 1);
  uint64_t elements = by_rows ? ROWS * layout.length : far_stops[0];
  rh_huge h = {.file = -1};
  rh_fixture place = {0};
  rh_status status = rh_rig_begin(rig, trial, pair.op, pair.type, layout.longest);
  rig->with.segments = &layout;
  if (status == RH_OK) status = rh_rig_setup(rig);
  if (status == RH_OK) status = begin_huge(&h, pair, elements, trial->seed, &rig->error);
  if (status == RH_OK) status = rh_fixture_init(&place, NULL, &rig->row, 0, 2, &rig->error);
  if (status == RH_OK) status = rh_fixture_put(&place, h.memory, elements, &rig->error);
  if (status == RH_E_NOMEM) status = RH_DECLINED;
  rig->place = &place;
  rig->n = elements;
  double start = rh_now();
  if (status == RH_OK && by_rows) status = run_segments(rig, &h, &sample);
  if (by_rows && (rh_now() - start) * (double)layout.length / SAMPLE > patience_s)
    status = rh_fail(&rig->error, RH_DECLINED, "would take more than %.0f s", patience_s);
  if (status == RH_OK) status = run_segments(rig, &h, &layout);
  rh_rig_teardown(rig);
  rh_fixture_finish(&place);
  end_huge(&h);
  return status;
}

/* Layouts that are declined are not tried. */
static rh_outcome try_all_segments(rh_trial *trial, rh_pair pair) {
  rh_outcome outcome = RH_PASS;
  if (!(trial->strategy->promises & RH_SERVES_LAYOUTS) || !rh_strategy_is_host(trial->strategy))
    return RH_PASS;
  for (int k = 0; k < (trial->quick ? 1 : 2) && outcome == RH_PASS; k++) {
    rh_rig rig;
    rh_trial_phase(trial, k ? "rows beyond 2^32" : "segments beyond 2^32");
    rh_status status = try_segments(&rig, trial, pair, k);
    if (status != RH_DECLINED) outcome = rh_rig_outcome(trial, &rig, status);
    rh_rig_finish(&rig);
  }
  return outcome;
}

/* The smallest element type, with an operator whose result does not depend on the order. */
static int find_pair(rh_trial *trial, rh_pair *best) {
  rh_pair pairs[RH_MOST_PAIRS];
  uint32_t n = rh_served_pairs(trial, SAMPLE, pairs), least = UINT32_MAX;
  for (uint32_t k = 0; k < n; k++) {
    const rh_op *row = rh_op_find(pairs[k].op, pairs[k].type);
    if (row->flags & RH_OP_INDEXED || pairs[k].op == RH_OP_prod || row->element_size >= least)
      continue;
    least = row->element_size;
    *best = pairs[k];
  }
  if (n && least == UINT32_MAX)
    rh_trial_skip(trial, "serves no operator and type with an exact result");
  return least != UINT32_MAX;
}

rh_outcome rh_v61_huge(rh_trial *trial) {
  rh_text missed = {0};
  rh_pair pair = {0};
  rh_outcome outcome = RH_PASS;
  if (!find_pair(trial, &pair)) return RH_SKIP;
  for (int k = 0; k < (trial->quick ? QUICK_CASES : CASES) && outcome == RH_PASS; k++) {
    rh_rig rig;
    if (cases[k].index > 1 && rh_strategy_is_host(trial->strategy)) continue;
    rh_trial_phase(trial, cases[k].what);
    rh_status status = try_case(&rig, trial, pair, k);
    if (status == RH_DECLINED)
      rh_text_add(&missed, "%s%s: %s", missed.length ? "; " : "not tried: ", cases[k].what,
                  rig.error.message);
    else
      outcome = rh_rig_outcome(trial, &rig, status);
    rh_rig_finish(&rig);
  }
  if (outcome == RH_PASS) outcome = try_all_segments(trial, pair);
  if (outcome == RH_PASS && missed.length)
    outcome = rh_trial_skip(trial, "%s", rh_text_get(&missed));
  rh_text_finish(&missed);
  return outcome;
}
