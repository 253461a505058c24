/* rh_reduce_part(), rh_merge_parts() and rh_part_result(): any cut, merged in any order, gives the
 * bits of one call; what does not go together, or was damaged, is refused with a sentence. */
#include "../../host/core/base/hash.h"
#include "../../host/core/base/random.h"
#include "../../host/core/base/vocabulary.h"
#include "../../host/core/data/array.h"
#include "../suite/suite.h"
#include "library.h"

enum { N = 20011, MOST_PARTS = 1000 };

static uint64_t seed = 1;

static uint64_t below(uint64_t n) {
  return rh_random_next(&seed) % n;
}

typedef struct part {
  void *bytes;
  uint64_t size;
} part;

static void let_go(part *parts, uint32_t n) {
  for (uint32_t k = 0; k < n; k++) rh_part_free(parts[k].bytes);
}

/* ---- Problems ---- */

typedef struct problem {
  rh_request request; /* of the whole */
  rh_input inputs[2];
  void *data[2];
} problem;

static uint32_t operands_of(const problem *p) {
  return p->request.n_inputs ? (uint32_t)p->request.n_inputs : 1;
}

static rh_type type_of(const problem *p, uint32_t k) {
  return p->request.n_inputs ? p->inputs[k].type : p->request.type;
}

static void *generate(rh_type type, uint64_t n, uint64_t of_seed) {
  if (n == 0) n = 1;
  void *data = malloc(n * rh_type_size(type));
  rh_generate(rh_type_is_float(type) ? "uniform" : "hash", of_seed, type, n, 0, n, data);
  return data;
}

static void make(problem *p, const char *op, rh_type type, uint64_t n) {
  *p = (problem){
      .request = {
          .struct_size = sizeof p->request, .strategy = "native", .op = op, .type = type, .n = n}};
  p->request.data = p->data[0] = generate(type, n, 1);
}

static void make_mapped(problem *p, const char *op, const char *map, rh_type x, rh_type y,
                        uint64_t n) {
  make(p, op, x, n);
  p->request.map = map;
  p->data[1] = generate(y, n, 2);
  p->inputs[0] = (rh_input){.name = "x", .type = x, .data = p->data[0]};
  p->inputs[1] = (rh_input){.name = "y", .type = y, .data = p->data[1]};
  p->request.data = NULL;
  p->request.inputs = p->inputs;
  p->request.n_inputs = strchr(map, 'y') ? 2 : 1;
}

static void drop(problem *p) {
  free(p->data[0]);
  free(p->data[1]);
}

/* Elements first .. stop-1 as a request of their own. */
static rh_status reduce_some(const problem *p, uint64_t first, uint64_t stop, uint64_t whole_n,
                             part *made) {
  problem some = *p;
  some.request.n = stop - first;
  some.request.inputs = p->request.inputs ? some.inputs : NULL;
  for (uint32_t k = 0; k < operands_of(p); k++) {
    const char *at = (const char *)p->data[k] + first * rh_type_size(type_of(p, k));
    some.inputs[k].data = at;
    if (!p->request.inputs) some.request.data = at;
  }
  return rh_reduce_part(redhost, &some.request, first, whole_n, &made->bytes, &made->size, &error);
}

/* ---- Cuts ---- */

