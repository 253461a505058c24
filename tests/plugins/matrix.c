#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../host/core/data/data.h"
#include "matrix.h"

/* An operator on a type. */
typedef struct pair {
  matrix *m;
  uint32_t op;
  rh_type type;
  const cover *few; /* the pairs with large sizes */
  uint64_t first;   /* element, in this case's memory */
  bench at;
} pair;

static int fail(pair *b, const char *kind, uint64_t n, const char *what) {
  snprintf(b->m->failure, sizeof b->m->failure,
           "%s %s %s n=%llu data=%s first=%llu: %s; again: redhost --run %s --op %s --type %s -n "
           "%llu --data %s",
           b->m->strategy->name, rh_op_name(b->op), rh_type_name(b->type), (unsigned long long)n,
           kind, (unsigned long long)b->first, what, b->m->strategy->name, rh_op_name(b->op),
           rh_type_name(b->type), (unsigned long long)n, kind);
  return 0;
}

/* ---- Sizes and data ---- */

uint64_t matrix_most;
static uint64_t sizes[256];
static uint32_t n_sizes;

static void add_around(uint64_t p, uint64_t most) {
  for (uint64_t n = p - 1; n <= p + 1; n++)
    if (n <= most) sizes[n_sizes++] = n;
}

static void list_sizes(int extent) {
  static const uint64_t tiny[] = {0, 1, 2, 5, 16, 17, 33, 65, 129, 257};
  uint64_t most = extent == EXTENT_COVERING ? 1000003 : 1u << 25;
  n_sizes = 0;
  if (extent == EXTENT_TINY) {
    for (size_t k = 0; k < sizeof tiny / sizeof *tiny; k++) sizes[n_sizes++] = tiny[k];
    return;
  }
  if (matrix_most && matrix_most < most) most = matrix_most;
  uint64_t small = extent == EXTENT_ALL ? 33 : 9;
  for (uint64_t n = 0; n <= small; n++) sizes[n_sizes++] = n;
  if (extent == EXTENT_COVERING) {
    add_around(16, most);
    add_around(32, most);
  }
  for (uint64_t p = 64; p <= 8192; p *= 2) add_around(p, most);
  if (most >= 65537) sizes[n_sizes++] = 65537;
  if (most >= 1000003) sizes[n_sizes++] = 1000003;
  if (extent == EXTENT_COVERING) return;
  add_around(1 << 16, most);
  add_around(1 << 20, most);
  add_around(1 << 24, most);
}

static const char *const everyday[] = {"hash", "uniform", NULL};
static const char *const thorough[] = {
    "hash", "onehot", "uniform", "equal",      "ramp",       "cancel", "huge",  "subnormal",
    "nan",  "zeros",  "infs",    "descending", "loguniform", "units",  "swing", NULL};

/* All kinds of data where that is cheap, at critical sizes; two kinds at all sizes. */
static const char *const *kinds_for(int extent, uint64_t n) {
  if (extent == EXTENT_ALL) return thorough;
  if (extent == EXTENT_TINY) return n == 17 ? thorough : n == 257 ? everyday : everyday + 1;
  if (n == 1000003) return everyday + 1;
  int edge = n == 1 || n == 2 || n == 3 || n == 33 || n == 255 || n == 257 || n == 513 ||
             n == 2049 || n == 8191;
  return edge ? thorough : everyday;
}

/* The ends of the type's range, and only two values: cheap except in an interpreter, and revealing
 * where a wide load has a remainder or a narrow partial sum is close to overflow. */
static const char *const ends[] = {"least", "greatest", "ends", "two", NULL};

static int takes_ends(int extent, uint64_t n) {
  if (extent == EXTENT_ALL) return n > 0;
  if (extent == EXTENT_TINY) return n == 2 || n == 17 || n == 65;
  return n == 1 || n == 2 || n == 7 || n == 8 || n == 9 || n == 16 || n == 17 || n == 33 ||
         n == 63 || n == 1023 || n == 8193 || n == 65537;
}

/* ---- One case ---- */

/* The depth for this n, which may be less than the n of setup. */
static uint64_t depth_for(const pair *b, uint64_t n) {
  rh_instance_spec spec = b->at.spec;
  rh_answer answer;
  rh_error error;
  spec.max_n = n;
  const rh_device *device = spec.session ? &spec.session->device->about : NULL;
  return rh_instance_query(&spec, device, &answer, &error) == RH_OK ? answer.depth : 0;
}

static int judge(pair *b, const char *kind, const rh_array *array, const unsigned char *value) {
  rh_result result;
  rh_reference reference;
  rh_verdict verdict;
  rh_error error;
  uint64_t n = array->n;
  uint32_t flushes = 0;
  const rh_cl_session *session = b->at.spec.session;
  if (session)
    flushes = b->type == RH_TYPE_f64 ? session->device->flushes_f64 : session->device->flushes_f32;
  rh_op_result(b->op, b->type, value, &result);
  if (n == 0) { /* the identity, bit for bit */
    const rh_op *op = rh_op_find(b->op, b->type);
    if (!rh_op_same_values(op, b->type, value, op->identity))
      return fail(b, kind, n, "n = 0 does not give the identity");
    return 1;
  }
  if (rh_reference_of_array(&reference, rh_operator_builtin(b->op, b->type), rh_array_data(array),
                            n, 1, NULL, &error) != RH_OK)
    return fail(b, kind, n, error.message);
  rh_reference_judge(&reference, &result, depth_for(b, n), (int)flushes, &verdict);
  return verdict.verdict == RH_VERDICT_WRONG ? fail(b, kind, n, verdict.text) : 1;
}

