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

static double data[2][N]; /* of the operands, of any type */

/* Elements first .. stop-1 of the data; map: null, or of x, and maybe y. */
static rh_status reduce_some(const char *op, const char *map, rh_type type, uint64_t first,
                             uint64_t stop, uint64_t whole_n, part *made) {
  const char *at[2];
  for (uint32_t k = 0; k < 2; k++) {
    rh_generate(rh_type_is_float(type) ? "uniform" : "hash", 1 + k, type, N, 0, N, data[k]);
    at[k] = (const char *)data[k] + first * rh_type_size(type);
  }
  const rh_input inputs[] = {{.name = "x", .type = type, .data = at[0]},
                             {.name = "y", .type = type, .data = at[1]}};
  rh_request request = request_for("native", op, type, map ? NULL : at[0], stop - first);
  request.map = map;
  request.inputs = map ? inputs : NULL;
  request.n_inputs = !map ? 0 : strchr(map, 'y') ? 2 : 1;
  return rh_reduce_part(redhost, &request, first, whole_n, &made->bytes, &made->size, &error);
}

CASES(partials, .set_up = set_up, .tear_down = tear_down)

TEST(bad_requests) {
  part made;
  must_refuse(reduce_some("sum", "sin(x)", RH_TYPE_f32, 1, 1000, 0, &made),
              "multiple of 512 elements");
  must_refuse(reduce_some("sum", "x*n", RH_TYPE_f32, 0, 1000, 0, &made), "which is not known");
  must_refuse(reduce_some("sum", "x*n", RH_TYPE_f32, 0, 1000, 999, &made),
              "the whole has 999 elements");
}

/* ---- Damage ---- */

enum { CHECKSUM_AT = 32 };

static void put(unsigned char *bytes, uint64_t at, uint32_t word) {
  memcpy(bytes + at, &word, sizeof word);
}

TEST(heads_are_judged) {
  rh_result found = {.struct_size = sizeof found};
  unsigned char copy[16384];
  part one;
  must(reduce_some("sum", NULL, RH_TYPE_f32, 0, 1000, 0, &one));
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
  enum { TIMES = 4000 };
  static const struct {
    const char *op, *map;
    rh_type type;
  } of[] = {{"sum", NULL, RH_TYPE_f32},
            {"prod", NULL, RH_TYPE_f64},
            {"argmin", NULL, RH_TYPE_i16},
            {"meanvar", NULL, RH_TYPE_f32},
            {"sum", "x*y", RH_TYPE_f64}};
  part one;
  must(reduce_some(of[_i].op, of[_i].map, of[_i].type, 1000, 9000, 0, &one));
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
}
