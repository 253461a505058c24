/* The values of `native` for every operator on every type, lengths with incomplete rows and tiles,
 * elements of one sign and of both, every width of vectors, both ways through memory, one thread
 * and three.
 *
 * Built from the plugin's own sources without anything else that a cross compiler would lack, and
 * so also run on an emulated processor with other vectors.  Exit status 1: a wrong value. */
#include "../../host/core/base/vocabulary.h"
#include "../../host/core/operators/ops.h"

#include <redhost/canonical.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 70000, KINDS = 5 };

extern const rh_plugin redhost_plugin_v1;
static const rh_device device = {.struct_size = sizeof device, .kind = RH_DEVICE_HOST};

static void *taken[8];
static int n_taken;

static void *take(const rh_host *host, uint64_t bytes) {
  (void)host;
  return n_taken < 8 ? taken[n_taken++] = calloc(1, bytes) : NULL;
}

static const rh_strategy *strategy(void) {
  return redhost_plugin_v1.strategies[0];
}

static int64_t of_parameter(const char *key, int64_t threads, int64_t vectors, int64_t walk) {
  if (strcmp(key, "threads") == 0) return threads;
  if (strcmp(key, "vectors") == 0) return vectors;
  if (strcmp(key, "walk") == 0) return walk;
  return strcmp(key, "serial_below") == 0 ? 0 : 50; /* awake_us */
}

static void *open_native(const rh_op *op, rh_type type, int64_t threads, int64_t vectors,
                         int64_t walk) {
  static const rh_host host = {.struct_size = sizeof host, .alloc = take};
  rh_problem problem = {
      .struct_size = sizeof problem, .type = type, .op = op, .device = &device, .max_n = MOST};
  int64_t params[16];
  void *self = NULL;
  for (uint32_t k = 0; k < strategy()->n_params && k < 16; k++)
    params[k] = of_parameter(strategy()->params[k].key, threads, vectors, walk);
  if (strategy()->setup(&host, &problem, params, &self) == RH_OK) return self;
  printf("%s of %s: no setup\n", op->name, rh_type_name(type));
  exit(1);
}

static void close_native(void *self) {
  strategy()->teardown(self);
  while (n_taken) free(taken[--n_taken]);
}

/* ---- Data ---- */

static uint64_t random_next(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return *state >> 33;
}

/* A number that has a fraction if the type can, so that float sums round. */
static void put(unsigned char *x, rh_type type, uint64_t k, int64_t i) {
  switch (type) {
  case RH_TYPE_f32: ((float *)x)[k] = (float)i * 0.1f; break;
  case RH_TYPE_f64: ((double *)x)[k] = (double)i * 0.1; break;
  case RH_TYPE_f16:
    ((uint16_t *)x)[k] = (uint16_t)(0x3000 + 77 * (i < 0 ? -i : i) + (i < 0 ? 0x8000 : 0));
    break;
  case RH_TYPE_i64:
  case RH_TYPE_u64: ((int64_t *)x)[k] = i; break;
  case RH_TYPE_i32:
  case RH_TYPE_u32: ((int32_t *)x)[k] = (int32_t)i; break;
  case RH_TYPE_i16:
  case RH_TYPE_u16: ((int16_t *)x)[k] = (int16_t)i; break;
  default: ((int8_t *)x)[k] = (int8_t)i;
  }
}

/* kind 0: both signs; 1: none below 0; 2: none above; 3 and 4: all but one. */
static void fill(unsigned char *x, rh_type type, uint64_t n, unsigned kind, uint64_t *state) {
  for (uint64_t k = 0; k < n; k++) {
    int64_t i = (int64_t)(random_next(state) % 60);
    int is_below = kind == 0 ? i % 2 != 0 : kind == 2;
    if (kind > 2) is_below = (k == n / 2) == (kind == 3);
    put(x, type, k, is_below ? -i : i);
  }
}

/* ---- Values ---- */

/* One element after the other; what rounds, in the canonical order. */
static void expect(const rh_op *op, const void *x, uint64_t n, unsigned char *value) {
  if (op->flags & RH_OP_COMMUTATIVE && !(op->flags & RH_OP_EXACT)) {
    rh_canonical_fold(op, x, 0, n, value);
    return;
  }
  memcpy(value, op->identity, op->value_size);
  op->fold(value, x, 0, n);
}

static int try_length(void *self, const rh_op *op, rh_type type, uint64_t n, unsigned kind,
                      const unsigned char *x) {
  _Alignas(16) unsigned char value[16] = {0}, expected[16] = {0};
  rh_run run = {.struct_size = sizeof run, .n = n, .host_input = x, .host_result = value};
  expect(op, x, n, expected);
  if (strategy()->run(self, &run) == RH_OK && rh_op_same_values(op, type, value, expected))
    return 0;
  printf("%s of %s: wrong value of %llu elements, kind %u\n", op->name, rh_type_name(type),
         (unsigned long long)n, kind);
  return 1;
}

static int try_operator(const rh_op *op, rh_type type, int64_t vectors) {
  static const uint64_t lengths[] = {1,   2,    3,   7,   15,   16,   31,    63,  64,
                                     65,  127,  200, 255, 257,  511,  512,   640, 1000,
                                     767, 1025, 385, 129, 4097, 9999, 40000, MOST};
  static unsigned char x[MOST * 8];
  uint64_t state = 5;
  int wrong = 0;
  for (int64_t threads = 1; threads <= 3; threads += 2) {
    void *self = open_native(op, type, threads, vectors, 1 + vectors % 2);
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
      for (unsigned kind = 0; kind < KINDS; kind++) {
        fill(x, type, lengths[k], kind, &state);
        wrong += try_length(self, op, type, lengths[k], kind, x);
      }
    close_native(self);
  }
  return wrong;
}

/* native_values [WIDTHS]: how many widths of vectors, from the widest on; without it all of
 * them. */
int main(int argc, char **argv) {
  int wrong = 0, tried = 0, widths = argc > 1 ? atoi(argv[1]) : 4;
  for (uint32_t id = 1; id <= RH_N_OPS; id++)
    for (rh_type type = 1; type <= RH_N_TYPES; type++)
      for (int64_t vectors = 0; vectors < widths; vectors++) {
        const rh_op *op = rh_op_is_defined(id, type) ? rh_op_find(id, type) : NULL;
        if (!op) continue;
        wrong += try_operator(op, type, vectors);
        tried++;
      }
  printf("%d operators on types at %d widths of vectors, %d wrong values\n", tried / widths, widths,
         wrong);
  return wrong != 0;
}
