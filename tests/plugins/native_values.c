/* The values of `native` for every operator on every type, lengths with incomplete rows and tiles,
 * elements of one sign and of both, every width of vectors, both ways through memory, one thread
 * and three; and of the maps that it computes in registers.  Behind the data is a page that cannot
 * be read, so that a load beyond them ends the program.
 *
 * Built from the plugin's own sources without anything else that a cross compiler would lack, and
 * so also run on an emulated processor with other vectors.  Exit status 1: a wrong value. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <math.h>
#include <redhost/canonical.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../host/core/operation/operation.h"
#include "native.h"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { MOST = 70000, KINDS = 7 };

static void *open_or_exit(const rh_op *op, rh_type type, int64_t threads, int64_t vectors,
                          int64_t walk) {
  void *self = open_native(op, type, MOST, threads, vectors, walk);
  if (self) return self;
  printf("%s of %s: no setup\n", op->name, rh_type_name(type));
  exit(1);
}

static void close_native(void *self) {
  strategy()->teardown(self);
  free_all();
}

/* ---- Data ---- */

/* The end of memory for MOST elements of any type; nothing behind it can be read. */
static unsigned char *end_of_data(void) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = (MOST * 8 + page - 1) / page * page;
  unsigned char *made =
      mmap(NULL, bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (made != MAP_FAILED && mprotect(made + bytes, page, PROT_NONE) == 0) return made + bytes;
  perror("native_values: memory for the data");
  exit(1);
}

