/* Several operators in one pass: each has the bits that it has alone, over inputs of one block and
 * of many, with an index that stands anywhere in the value. */
#include "library.h"

enum { MOST = 100003, MOST_PARTS = 4 };

static double memory[2][MOST];

/* Bytes that are finite floats of any type: the exponents stay below the largest. */
static void fill(uint64_t seed) {
  for (int k = 0; k < 2; k++)
    for (size_t i = 0; i < MOST; i++) {
      uint64_t word = (seed += 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
      word = (word ^ word >> 29) & 0xbbffbbffbbffbbffu;
      memcpy(&memory[k][i], &word, sizeof word);
    }
}

static uint64_t bits_of(const rh_result *one) { return one->indexed ? one->index : one->value.u; }

/* Item k of a list; the last one if it has only one. */
static const char *item(const char *list, int k, char to[64]) {
  for (; k > 0 && strchr(list, ';'); k--) list = strchr(list, ';') + 1;
  size_t length = strcspn(list, ";");
  ck_assert_uint_lt(length, 64);
  memcpy(to, list, length);
  to[length] = 0;
  return to;
}

/* "min;max" to "min,max", as redhost has them. */
static const char *listed(const char *list, char to[256]) {
  snprintf(to, 256, "%s", list);
  for (char *at = to; (at = strchr(at, ';')); at++) *at = ',';
  return to;
}

typedef struct together {
  const char *ops, *maps;
  int parts, inputs;
} together;

static rh_status reduce(const together *what, int part, rh_type type, uint64_t n,
                        rh_result *result) {
  char ops[256], maps[256];
  const rh_input inputs[] = {{.name = "x", .type = type, .data = memory[0]},
                             {.name = "y", .type = type, .data = memory[1]}};
  rh_request request =
      SIZED(rh_request, .strategy = "native", .inputs = inputs, .n_inputs = (uint64_t)what->inputs,
            .n = n, .unchecked = 1, .unchecked_op = 1);
  request.op = part < 0 ? listed(what->ops, ops) : item(what->ops, part, ops);
  request.map = part < 0 ? listed(what->maps, maps) : item(what->maps, part, maps);
  if (!strchr(request.map, 'y')) request.n_inputs = 1;
  if (!strchr(request.map, 'x')) {
    request.inputs++;
    request.n_inputs--;
  }
  *result = (rh_result){.struct_size = sizeof *result};
  return rh_reduce(redhost, &request, result, &error);
}

static void compare(const together *what, rh_type type, uint64_t n) {
  rh_result all, one;
  rh_status status = reduce(what, -1, type, n, &all);
  if (status == RH_E_USAGE) return; /* not defined for the type */
  must(status);
  ck_assert_uint_eq(all.n_fields, (uint32_t)what->parts);
  for (int part = 0; part < what->parts; part++) {
    must(reduce(what, part, type, n, &one));
    ck_assert_msg(all.fields[part].value.u == bits_of(&one), "%s of %s, type %d, n = %llu: part %d",
                  what->ops, what->maps, (int)type, (unsigned long long)n, part);
  }
}

CASES(several_operators, .set_up = set_up, .tear_down = tear_down)

TEST_LOOP(as_each_alone, 0, 9) {
  static const together cases[] = {{"min;max", "x", 2, 1},
                                   {"sum;argmax;asum", "x", 3, 1},
                                   {"argmin;max;argamax;sum", "x", 4, 1},
                                   {"min;argmax", "x", 2, 1},
                                   {"and;or;xor;prod", "x", 4, 1},
                                   {"sum", "x*y;x;y*y", 3, 2},
                                   {"max;sum;min", "fabs(x-y);(x-y)*(x-y);x", 3, 2},
                                   {"sum;amax", "x > y;x", 2, 2},
                                   {"argmin;sum", "x+y;y", 2, 2}};
  static const uint64_t sizes[] = {20001, MOST};
  static const rh_type types[] = {RH_TYPE_u8,  RH_TYPE_i32, RH_TYPE_u64,
                                  RH_TYPE_f16, RH_TYPE_f32, RH_TYPE_f64};
  compare(&cases[_i], RH_TYPE_f32, 1);
  for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
    fill(types[t]);
    for (size_t s = 0; s < 2; s++) compare(&cases[_i], types[t], sizes[s]);
  }
}
