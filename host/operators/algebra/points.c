#include "points.h"
#include "../../core/base/random.h"

#include <string.h>

enum { POINTS = 4, FIELDS = RH_MOST_FIELDS };

static uint64_t random_point(uint64_t *seed) {
  return rh_random_next(seed) >> 3; /* below 2^61 */
}

static int combine(const rh_custom *of, const uint64_t *a, const uint64_t *b, uint64_t *result) {
  uint64_t variables[2 * FIELDS];
  memcpy(variables, a, of->n_fields * sizeof *a);
  memcpy(variables + of->n_fields, b, of->n_fields * sizeof *b);
  return rh_exprs_modular(of->combine, variables, result);
}

static int load(const rh_custom *of, uint64_t *seed, uint64_t *value) {
  uint64_t variables[RH_MOST_OPERANDS];
  for (uint32_t k = 0; k < of->face.n_operands; k++) variables[k] = random_point(seed);
  return rh_exprs_modular(of->load, variables, value);
}

/* Reaches a value of two elements. */
static int reach(const rh_custom *of, uint64_t *seed, uint64_t *value) {
  uint64_t a[FIELDS], b[FIELDS];
  return load(of, seed, a) && load(of, seed, b) && combine(of, a, b, value);
}

static void any_value(const rh_custom *of, uint64_t *seed, uint64_t *value) {
  for (uint32_t k = 0; k < of->n_fields; k++) value[k] = random_point(seed);
}

/* 1: the sides are equal; 0: they differ; -1: they cannot be computed. */
static int are_equal(const rh_custom *of, rh_law law, uint64_t v[3][FIELDS]) {
  uint64_t left[FIELDS], right[FIELDS], room[FIELDS];
  int ok;
  if (law == RH_LAW_COMMUTATIVE)
    ok = combine(of, v[0], v[1], left) && combine(of, v[1], v[0], right);
  else
    ok = combine(of, v[0], v[1], room) && combine(of, room, v[2], left) &&
         combine(of, v[1], v[2], room) && combine(of, v[0], room, right);
  return ok ? memcmp(left, right, of->n_fields * sizeof *left) == 0 : -1;
}

int rh_points_try(const rh_custom *of, rh_law law, uint64_t *seed) {
  uint64_t v[3][FIELDS] = {{0}};
  for (int point = 0; point < POINTS; point++) {
    int reached = 1;
    for (int k = 0; k < 3; k++) reached = reached && reach(of, seed, v[k]);
    for (int k = 0; k < 3 && !reached; k++) any_value(of, seed, v[k]);
    int equal = are_equal(of, law, v);
    if (equal < 0 || (!equal && !reached)) return 0;
    if (!equal) return -1;
  }
  return 1;
}
