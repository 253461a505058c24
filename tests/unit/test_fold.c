/* Folding the values of chunks: the bits of the whole in the canonical order, however the data are
 * cut and in whatever order the parts arrive.  cli.ways.bits has operators of users. */
#include <redhost/canonical.h>

#include "../../host/engine/partial/partial.h"
#include "../suite/suite.h"

enum { MOST_TILES = 77, MOST_BYTES = MOST_TILES * RH_CANONICAL_TILE_BYTES, ROUNDS = 40 };

typedef struct part {
  uint32_t level;
  uint64_t index;
  rh_canonical_value value;
} part;

/* A way to reduce elements first .. first+n-1 as a reduction of their own. */
typedef struct source {
  const rh_op *op;
  rh_type type;
  const void *data;
} source;

static uint64_t seed;

static uint64_t below(uint64_t n) { return rh_random_next(&seed) % n; }

static void value_of(const source *s, uint64_t first, uint64_t n, void *value) {
  const char *from = (const char *)s->data + first * s->op->element_size;
  memset(value, 0, s->op->value_size);
  if (s->op->flags & RH_OP_EXACT) {
    memcpy(value, s->op->identity, s->op->value_size);
    s->op->fold(value, from, 0, n);
  } else {
    rh_canonical_fold(s->op, from, 0, n, value);
  }
  rh_fold_rebase(s->op, value, first);
}

/* Runs of units, of any aligned lengths, as several processes and chunks would have them. */
static uint32_t cut(const source *s, uint64_t n, uint64_t unit, part *parts) {
  uint64_t units = (n + unit - 1) / unit;
  uint32_t count = 0;
  for (uint64_t at = 0; at < units;) {
    uint32_t level = rh_fold_level(at, units - at, (uint32_t)below(4));
    uint64_t first = at * unit, length = unit << level;
    if (length > n - first) length = n - first;
    parts[count].level = level;
    parts[count].index = at >> level;
    value_of(s, first, length, &parts[count++].value);
    at += UINT64_C(1) << level;
  }
  return count;
}

static void shuffle(part *parts, uint32_t n) {
  for (uint32_t k = n; k > 1; k--) {
    uint32_t j = (uint32_t)below(k);
    part other = parts[j];
    parts[j] = parts[k - 1];
    parts[k - 1] = other;
  }
}

/* A node has the value, and the same again. */
static void add(rh_fold *fold, const part *p) {
  _Alignas(16) unsigned char values[2 * sizeof p->value];
  for (uint32_t k = 0; k < 2; k++) memcpy(values + k * fold->stride, &p->value, fold->stride);
  must(rh_fold_add(fold, p->level, p->index, values, &error));
}

/* Half of the parts in a fold of their own, whose nodes are brought over. */
static void fold_parts(rh_fold *fold, const part *parts, uint32_t n) {
  FINISHED(rh_fold) other = {0};
  rh_fold_init(&other, fold->op, 2, fold->unit);
  for (uint32_t k = 0; k < n; k++) add(k % 2 ? &other : fold, &parts[k]);
  for (uint32_t k = 0; k < other.n; k++)
    must(rh_fold_add(fold, other.nodes[k].level, other.nodes[k].index, rh_fold_values(&other, k),
                     &error));
}

static void check_cuts(const source *s, const char *name) {
  static part parts[MOST_TILES];
  uint64_t tile = rh_canonical_tile(s->op);
  for (int round = 0; round < ROUNDS; round++) {
    uint64_t n = 1 + below(MOST_TILES * tile), unit = tile << below(4);
    if (round % 2)
      n = 64 * tile - below(tile); /* whose last part meets neighbours at every level */
    rh_canonical_value whole, folded;
    FINISHED(rh_fold) fold = {0};
    memset(&folded, 0, sizeof folded);
    value_of(s, 0, n, &whole);
    uint32_t count = cut(s, n, unit, parts);
    if (round % 3) shuffle(parts, count);
    rh_fold_init(&fold, s->op, 2, unit);
    fold_parts(&fold, parts, count);
    for (uint32_t which = 0; which < 2; which++) {
      must(rh_fold_value(&fold, which, &folded, &error));
      ck_assert_msg(rh_op_same_values(s->op, s->type, &whole, &folded),
                    "%s: n = %llu in %u parts of units of %llu", name, (unsigned long long)n, count,
                    (unsigned long long)unit);
    }
  }
}

