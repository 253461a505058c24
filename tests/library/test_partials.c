/* rh_reduce_part(), rh_merge_parts() and rh_part_result() of bytes that were damaged.  Any cut has
 * the bits of one call, in cli.ways.bits; cli.ways.rules and cli.partials have what does not go
 * together. */
#include "../../host/core/data/data.h"
#include "library.h"

enum { N = 20011 };

static uint64_t seed = 1;

static uint64_t below(uint64_t n) { return rh_random_next(&seed) % n; }

typedef struct part {
  void *bytes;
  uint64_t size;
} part;

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

CASES(partials, .set_up = set_up, .tear_down = tear_down)

TEST(bad_requests) {
  problem p;
  part made;
  make_mapped(&p, "sum", "sin(x)", RH_TYPE_f32, RH_TYPE_f32, N);
  must_fail(reduce_some(&p, 1, 1000, 0, &made), RH_E_USAGE, "multiple of 512 elements");
  drop(&p);
  make_mapped(&p, "sum", "x*n", RH_TYPE_f32, RH_TYPE_f32, N);
  must_fail(reduce_some(&p, 0, 1000, 0, &made), RH_E_USAGE, "which is not known");
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
    if (below(2)) memcpy(bytes + at, &words[below(sizeof words / sizeof *words)], 8);
    else bytes[at] ^= (unsigned char)(1u << below(8));
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
  if (of[_i].map) make_mapped(&p, of[_i].op, of[_i].map, of[_i].type, of[_i].type, N);
  else make(&p, of[_i].op, of[_i].type, N);
  must(reduce_some(&p, 1000, 9000, 0, &one));
  unsigned char *copy = malloc(one.size);
  for (int k = 0; k < 2 * TIMES; k++) {
    rh_result found = {.struct_size = sizeof found};
    const void *both[] = {k % 3 == 1 ? copy : one.bytes, copy};
    const uint64_t sizes[] = {one.size, one.size};
    part made = {0};
    memcpy(copy, one.bytes, one.size);
    damage(copy, one.size);
    if (k % 2) seal(copy, one.size);
    rh_status status =
        rh_merge_parts(redhost, both, sizes, k % 3 == 1 ? 1 : 2, &made.bytes, &made.size, &error);
    ck_assert(status == RH_OK || error.message[0]);
    if (status == RH_OK) rh_part_result(redhost, made.bytes, made.size, &found, &error);
    rh_part_free(made.bytes);
  }
  free(copy);
  rh_part_free(one.bytes);
  drop(&p);
}
