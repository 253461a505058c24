#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../host/core/cl/cl.h"
#include "../../host/core/data/data.h"
#include "../../host/core/operation/operation.h"
#include "../../host/core/plug/plug.h"
#include "matrix.h"

enum { POISON = 0xAA, AROUND = 64 /* elements before and after */ };

/* One problem that is set up, and the memory it reads. */
typedef struct bench {
  matrix *m;
  uint32_t op;
  rh_type type;
  uint64_t max_n, first;
  const cover *few;       /* the pairs with large sizes */
  rh_cl_session *session; /* null for a host strategy */
  cl_mem buffer;
  unsigned char *memory, *copy; /* AROUND + max_n + AROUND elements */
  rh_instance *instance;
  cl_mem values; /* three, the result between others; null if the strategy finishes on the host */
  rh_instance_spec spec;
} bench;

static int fail(bench *b, const char *kind, uint64_t n, const char *what) {
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

/* The data are surrounded by poison: a read outside the range changes the result. */
static int place(bench *b, const rh_array *array, rh_error *error) {
  uint32_t size = rh_type_size(b->type);
  /* Only the elements that this case can reach: after them is the poison of open_bench(), or a
   * larger case's data. */
  uint64_t reach = (b->first + array->n + AROUND) * size;
  memset(b->memory, POISON, reach);
  memcpy(b->memory + b->first * size, rh_array_data(array), array->n * size);
  if (!b->session) {
    memcpy(b->copy, b->memory, reach);
    return 1;
  }
  cl_int code = clEnqueueWriteBuffer(b->session->queue, b->buffer, CL_TRUE, 0, reach, b->memory, 0,
                                     NULL, NULL);
  return code == CL_SUCCESS ? 1 : (rh_cl_fail(error, code, "placing the data"), 0);
}

static int input_unchanged(bench *b, uint64_t n) {
  uint32_t size = rh_type_size(b->type);
  uint64_t reach = (b->first + n + AROUND) * size;
  if (b->session && clEnqueueReadBuffer(b->session->queue, b->buffer, CL_TRUE, 0, reach, b->copy, 0,
                                        NULL, NULL) != CL_SUCCESS)
    return 0;
  return memcmp(b->memory, b->copy, reach) == 0;
}

static int run_once(bench *b, uint64_t n, unsigned char value[16], rh_error *error) {
  rh_data data = {.buffer = b->buffer, .host = b->memory, .first = b->first};
  unsigned char seen[3 * 16];
  size_t size = rh_instance_op(b->instance)->value_size, bytes = 3 * size;
  if (!b->values)
    return rh_instance_run(b->instance, &data, n, error) == RH_OK &&
           rh_instance_value(b->instance, value, error) == RH_OK;
  memset(seen, POISON, sizeof seen);
  clEnqueueWriteBuffer(b->session->queue, b->values, CL_TRUE, 0, bytes, seen, 0, NULL, NULL);
  if (rh_instance_run_to(b->instance, &data, n, b->values, 1, error) != RH_OK) return 0;
  cl_int code =
      clEnqueueReadBuffer(b->session->queue, b->values, CL_TRUE, 0, bytes, seen, 0, NULL, NULL);
  memcpy(value, seen + size, size);
  for (size_t k = 0; k < size; k++)
    if (code != CL_SUCCESS || seen[k] != POISON || seen[2 * size + k] != POISON)
      return rh_fail(error, RH_E_WRONG, "wrote outside its result") == RH_OK;
  return 1;
}

/* The depth for this n, which may be less than the n of setup. */
static uint64_t depth_for(const bench *b, uint64_t n) {
  rh_instance_spec spec = b->spec;
  rh_answer answer;
  rh_error error;
  spec.max_n = n;
  const rh_device *device = b->session ? &b->session->device->about : NULL;
  return rh_instance_query(&spec, device, &answer, &error) == RH_OK ? answer.depth : 0;
}

static int judge(bench *b, const char *kind, const rh_array *array, const unsigned char *value) {
  rh_result result;
  rh_reference reference;
  rh_verdict verdict;
  rh_error error;
  uint64_t n = array->n;
  uint32_t flushes = 0;
  if (b->session)
    flushes =
        b->type == RH_TYPE_f64 ? b->session->device->flushes_f64 : b->session->device->flushes_f32;
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

static int run_case(bench *b, const char *kind, uint64_t n, uint64_t seed) {
  rh_array array = {0};
  rh_error error = {.message = "?"};
  _Alignas(16) unsigned char value[16], again[16];
  const rh_strategy *strategy = b->m->strategy;
  int same = strategy->determinism >= RH_BITS_SAME_RUN || rh_op_flags(b->op, b->type) & RH_OP_EXACT;
  b->first = AROUND - seed % 16; /* every alignment that an element can have */
  int ok = rh_array_generate(&array, kind, seed, b->type, n, NULL, &error) == RH_OK &&
           place(b, &array, &error) && run_once(b, n, value, &error) &&
           run_once(b, n, again, &error);
  if (!ok) fail(b, kind, n, error.message);
  if (ok && !input_unchanged(b, n))
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
static int is_left_out(const bench *b, uint64_t n) {
  return b->m->extent == EXTENT_COVERING && n > 10000 && !b->few->has[b->op][b->type];
}

/* Sizes go up and down, so that a smaller one runs over a larger one's scratch memory. */
static int run_sizes(bench *b) {
  list_sizes(b->m->extent);
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

static int has_param(const rh_strategy *strategy, const char *key) {
  for (uint32_t k = 0; k < strategy->n_params; k++)
    if (strcmp(rh_strategy_param(strategy, k)->key, key) == 0) return 1;
  return 0;
}

/* The settings are for all strategies: each takes those that it has. */
static int settle(bench *b, rh_error *error) {
  rh_setting settings[MATRIX_SETTINGS];
  char keys[MATRIX_SETTINGS][32];
  uint64_t n = 0;
  for (int k = 0; k < MATRIX_SETTINGS && b->m->settings[k]; k++) {
    const char *equals = strchr(b->m->settings[k], '=');
    if (!equals) {
      rh_fail(error, RH_E_USAGE, "'%s' is not a setting", b->m->settings[k]);
      return 0;
    }
    snprintf(keys[n], sizeof keys[n], "%.*s", (int)(equals - b->m->settings[k]), b->m->settings[k]);
    if (!has_param(b->m->strategy, keys[n])) continue;
    settings[n] = (rh_setting){keys[n], equals + 1};
    n++;
  }
  return rh_params_resolve(b->m->strategy, settings, n, b->spec.params, error) == RH_OK;
}

static int open_bench(bench *b, rh_error *error) {
  uint64_t bytes = (2 * AROUND + b->max_n) * rh_type_size(b->type);
  b->memory = malloc(bytes);
  b->copy = malloc(bytes);
  if (!b->memory || !b->copy) {
    rh_fail(error, RH_E_NOMEM, "no memory");
    return 0;
  }
  memset(b->memory, POISON, bytes);
  if (!rh_strategy_is_host(b->m->strategy)) {
    cl_int code;
    if (rh_context_session(b->m->context, &b->session, error) != RH_OK) return 0;
    b->buffer = clCreateBuffer(b->session->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    if (code != CL_SUCCESS) {
      rh_cl_fail(error, code, "allocating the input");
      return 0;
    }
  }
  b->spec.strategy = b->m->strategy;
  b->spec.op = rh_operator_builtin(b->op, b->type);
  b->spec.max_n = b->max_n;
  b->spec.session = b->session;
  return settle(b, error);
}

static void close_bench(bench *b) {
  rh_instance_destroy(b->instance);
  if (b->buffer) clReleaseMemObject(b->buffer);
  if (b->values) clReleaseMemObject(b->values);
  free(b->copy);
  free(b->memory);
}

static bench begin(matrix *m, uint32_t op, rh_type type) {
  bench b = {.m = m, .op = op, .type = type};
  list_sizes(m->extent);
  for (uint32_t k = 0; k < n_sizes; k++)
    if (sizes[k] > b.max_n) b.max_n = sizes[k];
  return b;
}

/* All pairs except those that the strategy declines. */
static void find_served(matrix *m, cover *served) {
  rh_error error;
  memset(served, 0, sizeof *served);
  for (uint32_t op = 1; op <= RH_N_OPS; op++)
    for (uint32_t type = 1; type <= RH_N_TYPES; type++) {
      rh_answer answer;
      if (!rh_op_is_defined(op, (rh_type)type)) continue;
      bench b = begin(m, op, (rh_type)type);
      rh_cl_session *session = NULL;
      b.spec = (rh_instance_spec){
          .strategy = m->strategy, .op = rh_operator_builtin(op, (rh_type)type), .max_n = b.max_n};
      if (!rh_strategy_is_host(m->strategy) &&
          rh_context_session(m->context, &session, &error) != RH_OK)
        return;
      if (!settle(&b, &error)) return;
      const rh_device *device = session ? &session->device->about : NULL;
      served->has[op][type] = rh_instance_query(&b.spec, device, &answer, &error) != RH_DECLINED;
      served->n += served->has[op][type];
    }
}

/* RH_DECLINED, with query's reason as the message, if the strategy declines. */
static rh_status set_up(bench *b, rh_error *error) {
  rh_answer answer;
  const rh_device *device = b->session ? &b->session->device->about : NULL;
  rh_status status = rh_instance_query(&b->spec, device, &answer, error);
  if (status == RH_DECLINED) return rh_fail(error, RH_DECLINED, "%s", answer.reason);
  if (status == RH_OK && b->session && !answer.finishes_on_host)
    b->values = clCreateBuffer(b->session->context, CL_MEM_READ_WRITE, 3 * 16, NULL, NULL);
  return status == RH_OK ? rh_instance_create(&b->instance, &b->spec, &answer, error) : status;
}

static int run_op(matrix *m, uint32_t op, rh_type type, const cover *few, bench *b) {
  rh_error error = {.message = "?"};
  *b = begin(m, op, type);
  b->few = few;
  int ok = open_bench(b, &error);
  rh_status status = ok ? set_up(b, &error) : RH_E_INTERNAL;
  if (status == RH_OK) return run_sizes(b);
  if (status != RH_DECLINED || !error.message[0]) return fail(b, "none", b->max_n, error.message);
  m->declined++;
  return 1;
}

/* Memory is released at the end, large blocks at once: Oclgrind 21.10 remembers uninitialised
 * bytes, such as the padding of pairs, when an address is reused. */
int matrix_run(matrix *m, rh_type first, rh_type last) {
  static bench benches[RH_N_TYPES + 1][RH_N_OPS + 1];
  cover served, few, chosen;
  int ok = 1;
  memset(benches, 0, sizeof benches);
  find_served(m, &served);
  cover_choose(&few, &served, COVER_FEW);
  cover_choose(&chosen, &served, m->pairs);
  for (uint32_t type = first; type <= (uint32_t)last; type++)
    for (uint32_t op = 1; op <= RH_N_OPS && ok; op++) {
      bench *b = &benches[type][op];
      if (!rh_op_is_defined(op, (rh_type)type)) continue;
      if (served.has[op][type] && !chosen.has[op][type]) continue;
      ok = run_op(m, op, (rh_type)type, &few, b);
      if (m->extent == EXTENT_TINY) continue;
      close_bench(b);
      *b = (bench){0};
    }
  for (uint32_t type = first; type <= (uint32_t)last; type++)
    for (uint32_t op = 1; op <= RH_N_OPS; op++) close_bench(&benches[type][op]);
  return ok;
}