static void *data_of(uint32_t op, rh_type type) {
  uint64_t *data = malloc(MOST_BYTES);
  if (rh_type_is_float(type)) rh_canonical_data(op, type, 7, data, MOST_BYTES / rh_type_size(type));
  else
    for (size_t k = 0; k < MOST_BYTES / sizeof *data; k++)
      data[k] =
          rh_random_mix(k) | 1; /* even factors of affine would leave the last elements only */
  return data;
}

TEST_LOOP(built_in, 1, RH_N_OPS + 1) {
  for (rh_type type = 1; type <= RH_N_TYPES; type++) {
    uint32_t op = (uint32_t)_i;
    if (!rh_op_is_defined(op, type)) continue;
    char name[64];
    source s = {rh_op_find(op, type), type, data_of(op, type)};
    snprintf(name, sizeof name, "%s %s", rh_op_name(op), rh_type_name(type));
    check_cuts(&s, name);
    free((void *)(uintptr_t)s.data);
  }
}

/* ---- What the fold keeps and refuses ---- */

static void add_one(rh_fold *fold, uint32_t level, uint64_t index, rh_status expected) {
  const uint64_t one[2] = {level < 64 ? UINT64_C(1) << level : 0}; /* a value takes 16 bytes */
  ck_assert_msg(rh_fold_add(fold, level, index, one, &error) == expected, "%s", error.message);
  ck_assert(expected == RH_OK || *error.message);
}

TEST(keeps_few_nodes) {
  FINISHED(rh_fold) fold = {0};
  rh_fold_init(&fold, rh_op_find(RH_OP_sum, RH_TYPE_u64), 1, 1);
  uint32_t most = 0;
  for (uint64_t k = 0; k < 100000; k++) {
    add_one(&fold, 0, k, RH_OK);
    if (fold.n > most) most = fold.n;
  }
  ck_assert_uint_le(most, 17);
  uint64_t sum;
  ck_assert_int_eq(rh_fold_value(&fold, 0, &sum, NULL), RH_OK);
  ck_assert_uint_eq(sum, 100000);
}

TEST(refuses_overlaps_and_gaps) {
  FINISHED(rh_fold) fold = {0};
  uint64_t sum;
  rh_fold_init(&fold, rh_op_find(RH_OP_sum, RH_TYPE_u64), 1, 1);
  add_one(&fold, 2, 1, RH_OK); /* units 4 to 7 */
  add_one(&fold, 0, 5, RH_E_INVALID);
  add_one(&fold, 3, 0, RH_E_INVALID);
  add_one(&fold, 2, 1, RH_E_INVALID);
  must_fail(rh_fold_value(&fold, 0, &sum, &error), RH_E_INVALID, "element 0");
  add_one(&fold, 1, 0, RH_OK);
  must_fail(rh_fold_value(&fold, 0, &sum, &error), RH_E_INVALID, "element 2");
  add_one(&fold, 1, 1, RH_OK);
  must(rh_fold_value(&fold, 0, &sum, &error));
  ck_assert_uint_eq(sum, 8);
  ck_assert_uint_eq(fold.n, 1);
  add_one(&fold, 64, 0, RH_E_INVALID);
  add_one(&fold, 60, 16, RH_E_INVALID);
}

TEST(nothing_is_the_identity) {
  FINISHED(rh_fold) fold = {0};
  float sum = 1;
  rh_fold_init(&fold, rh_op_find(RH_OP_sum, RH_TYPE_f32), 1, 1);
  ck_assert_int_eq(rh_fold_value(&fold, 0, &sum, NULL), RH_OK);
  ck_assert(sum == 0 && __builtin_signbit(sum));
}
