/* How an operator of the user's is made. */
#pragma once

#include "custom.h"

/* ---- The steps of rh_custom_create() ---- */

/* Expressions over the operands and constants. */
rh_status rh_custom_expressions(const rh_custom *self, rh_exprs **made, rh_error *error);

/* definition->ops as numbers. */
rh_status rh_custom_parse_ops(const rh_definition *definition, uint32_t ops[RH_MOST_FIELDS],
                              uint32_t *n, rh_error *error);

/* A struct of several built-in operators' values, of these maps, or of the definition's fields. */
rh_status rh_custom_make_parts(rh_custom *self, const rh_definition *definition,
                               const uint32_t *ops, uint32_t n_ops, const rh_exprs *maps,
                               rh_error *error);
rh_status rh_custom_make_fields(rh_custom *self, const rh_definition *definition, rh_error *error);

/* The map of one of several operators; the only one if there are not several.  malloc'ed; null if
 * out of memory. */
char *rh_custom_map_of(const rh_custom *self, const rh_definition *definition, uint32_t part);

/* Those of a struct's fields, bit k: field k, that are combined from them alone. */
uint64_t rh_custom_closed(const rh_custom *self, uint64_t fields);
/* Finds what is known of the fields of a struct that is made. */
void rh_custom_find_kinds(rh_custom *self);

/* The results' names and expressions. */
rh_status rh_custom_make_results(rh_custom *self, const rh_definition *definition, rh_error *error);

/* For calls.c. */
char *rh_custom_prelude(const rh_operator *face);
int rh_custom_enclose(const rh_operator *face, uint32_t field, const rh_arrays *arrays,
                      uint64_t first, uint64_t n, const double *host, double *low, double *high);
void rh_custom_decode(const rh_operator *face, const void *value, uint64_t n, rh_result *result);
void rh_custom_results(const rh_operator *face, const void *values, const uint64_t *lengths,
                       uint64_t n, void *const *to);

/* Fills in `user` of self->op, which is `self`, what gets it, and face.calls. */
void rh_custom_give_functions(rh_custom *self);

/* Mean and variance on the host: moments.c. */

typedef struct rh_moments {
  double n, mean, m2; /* the fields, as they stand in a value */
  double large;       /* where squares may overflow: m2 of differences times RH_MOMENTS_LARGE */
} rh_moments;
#define RH_MOMENTS_LARGE 0x1p-128

/* Both of at least one element; b->n/n is 1/2 where they have as many, without a division. */
static inline rh_moments rh_moments_of_both(rh_moments a, rh_moments b) {
  double n = a.n + b.n, r = a.n == b.n ? 0.5 : b.n / n, d = b.mean - a.mean;
  double e = d * RH_MOMENTS_LARGE;
  return (rh_moments){n, isfinite(d) ? a.mean + d * r : a.mean * (1 - r) + b.mean * r,
                      a.m2 + b.m2 + d * d * a.n * r, a.large + b.large + e * e * a.n * r};
}

/* The bits of t in reverse order, as many as numbers below `end` have, a power of two: if item t
 * stands there, neighbours are in the two halves of an array, at the same places of them. */
static inline uint64_t rh_bits_reversed(uint64_t t, uint64_t end) {
  uint64_t result = 0;
  for (uint64_t bit = 1; bit < end; bit *= 2, t /= 2) result = 2 * result + t % 2;
  return result;
}

/* Four lanes each of `tiles` tiles at x, a power of two up to RH_MOMENTS_MOST_TILES, of
 * RH_MOMENTS_ROW_F32 lanes, which f32 usually has: lane l of tile t, to l * tiles + (t's bits in
 * reverse order).  By this processor's own instructions; null: it has none that are known.  [any
 * thread] */
enum { RH_MOMENTS_ROW_F32 = 128, RH_MOMENTS_MOST_TILES = 64, RH_MOMENTS_WIDE_LANES = 4 };
typedef void rh_moments_tiles(const float *x, uint64_t tiles, double *mean, double *m2);
rh_moments_tiles *rh_moments_wide(void);

/* The tiles by vectors of 256 bits, of 512, or of 256 in the registers of AVX-512, of which there
 * are twice as many; null: not on this processor.  For tests. */
enum { RH_MOMENTS_256, RH_MOMENTS_512, RH_MOMENTS_256VL, RH_MOMENTS_WIDE /* so many */ };
rh_moments_tiles *rh_moments_wide_by(int kind);

/* Combines the two halves of so many pieces of n elements each, a power of two, until there is one,
 * which comes first. */
void rh_moments_join(double *mean, double *m2, uint64_t pieces, double n);

/* Does the operator compute what this file does?  It has the texts of library/meanvar.json, but for
 * what is loaded as the mean. */
int rh_moments_is(const rh_custom *self, const rh_definition *of);

/* *value = that of n elements from `first` on, in whole tiles, a power of two up to
 * RH_MOMENTS_MOST_TILES, or less than a tile has: bit for bit what the expressions give.  0, of
 * tiles only: two means are too far apart for their difference or its square, or not finite, or all
 * are too near for `large`, and *value is not what the expressions give. */
int rh_moments_reduce(const rh_custom *self, const rh_arrays *arrays, uint64_t first, uint64_t n,
                      void *value);

/* ---- Lines and columns of values in a JSON text, which the JSON library does not tell ---- */

/* From 1; columns in characters. */
typedef struct rh_json_place {
  uint32_t line, column;
} rh_json_place;

/* Where the value begins that a path leads to: path[0] is the number of a member of the text's
 * object, path[1] that of an item or member in it, and so on, up to RH_ITEM_WHOLE; of_name: the
 * last member's name instead.  Members are counted in their order in the text.  The text has been
 * read as JSON: of another one, some place is returned. */
rh_json_place rh_json_place_find(const char *json, const int64_t *path, int of_name);

/* The place of byte `byte` of the string that begins at `string`, once its escapes are read.  From
 * the end on, that of the quotation mark. */
rh_json_place rh_json_place_in(const char *json, rh_json_place string, size_t byte);

/* RH_E_FILE with the place and the line of what is wrong in a text that is not JSON. */
rh_status rh_json_refuse(const char *json, size_t length, const char *origin,
                         const json_error_t *why, rh_error *error);