static int in_order(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static void cut(uint64_t *starts, uint32_t n_parts, uint64_t n, uint64_t grain) {
  for (uint32_t k = 0; k <= n_parts; k++) starts[k] = n ? below(n + 1) / grain * grain : 0;
  starts[0] = 0;
  starts[n_parts] = n;
  qsort(starts, n_parts + 1, sizeof *starts, in_order);
}

static void shuffle(part *parts, uint32_t n) {
  for (uint32_t k = n; k > 1; k--) {
    uint32_t j = (uint32_t)below(k);
    part other = parts[j];
    parts[j] = parts[k - 1];
    parts[k - 1] = other;
  }
}

static rh_status merge(const part *parts, uint32_t n, part *made) {
  static const void *bytes[MOST_PARTS];
  static uint64_t sizes[MOST_PARTS];
  for (uint32_t k = 0; k < n; k++) {
    bytes[k] = parts[k].bytes;
    sizes[k] = parts[k].size;
  }
  return rh_merge_parts(redhost, bytes, sizes, n, &made->bytes, &made->size, &error);
}

/* As a tree of merges, of a few parts at a time. */
static void merge_all(part *parts, uint32_t n, part *whole) {
  while (n > 1) {
    uint32_t made = 0;
    for (uint32_t at = 0; at < n; made++) {
      uint32_t count = 1 + (uint32_t)below(40);
      if (count > n - at) count = n - at;
      part one;
      must(merge(parts + at, count, &one));
      let_go(parts + at, count);
      parts[made] = one;
      at += count;
    }
    n = made;
  }
  *whole = parts[0];
}

static void check_cut(const problem *p, const rh_result *one, uint32_t n_parts, uint64_t grain,
                      const char *name) {
  static uint64_t starts[MOST_PARTS + 1];
  static part parts[MOST_PARTS];
  uint64_t n = p->request.n, whole_n = below(2) || strchr(name, 'n') == name ? n : 0;
  rh_result found = {.struct_size = sizeof found};
  char what[160];
  part whole;
  snprintf(what, sizeof what, "%s, n = %llu in %u parts", name, (unsigned long long)n, n_parts);
  cut(starts, n_parts, n, grain);
  for (uint32_t k = 0; k < n_parts; k++) {
    rh_status status = reduce_some(p, starts[k], starts[k + 1], whole_n, &parts[k]);
    ck_assert_msg(status == RH_OK, "%s: %s", what, error.message);
  }
  shuffle(parts, n_parts);
  merge_all(parts, n_parts, &whole);
  rh_status status = rh_part_result(redhost, whole.bytes, whole.size, &found, &error);
  ck_assert_msg(status == RH_OK, "%s: %s", what, error.message);
  must_be_same(&found, one, what);
  rh_part_free(whole.bytes);
}

static void check_all(problem *p, uint64_t grain, const char *name) {
  rh_result one = {.struct_size = sizeof one};
  must(rh_reduce(redhost, &p->request, &one, &error));
  for (uint32_t n_parts = 1; n_parts <= 7; n_parts += n_parts == 1 ? 1 : 5)
    check_cut(p, &one, n_parts, grain, name);
}

/* ---- Bits ---- */

CASES(partials, .set_up = set_up, .tear_down = tear_down)

TEST_LOOP(built_in_operators_of_all_types, 1, RH_N_OPS + 1) {
  static const uint64_t sizes[] = {1, 7, 2049, N};
  for (rh_type type = 1; type <= RH_N_TYPES; type++) {
    if (!rh_op_is_defined((uint32_t)_i, type)) continue;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
      char name[64];
      problem p;
      make(&p, rh_op_name((uint32_t)_i), type, sizes[k]);
      snprintf(name, sizeof name, "%s of %s", rh_op_name((uint32_t)_i), rh_type_name(type));
      check_all(&p, 1, name);
      drop(&p);
    }
  }
}

static const struct {
  const char *name, *op, *map;
  rh_type x, y;
  uint64_t grain;
} maps[] = {
    {"products", "sum", "x*y", RH_TYPE_f32, RH_TYPE_f64, 1},
    {"products of halves", "sum", "x*y", RH_TYPE_f16, RH_TYPE_f16, 1},
    {"by index", "sum", "x*(i % 1000)", RH_TYPE_f64, RH_TYPE_f64, 1},
    {"n in the map", "sum", "x*n", RH_TYPE_f64, RH_TYPE_f64, 1},
    {"the least difference", "argmin", "x - y", RH_TYPE_f32, RH_TYPE_f32, 1},
    {"several", "min,max,sum", "x*y", RH_TYPE_f64, RH_TYPE_f64, 1},
    {"indices of several", "argmin,argmax", "x", RH_TYPE_i32, RH_TYPE_i32, 1},
    {"mean and variance", "meanvar", NULL, RH_TYPE_f32, RH_TYPE_f32, 1},
    {"sines", "sum", "sin(x)", RH_TYPE_f32, RH_TYPE_f32, 512},
    {"the largest of sines", "max", "sin(x)", RH_TYPE_f64, RH_TYPE_f64, 256},
};

TEST_LOOP(operators_of_ones_own, 0, sizeof maps / sizeof *maps) {
  problem p;
  if (maps[_i].map)
    make_mapped(&p, maps[_i].op, maps[_i].map, maps[_i].x, maps[_i].y, N);
  else
    make(&p, maps[_i].op, maps[_i].x, N);
  check_all(&p, maps[_i].grain, maps[_i].name);
  drop(&p);
}

TEST(thousand_parts) {
  rh_result one = {.struct_size = sizeof one};
  problem p;
  make(&p, "sum", RH_TYPE_f32, N);
  must(rh_reduce(redhost, &p.request, &one, &error));
  check_cut(&p, &one, MOST_PARTS, 1, "sum");
  p.request.accuracy = RH_ACCURACY_EXACT;
  must(rh_reduce(redhost, &p.request, &one, &error));
  check_cut(&p, &one, 100, 1, "exact sum");
  drop(&p);
}