/* n elements that end where the k-th of the two memories does. */
static unsigned char *data_of(int k, uint64_t n, uint32_t element_size) {
  static unsigned char *ends[2];
  if (!ends[k]) ends[k] = end_of_data();
  return ends[k] - n * element_size;
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

static void put_special(unsigned char *x, rh_type type, uint64_t k, uint64_t random) {
  static const double specials[] = {0.0, -0.0, HUGE_VAL, -HUGE_VAL, (double)NAN};
  double special = specials[random % 5];
  if (type == RH_TYPE_f32) ((float *)x)[k] = (float)special;
  if (type == RH_TYPE_f64) ((double *)x)[k] = special;
}

static void put_subnormal(unsigned char *x, rh_type type, uint64_t k, int64_t i) {
  if (type == RH_TYPE_f32) ((float *)x)[k] = (float)i * 0x1p-149f;
  if (type == RH_TYPE_f64) ((double *)x)[k] = (double)i * 0x1p-1074;
}

/* kind 0: both signs; 1: none below 0; 2: none above; 3 and 4: all but one; 5: f32 and f64 that are
 * special, one or all; 6: subnormal, but for 0. */
static void fill(unsigned char *x, rh_type type, uint64_t n, unsigned kind, uint64_t *state) {
  for (uint64_t k = 0; k < n; k++) {
    int64_t i = (int64_t)(random_next(state) % 60);
    int is_below = kind == 0 ? i % 2 != 0 : kind == 2;
    if (kind == 3 || kind == 4) is_below = (k == n / 2) == (kind == 3);
    put(x, type, k, is_below ? -i : i);
    if (kind == 5 && (k == n / 3 || n < 100)) put_special(x, type, k, random_next(state));
    if (kind == 6) put_subnormal(x, type, k, i + 1);
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

/* NaN has no defined sign. */
static int is_same(const rh_op *op, rh_type type, const void *a, const void *b) {
  rh_result x, y;
  if (rh_op_same_values(op, type, a, b)) return 1;
  rh_op_result(op->id, type, a, &x);
  rh_op_result(op->id, type, b, &y);
  return x.type >= RH_TYPE_f16 && isnan(x.value.f) && isnan(y.value.f);
}

/* A thread may have set its processor to treat subnormal numbers as 0, which changes no order. */
static int run_with(void *self, const rh_op *op, const rh_run *run, int is_flushed) {
#if defined(__x86_64__)
  unsigned before = _mm_getcsr();
  if (is_flushed && op->flags & RH_OP_EXACT) _mm_setcsr(before | 0x8040);
  int result = strategy()->run(self, run);
  _mm_setcsr(before);
  return result;
#else
  (void)op;
  (void)is_flushed;
  return strategy()->run(self, run);
#endif
}

static int try_length(void *self, const rh_op *op, rh_type type, uint64_t n, unsigned kind,
                      const unsigned char *x) {
  _Alignas(16) unsigned char value[16] = {0}, expected[16] = {0};
  rh_run run = {.struct_size = sizeof run, .n = n, .host_input = x, .host_result = value};
  expect(op, x, n, expected);
  if (run_with(self, op, &run, kind == 6) == RH_OK && is_same(op, type, value, expected)) return 0;
  printf("%s of %s: wrong value of %llu elements, kind %u\n", op->name, rh_type_name(type),
         (unsigned long long)n, kind);
  return 1;
}

static const uint64_t lengths[] = {1,   2,    3,   7,   15,   16,   31,  63,  64,
                                   65,  127,  200, 255, 257,  511,  512, 640, 1000,
                                   767, 1025, 385, 129, 4097, 9999, MOST};
enum { N_LENGTHS = sizeof lengths / sizeof *lengths };

static int try_operator(const rh_op *op, rh_type type, int64_t vectors) {
  uint64_t state = 5;
  int wrong = 0;
  for (int64_t threads = 1; threads <= 3; threads += 2) {
    void *self = open_or_exit(op, type, threads, vectors, 1 + (vectors + threads / 2) % 3);
    for (size_t k = 0; k < N_LENGTHS; k++)
      for (unsigned kind = 0; kind < KINDS; kind++) {
        unsigned char *x = data_of(0, lengths[k], op->element_size);
        fill(x, type, lengths[k], kind, &state);
        wrong += try_length(self, op, type, lengths[k], kind, x);
      }
    close_native(self);
  }
  return wrong;
}

/* ---- Maps in registers ---- */

/* Elements.  Extremes of the last, shorter block may take the map. */
enum { LEAST_IN_REGISTERS = 64 };

/* As a plugin gets them: of three operands, the form is of the last and the first. */
typedef struct mapped {
  const rh_op *base;
  rh_type type;
  rh_op op;
  const void *operands[3];
} mapped;
static mapped now;
static uint64_t n_maps;

#define MAPPED(type)                                                                               \
  static type mapped_##type(uint32_t form, type x, type y) {                                       \
    type difference = x - y;                                                                       \
    switch (form) {                                                                                \
    case RH_FORM_ELEMENT: return x;                                                                \
    case RH_FORM_PRODUCT: return x * y;                                                            \
    case RH_FORM_DISTANCE: return (type)fabs((double)difference);                                  \
    default: return difference * difference;                                                       \
    }                                                                                              \
  }
MAPPED(float)
MAPPED(double)

static void map(const void *user, const void *input, uint64_t first, uint64_t n, void *to) {
  const void *x = now.operands[2], *y = now.operands[0];
  const rh_op *op = user;
  (void)input;
  n_maps++;
  for (uint64_t k = 0; k < n; k++) {
    uint64_t at = first + k;
    if (now.type == RH_TYPE_f32)
      ((float *)to)[k] = mapped_float(op->form, ((const float *)x)[at], ((const float *)y)[at]);
    else
      ((double *)to)[k] = mapped_double(op->form, ((const double *)x)[at], ((const double *)y)[at]);
  }
}

static int try_mapped_length(void *self, uint64_t n, unsigned kind) {
  static unsigned char made[MOST * 8];
  _Alignas(16) unsigned char value[16] = {0}, expected[16] = {0};
  rh_run run = {.struct_size = sizeof run,
                .n = n,
                .n_operands = 3,
                .host_operands = now.operands,
                .host_result = value};
  map(&now.op, NULL, 0, n, made);
  expect(now.base, made, n, expected);
  n_maps = 0;
  int ok = strategy()->run(self, &run) == RH_OK && is_same(now.base, now.type, value, expected) &&
           (n < LEAST_IN_REGISTERS || now.op.form == RH_FORM_OTHER ||
            n_maps <= (now.op.mapped_op != RH_OP_sum));
  if (!ok)
    printf("%s of form %u of %s: wrong value of %llu elements, kind %u, or %llu maps\n",
           now.base->name, now.op.form, rh_type_name(now.type), (unsigned long long)n, kind,
           (unsigned long long)n_maps);
  return !ok;
}

/* size: of the largest operand's elements, which decides the rows of a tile. */
static int try_form(uint32_t id, rh_type type, uint32_t form, uint32_t size, int64_t vectors) {
  static const rh_type types[3] = {RH_TYPE_f32, RH_TYPE_u8, RH_TYPE_f32};
  uint64_t state = 7;
  int wrong = 0;
  rh_op base = *rh_op_find(id, type);
  const uint32_t element_size = base.element_size;
  now = (mapped){&base, type, base, {NULL}};
  now.op.id = RH_FIRST_USER_OP;
  now.op.n_operands = 3;
  now.op.operand_types = types;
  now.op.mapped_op = id;
  now.op.mapped_type = type;
  now.op.user = &now.op;
  now.op.map = map;
  now.op.form = form;
  now.op.form_operands[0] = 2;
  now.op.element_size = base.element_size = size;
  for (int64_t threads = 1; threads <= 3; threads += 2) {
    void *self = open_or_exit(&now.op, type, threads, vectors, 1 + (vectors + threads / 2) % 3);
    for (size_t k = 0; k < N_LENGTHS; k++)
      for (unsigned kind = 0; kind < KINDS; kind++) {
        unsigned char *x = data_of(0, lengths[k], element_size);
        unsigned char *y = data_of(1, lengths[k], element_size);
        now.operands[0] = now.operands[1] = x;
        now.operands[2] = y;
        fill(x, type, lengths[k], kind, &state);
        fill(y, type, lengths[k], (kind + 1) % KINDS, &state);
        wrong += try_mapped_length(self, lengths[k], kind);
      }
    close_native(self);
  }
  return wrong;
}

/* Each form with the operators that take it in registers; and other maps, of operands of any
 * size. */
static int try_forms(int64_t vectors) {
  static const struct {
    uint32_t form, op;
  } cases[] = {{RH_FORM_ELEMENT, RH_OP_sum},          {RH_FORM_ELEMENT, RH_OP_asum},
               {RH_FORM_ELEMENT, RH_OP_max},          {RH_FORM_ELEMENT, RH_OP_argmin},
               {RH_FORM_PRODUCT, RH_OP_sum},          {RH_FORM_DISTANCE, RH_OP_sum},
               {RH_FORM_SQUARED_DISTANCE, RH_OP_sum}, {RH_FORM_DISTANCE, RH_OP_max},
               {RH_FORM_DISTANCE, RH_OP_min},         {RH_FORM_DISTANCE, RH_OP_amax}};
  int wrong = 0;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    for (rh_type type = RH_TYPE_f32; type <= RH_TYPE_f64; type++)
      wrong += try_form(cases[k].op, type, cases[k].form, type == RH_TYPE_f32 ? 4 : 8, vectors);
  for (rh_type type = RH_TYPE_f32; type <= RH_TYPE_f64; type++)
    for (uint32_t size = 1; size <= 8; size *= 2)
      for (uint32_t id = 1; id <= RH_N_OPS; id++)
        if (id == RH_OP_sum || id == RH_OP_asum)
          wrong += try_form(id, type, RH_FORM_OTHER, size, vectors);
  return wrong;
}

/* native_values [WIDTHS]: how many widths of vectors, from the widest on; without it all of
 * them. */
int main(int argc, char **argv) {
  int wrong = 0, tried = 0, widths = argc > 1 ? atoi(argv[1]) : 5;
  for (uint32_t id = 1; id <= RH_N_OPS; id++)
    for (rh_type type = 1; type <= RH_N_TYPES; type++)
      for (int64_t vectors = 0; vectors < widths; vectors++) {
        const rh_op *op = rh_op_is_defined(id, type) ? rh_op_find(id, type) : NULL;
        if (!op) continue;
        wrong += try_operator(op, type, vectors);
        tried++;
      }
  for (int64_t vectors = 0; vectors < widths; vectors++) wrong += try_forms(vectors);
  printf("%d operators on types at %d widths of vectors, %d wrong values\n", tried / widths, widths,
         wrong);
  return wrong != 0;
}