/* The data are surrounded by poison: a read outside the range changes the result. */
static int run_twice(pair *b, const rh_array *array, void *value, void *again) {
  uint64_t n = array->n;
  memcpy(bench_room(&b->at, 0, b->first, n), rh_array_data(array), n * rh_type_size(b->type));
  return bench_place(&b->at, n) == RH_OK && bench_run(&b->at, n, value) == RH_OK &&
         bench_run(&b->at, n, again) == RH_OK;
}

static int run_case(pair *b, const char *kind, uint64_t n, uint64_t seed) {
  rh_array array = {0};
  _Alignas(16) unsigned char value[RH_ANY_VALUE_BYTES], again[RH_ANY_VALUE_BYTES];
  const rh_strategy *strategy = b->m->strategy;
  int same = strategy->determinism >= RH_BITS_SAME_RUN || rh_op_flags(b->op, b->type) & RH_OP_EXACT;
  b->first = AROUND - seed % 16; /* every alignment that an element can have */
  int ok = rh_array_generate(&array, kind, seed, b->type, n, NULL, &b->at.error) == RH_OK &&
           run_twice(b, &array, value, again);
  if (!ok) fail(b, kind, n, b->at.error.message);
  if (ok && !bench_is_unchanged(&b->at, n))
    ok = fail(b, kind, n, "the input, or what stands around it, was written");
  if (ok && same && !rh_op_same_values(rh_op_find(b->op, b->type), b->type, value, again))
    ok = fail(b, kind, n, "two runs, two results");
  ok = ok && judge(b, kind, &array, value);
  rh_array_finish(&array);
  b->m->cases++;
  return ok;
}

/* A covering set runs the large sizes, which take most of the time, on few pairs of operator and
 * type: indices and partial results depend only on the sizes of elements and values. */
static int is_left_out(const pair *b, uint64_t n) {
  return b->m->extent == EXTENT_COVERING && n > 10000 && !b->few->has[b->op][b->type];
}

/* Sizes go up and down, so that a smaller one runs over a larger one's scratch memory. */
static int run_sizes(pair *b) {
  for (uint32_t k = 0; k < n_sizes; k++) {
    uint32_t at = k % 2 ? k / 2 : n_sizes - 1 - k / 2;
    const char *const *kinds = kinds_for(b->m->extent, sizes[at]);
    if (is_left_out(b, sizes[at])) continue;
    for (uint32_t kind = 0; kinds[kind]; kind++) {
      if (sizes[at] == 0 && kind > 0) break;
      if (!run_case(b, kinds[kind], sizes[at], 1 + at + 7 * kind)) return 0;
    }
    for (uint32_t kind = 0; ends[kind] && takes_ends(b->m->extent, sizes[at]); kind++)
      if (!run_case(b, ends[kind], sizes[at], 1 + at + 7 * kind)) return 0;
    /* Products of some of these leave the range, that of all does not. */
    if (b->op == RH_OP_prod && sizes[at] > 0 && !run_case(b, "swing", sizes[at], 1 + at)) return 0;
  }
  return 1;
}

/* ---- One operator on one type ---- */

static rh_status begin(pair *b, matrix *m, uint32_t op, rh_type type) {
  uint64_t max_n = 0;
  *b = (pair){.m = m, .op = op, .type = type};
  for (uint32_t k = 0; k < n_sizes; k++)
    if (sizes[k] > max_n) max_n = sizes[k];
  return bench_begin(&b->at, m->context, m->strategy, rh_operator_builtin(op, type), max_n,
                     m->settings);
}

/* All pairs except those that the strategy declines. */
static void find_served(matrix *m, cover *served) {
  memset(served, 0, sizeof *served);
  for (uint32_t op = 1; op <= RH_N_OPS; op++)
    for (rh_type type = 1; type <= RH_N_TYPES; type++) {
      pair b;
      if (!rh_op_is_defined(op, type)) continue;
      served->has[op][type] = begin(&b, m, op, type) != RH_DECLINED;
      served->n += served->has[op][type];
    }
}

static int run_pair(pair *b, matrix *m, uint32_t op, rh_type type, const cover *few) {
  rh_status status = begin(b, m, op, type);
  b->few = few;
  if (status == RH_OK) status = bench_open(&b->at);
  if (status == RH_OK) return run_sizes(b);
  const char *said = b->at.error.message;
  if (status != RH_DECLINED || !said[0]) return fail(b, "none", b->at.spec.max_n, said);
  m->declined++;
  return 1;
}

/* Memory is released at the end, large blocks at once: Oclgrind 21.10 remembers uninitialised
 * bytes, such as the padding of pairs, when an address is reused. */
int matrix_run(matrix *m, rh_type first, rh_type last) {
  static pair pairs[RH_N_TYPES + 1][RH_N_OPS + 1];
  cover served, few, chosen;
  int ok = 1;
  memset(pairs, 0, sizeof pairs);
  list_sizes(m->extent);
  find_served(m, &served);
  cover_choose(&few, &served, COVER_FEW);
  cover_choose(&chosen, &served, m->pairs);
  for (uint32_t type = first; type <= (uint32_t)last; type++)
    for (uint32_t op = 1; op <= RH_N_OPS && ok; op++) {
      pair *b = &pairs[type][op];
      if (!rh_op_is_defined(op, (rh_type)type)) continue;
      if (served.has[op][type] && !chosen.has[op][type]) continue;
      ok = run_pair(b, m, op, (rh_type)type, &few);
      if (m->extent == EXTENT_TINY) continue;
      bench_close(&b->at);
      *b = (pair){0};
    }
  for (uint32_t type = first; type <= (uint32_t)last; type++)
    for (uint32_t op = 1; op <= RH_N_OPS; op++) bench_close(&pairs[type][op].at);
  return ok;
}