TEST(nothing_is_a_part) {
  rh_result found = {.struct_size = sizeof found};
  problem p;
  part none;
  make(&p, "sum", RH_TYPE_f32, 0);
  must(reduce_some(&p, 0, 0, 0, &none));
  must(rh_part_result(redhost, none.bytes, none.size, &found, &error));
  ck_assert(found.value.f == 0);
  rh_part_free(none.bytes);
  p.request.op = "min";
  must(reduce_some(&p, 0, 0, 0, &none));
  must_fail(rh_part_result(redhost, none.bytes, none.size, &found, &error), RH_E_FILE,
            "min of no elements");
  rh_part_free(none.bytes);
  drop(&p);
}

/* ---- What does not go together ---- */

static void must_not_merge(const part *a, const part *b, const char *words) {
  const part both[] = {*a, *b};
  part made;
  must_fail(merge(both, 2, &made), RH_E_FILE, words);
}

TEST(overlaps_and_gaps_are_named) {
  rh_result found = {.struct_size = sizeof found};
  problem p;
  part parts[4], made;
  make(&p, "sum", RH_TYPE_f32, N);
  must(reduce_some(&p, 0, 1000, 0, &parts[0]));
  must(reduce_some(&p, 999, 3000, 0, &parts[1]));
  must(reduce_some(&p, 1000, 3000, 3000, &parts[2]));
  must(reduce_some(&p, 3010, N, 0, &parts[3]));
  must_not_merge(&parts[0], &parts[1], "overlap: element 999 is in two");
  must_not_merge(&parts[1], &parts[2], "overlap: element");
  must_not_merge(&parts[0], &parts[0], "overlap: element 0 is in two");
  must_not_merge(&parts[2], &parts[3], "one whole that ends before element 3000");
  part both[] = {parts[0], parts[3]};
  must(merge(both, 2, &made));
  must_fail(rh_part_result(redhost, made.bytes, made.size, &found, &error), RH_E_FILE,
            "missing: element 1000,");
  rh_part_free(made.bytes);
  let_go(parts, 4);
  drop(&p);
}

TEST(others_are_refused) {
  problem p;
  part one, other;
  make(&p, "sum", RH_TYPE_f32, N);
  must(reduce_some(&p, 0, 1000, 0, &one));
  p.request.op = "prod";
  must(reduce_some(&p, 1000, 2000, 0, &other));
  must_not_merge(&one, &other, "operator is 'sum' and 'prod'");
  rh_part_free(other.bytes);
  p.request.op = "sum";
  p.request.unchecked = 1;
  must(reduce_some(&p, 1000, 2000, 0, &other));
  must_not_merge(&one, &other, "check is 'full' and 'none'");
  rh_part_free(other.bytes);
  p.request.unchecked = 0;
  p.request.type = RH_TYPE_i32;
  must(reduce_some(&p, 1000, 2000, 0, &other));
  must_not_merge(&one, &other, "type is 'f32' and 'i32'");
  rh_part_free(other.bytes);
  p.request.type = RH_TYPE_f32;
  p.request.accuracy = RH_ACCURACY_EXACT;
  must(reduce_some(&p, 1000, 2000, 0, &other));
  must_not_merge(&one, &other, "accuracy is 'plain' and 'exact'");
  rh_part_free(other.bytes);
  rh_part_free(one.bytes);
  drop(&p);
}

TEST(constants_are_compared) {
  const rh_constant t = {.name = "t", .is_float = 1, .value.f = 0.5},
                    u = {.name = "t", .is_float = 1, .value.f = 0.25};
  problem p;
  part one, other;
  make_mapped(&p, "sum", "x*t", RH_TYPE_f64, RH_TYPE_f64, N);
  p.request.constants = &t;
  p.request.n_constants = 1;
  must(reduce_some(&p, 0, 1000, 0, &one));
  p.request.constants = &u;
  must(reduce_some(&p, 1000, N, 0, &other));
  must_not_merge(&one, &other, "constant t");
  rh_part_free(one.bytes);
  rh_part_free(other.bytes);
  drop(&p);
}

