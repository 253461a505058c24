#include "segments.h"

/* ---- Cuts ---- */

rh_cut rh_cut_of(const rh_layout *layout) {
  if (!layout || layout->elements == 0) return (rh_cut){0};
  uint64_t average = layout->elements / layout->segments;
  if (layout->kind == RH_LAYOUT_AXIS)
    return (rh_cut){layout->length, layout->inner > 1 ? RH_LENGTHS_columns : RH_LENGTHS_fixed};
  if (average == 0) average = 1;
  if (layout->longest <= average + 1) return (rh_cut){average, RH_LENGTHS_alternate};
  if (layout->longest <= 3 * average) return (rh_cut){average, RH_LENGTHS_uniform};
  if (layout->longest < layout->elements / 4) return (rh_cut){average, RH_LENGTHS_power};
  average = (layout->elements - layout->longest) / (layout->segments - 1);
  return (rh_cut){average ? average : 1, RH_LENGTHS_giant};
}

static int has_offsets(const rh_cut *cut) {
  return cut->distribution != RH_LENGTHS_fixed && cut->distribution != RH_LENGTHS_columns;
}

double rh_cuts_apart(const rh_cut *a, const rh_cut *b) {
  if (a->length == 0 || b->length == 0) return a->length == b->length ? 0 : INFINITY;
  double octaves = fabs(log2((double)a->length) - log2((double)b->length));
  if (a->distribution == b->distribution) return octaves;
  return octaves + (has_offsets(a) && has_offsets(b) ? 1 : 100);
}

/* ---- Lengths, one after the other ---- */

typedef struct series {
  uint32_t kind;
  uint64_t typical, n;
  uint64_t random; /* the generator's state */
  uint64_t s;      /* the next segment */
  int had_giant;
} series;

/* 0 to range-1 */
static uint64_t below(series *of, uint64_t range) { return rh_random_next(&of->random) % range; }

/* The density is x^-1.5 from 1 to the square of the typical length, whose mean is that length. */
static uint64_t by_power(series *of) {
  double u = (double)(rh_random_next(&of->random) >> 11) * 0x1p-53;
  double root = 1 - u * (1 - 1 / (double)of->typical);
  return (uint64_t)(1 / (root * root));
}

/* The next one, that begins behind `done` elements. */
static uint64_t next(series *of, uint64_t done) {
  uint64_t typical = of->typical, s = of->s++;
  switch (of->kind) {
  case RH_LENGTHS_alternate: return typical + s % 2;
  case RH_LENGTHS_uniform: return below(of, 2 * typical + 1);
  case RH_LENGTHS_power: return by_power(of);
  case RH_LENGTHS_sparse: return below(of, 10) ? 0 : 1 + below(of, 20 * typical);
  default: break;
  }
  if (of->had_giant || done < of->n / 4) return typical;
  of->had_giant = 1;
  return of->n / 2;
}

/* The last one ends with the data. */
static uint64_t fill(series of, uint64_t *offsets) {
  uint64_t at = 0, s = 0;
  while (at < of.n) {
    uint64_t length = next(&of, at);
    if (offsets) offsets[s] = at;
    at = length < of.n - at ? at + length : of.n;
    s++;
  }
  if (offsets) offsets[s] = at;
  return s;
}

rh_status rh_lengths_make(rh_lengths *made, uint32_t kind, uint64_t length, uint64_t n,
                          uint64_t seed, rh_error *error) {
  uint64_t segments = n / length;
  rh_lengths_finish(made);
  if (kind == RH_LENGTHS_fixed || kind == RH_LENGTHS_columns) {
    *made = (rh_lengths){.kind = kind, .length = length, .of = n, .n = segments * length};
    made->layout = kind == RH_LENGTHS_fixed ? rh_layout_axis(segments, length, 1)
                                            : rh_layout_axis(1, length, segments);
    return RH_OK;
  }
  const series of = {
      .kind = kind, .typical = length, .n = n, .random = rh_random_mix(seed ^ length << 8 ^ kind)};
  uint64_t *offsets;
  segments = fill(of, NULL);
  RH_TRY(RH_NEW(&offsets, segments + 1, "the offsets of segments", error));
  fill(of, offsets);
  *made = (rh_lengths){.kind = kind, .length = length, .of = n, .n = n, .offsets = offsets};
  made->layout = rh_layout_offsets(offsets, offsets + 1, segments);
  return RH_OK;
}

void rh_lengths_finish(rh_lengths *made) {
  free(made->offsets);
  *made = (rh_lengths){0};
}

uint64_t rh_lengths_bytes(const rh_lengths *made, const rh_operator *op) {
  uint64_t segments = made->layout.segments;
  uint64_t offsets = made->offsets ? (segments + 1) * sizeof *made->offsets : 0;
  return made->n * rh_operator_element_bytes(op) + offsets + segments * op->abi->value_size;
}