TEST(bad_requests) {
  problem p;
  part made;
  make_mapped(&p, "sum", "sin(x)", RH_TYPE_f32, RH_TYPE_f32, N);
  must_fail(reduce_some(&p, 1, 1000, 0, &made), RH_E_USAGE, "multiple of 512 elements");
  drop(&p);
  make_mapped(&p, "sum", "x*n", RH_TYPE_f32, RH_TYPE_f32, N);
  must_fail(reduce_some(&p, 0, 1000, 0, &made), RH_E_USAGE, "uses n");
  must_fail(reduce_some(&p, 0, 1000, 999, &made), RH_E_USAGE, "the whole has 999 elements");
  drop(&p);
}

/* ---- Damage ---- */

enum { CHECKSUM_AT = 32 };

static void put(unsigned char *bytes, uint64_t at, uint32_t word) {
  memcpy(bytes + at, &word, sizeof word);
}

TEST(heads_are_judged) {
  rh_result found = {.struct_size = sizeof found};
  unsigned char copy[16384];
  problem p;
  part one;
  make(&p, "sum", RH_TYPE_f32, 1000);
  must(reduce_some(&p, 0, 1000, 0, &one));
  ck_assert_uint_le(one.size, sizeof copy);
  for (uint64_t size = 0; size < one.size; size++)
    must_fail(rh_part_result(redhost, one.bytes, size, &found, &error), RH_E_FILE, "cut short");
  static const struct {
    uint64_t at;
    uint32_t word;
    const char *says;
  } heads[] = {{0, 0, "not a partial"},
               {8, 3, "version 3 of the format"},
               {12, 0x04030201, "other byte order"},
               {16, 53, "long double has 53 bits"},
               {100, 1, "damaged"},
               {CHECKSUM_AT, 1, "damaged"}};
  for (size_t k = 0; k < sizeof heads / sizeof *heads; k++) {
    memcpy(copy, one.bytes, one.size);
    put(copy, heads[k].at, heads[k].word);
    must_fail(rh_part_result(redhost, copy, one.size, &found, &error), RH_E_FILE, heads[k].says);
  }
  rh_part_free(one.bytes);
  drop(&p);
}

/* As who writes damaged bytes on purpose would: with the right checksum. */
static void seal(unsigned char *bytes, uint64_t size) {
  uint64_t hash = rh_hash(0, bytes, CHECKSUM_AT);
  hash = rh_hash(hash, bytes + CHECKSUM_AT + 8, size - CHECKSUM_AT - 8);
  memcpy(bytes + CHECKSUM_AT, &hash, sizeof hash);
}

static void damage(unsigned char *bytes, uint64_t size) {
  static const uint64_t words[] = {0, 1, 63, 64, UINT64_MAX, UINT64_MAX - 1, (uint64_t)1 << 63};
  for (uint64_t k = 1 + below(4); k > 0; k--) {
    uint64_t at = below(size - 8);
    if (below(2)) at = at / 8 * 8;
    if (below(2))
      memcpy(bytes + at, &words[below(sizeof words / sizeof *words)], 8);
    else
      bytes[at] ^= (unsigned char)(1u << below(8));
  }
}

/* Whatever stands there: an answer or a sentence. */
TEST_LOOP(damaged_bytes_are_read, 0, 5) {
  enum { TIMES = 10000 };
  static const struct {
    const char *op, *map;
    rh_type type;
  } of[] = {{"sum", NULL, RH_TYPE_f32},
            {"prod", NULL, RH_TYPE_f64},
            {"argmin", NULL, RH_TYPE_i16},
            {"meanvar", NULL, RH_TYPE_f32},
            {"sum", "x*y", RH_TYPE_f64}};
  problem p;
  part one;
  if (of[_i].map)
    make_mapped(&p, of[_i].op, of[_i].map, of[_i].type, of[_i].type, N);
  else
    make(&p, of[_i].op, of[_i].type, N);
  must(reduce_some(&p, 1000, 9000, 0, &one));
  unsigned char *copy = malloc(one.size);
  for (int k = 0; k < 2 * TIMES; k++) {
    rh_result found = {.struct_size = sizeof found};
    const part both[] = {one, {copy, one.size}};
    part made = {0};
    memcpy(copy, one.bytes, one.size);
    damage(copy, one.size);
    if (k % 2) seal(copy, one.size);
    rh_status status = merge(both + k % 3 % 2, 1 + (k % 3 % 2 == 0), &made);
    ck_assert(status == RH_OK || error.message[0]);
    if (status == RH_OK) rh_part_result(redhost, made.bytes, made.size, &found, &error);
    rh_part_free(made.bytes);
  }
  free(copy);
  rh_part_free(one.bytes);
  drop(&p);
}
