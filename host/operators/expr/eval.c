/* Evaluation, a block of elements at a time: each operation is a loop over arrays, which the
 * compiler makes vectors of.  Nothing is contracted: this file is compiled with
 * -ffp-contract=off. */
#include "eval.h"
#include "../../core/base/half.h"
#include "../../core/base/vocabulary.h"
#include "../../core/base/widest.h"

#include <math.h>
#include <string.h>

/* Elements of a block: many, if the arrays between operations then stay in the nearest cache. */
enum { LEAST_BLOCK = 256, MOST_BLOCK = 2048, ROOMS_BYTES = 1 << 14 };
enum { NUMBER_BYTES = RH_EVAL_NUMBER_BYTES };

typedef int32_t t_i32;
typedef uint32_t t_u32;
typedef int64_t t_i64;
typedef uint64_t t_u64;
typedef float t_f32;
typedef double t_f64;

#define EACH for (size_t j = 0; j < n; j++)

/* ---- Arithmetic: of signed integers by unsigned ones, whose overflow is defined ---- */

typedef void operation(void *to, const void *a, const void *b, const void *c, size_t n);

#define DEFINE(name, result, type, expression)                                                     \
  WIDEST static void name(void *restrict to, const void *a, const void *b, const void *c,          \
                          size_t n) {                                                              \
    t_##result *restrict r = to;                                                                   \
    const t_##type *x = a, *y = b;                                                                 \
    (void)y;                                                                                       \
    (void)c;                                                                                       \
    EACH r[j] = (t_##result)(expression);                                                          \
  }

#define INTEGERS(type, wide)                                                                       \
  DEFINE(ADD_##type, type, type, (wide)x[j] + (wide)y[j])                                          \
  DEFINE(SUBTRACT_##type, type, type, (wide)x[j] - (wide)y[j])                                     \
  DEFINE(MULTIPLY_##type, type, type, (wide)x[j] * (wide)y[j])                                     \
  DEFINE(NEGATE_##type, type, type, (wide)0 - (wide)x[j])                                          \
  DEFINE(INVERT_##type, type, type, ~x[j])                                                         \
  DEFINE(AND_##type, type, type, x[j] & y[j])                                                      \
  DEFINE(OR_##type, type, type, x[j] | y[j])                                                       \
  DEFINE(XOR_##type, type, type, x[j] ^ y[j])                                                      \
  COMPARISONS(type)
#define FLOATS(type)                                                                               \
  DEFINE(ADD_##type, type, type, x[j] + y[j])                                                      \
  DEFINE(SUBTRACT_##type, type, type, x[j] - y[j])                                                 \
  DEFINE(MULTIPLY_##type, type, type, x[j] * y[j])                                                 \
  DEFINE(DIVIDE_##type, type, type, x[j] / y[j])                                                   \
  DEFINE(NEGATE_##type, type, type, -x[j])                                                         \
  COMPARISONS(type)
#define COMPARISONS(type)                                                                          \
  DEFINE(LESS_##type, i32, type, x[j] < y[j])                                                      \
  DEFINE(AT_MOST_##type, i32, type, x[j] <= y[j])                                                  \
  DEFINE(EQUAL_##type, i32, type, x[j] == y[j])                                                    \
  DEFINE(UNEQUAL_##type, i32, type, x[j] != y[j])
INTEGERS(i32, uint32_t)
INTEGERS(u32, uint32_t)
INTEGERS(i64, uint64_t)
INTEGERS(u64, uint64_t)
FLOATS(f32)
FLOATS(f64)

/* Divided by 0 it is 0, and the least number divided by -1 is itself. */
#define SIGNED_DIVISION(type, wide)                                                                \
  DEFINE(DIVIDE_##type, type, type,                                                                \
         y[j] == 0    ? 0                                                                          \
         : y[j] == -1 ? (t_##type)((wide)0 - (wide)x[j])                                           \
                      : x[j] / y[j])                                                               \
  DEFINE(REMAINDER_##type, type, type, y[j] == 0 || y[j] == -1 ? 0 : x[j] % y[j])
#define UNSIGNED_DIVISION(type)                                                                    \
  DEFINE(DIVIDE_##type, type, type, y[j] == 0 ? 0 : x[j] / y[j])                                   \
  DEFINE(REMAINDER_##type, type, type, y[j] == 0 ? 0 : x[j] % y[j])
SIGNED_DIVISION(i32, uint32_t)
SIGNED_DIVISION(i64, uint64_t)
UNSIGNED_DIVISION(u32)
UNSIGNED_DIVISION(u64)

#define SHIFTS(type, wide)                                                                         \
  WIDEST static void LEFT_##type(void *restrict to, const void *a, const void *b, const void *c,   \
                                 size_t n) {                                                       \
    t_##type *restrict r = to;                                                                     \
    const t_##type *x = a;                                                                         \
    const t_u32 *y = b;                                                                            \
    (void)c;                                                                                       \
    EACH r[j] = (t_##type)((wide)x[j] << (y[j] % (8 * sizeof(wide))));                             \
  }                                                                                                \
  WIDEST static void RIGHT_##type(void *restrict to, const void *a, const void *b, const void *c,  \
                                  size_t n) {                                                      \
    t_##type *restrict r = to;                                                                     \
    const t_##type *x = a;                                                                         \
    const t_u32 *y = b;                                                                            \
    (void)c;                                                                                       \
    EACH r[j] = x[j] >> (y[j] % (8 * sizeof(wide)));                                               \
  }
SHIFTS(i32, uint32_t)
SHIFTS(u32, uint32_t)
SHIFTS(i64, uint64_t)
SHIFTS(u64, uint64_t)

#define CHOICE(type)                                                                               \
  WIDEST static void CHOOSE_##type(void *restrict to, const void *a, const void *b, const void *c, \
                                   size_t n) {                                                     \
    t_##type *restrict r = to;                                                                     \
    const t_i32 *x = a;                                                                            \
    const t_##type *y = b, *z = c;                                                                 \
    EACH r[j] = x[j] ? y[j] : z[j];                                                                \
  }
CHOICE(i32)
CHOICE(u32)
CHOICE(i64)
CHOICE(u64)
CHOICE(f32)
CHOICE(f64)

/* ---- Conversions ---- */

#define CAST(to, from) DEFINE(CAST_##to##_##from, to, from, x[j])
/* A float saturates, and NaN is 0. */
#define SATURATE(to, from, least, most, above)                                                     \
  DEFINE(CAST_##to##_##from, to, from,                                                             \
         x[j] != x[j]              ? 0                                                             \
         : x[j] >= (t_##from)above ? most                                                          \
         : x[j] <= (t_##from)least ? least                                                         \
                                   : (t_##to)x[j])
#define SATURATES(from)                                                                            \
  SATURATE(i32, from, INT32_MIN, INT32_MAX, 0x1p31)                                                \
  SATURATE(u32, from, 0, UINT32_MAX, 0x1p32)                                                       \
  SATURATE(i64, from, INT64_MIN, INT64_MAX, 0x1p63)                                                \
  SATURATE(u64, from, 0, UINT64_MAX, 0x1p64)
/* clang-format off */
CAST(i32, u32) CAST(i32, i64) CAST(i32, u64)
CAST(u32, i32) CAST(u32, i64) CAST(u32, u64)
CAST(i64, i32) CAST(i64, u32) CAST(i64, u64)
CAST(u64, i32) CAST(u64, u32) CAST(u64, i64)
CAST(f32, i32) CAST(f32, u32) CAST(f32, i64) CAST(f32, u64) CAST(f32, f64)
CAST(f64, i32) CAST(f64, u32) CAST(f64, i64) CAST(f64, u64) CAST(f64, f32)
    /* clang-format on */
    SATURATES(f32) SATURATES(f64)

    /* Elements of types that are not computed with. */
    typedef int8_t t_i8;
typedef uint8_t t_u8;
typedef int16_t t_i16;
typedef uint16_t t_u16;
typedef uint16_t t_f16;
DEFINE(LOAD_i8, i32, i8, x[j])
DEFINE(LOAD_u8, i32, u8, x[j])
DEFINE(LOAD_i16, i32, i16, x[j])
DEFINE(LOAD_u16, i32, u16, x[j])
DEFINE(LOAD_f16, f32, f16, rh_half_to_float(x[j]))
DEFINE(NARROW_i8, i32, i32, (int8_t)x[j])
DEFINE(NARROW_u8, i32, i32, (uint8_t)x[j])
DEFINE(NARROW_i16, i32, i32, (int16_t)x[j])
DEFINE(NARROW_u16, i32, i32, (uint16_t)x[j])
DEFINE(NARROW_f16, f32, f32, rh_half_to_float(rh_half_from_float(x[j])))

/* ---- Tables: by the kind, and the type of what is computed or compared ---- */

#define AT(kind, type) [RH_TYPE_##type] = kind##_##type
#define OF_INTEGERS(kind)                                                                          \
  [RH_NODE_##kind] = {AT(kind, i32), AT(kind, u32), AT(kind, i64), AT(kind, u64)}
#define OF_ALL(kind)                                                                               \
  [RH_NODE_##kind] = {AT(kind, i32), AT(kind, u32), AT(kind, i64),                                 \
                      AT(kind, u64), AT(kind, f32), AT(kind, f64)}
static operation *const operations[][RH_TYPE_f64 + 1] = {
    OF_ALL(NEGATE),         OF_INTEGERS(INVERT), OF_ALL(ADD),
    OF_ALL(SUBTRACT),       OF_ALL(MULTIPLY),    OF_ALL(DIVIDE),
    OF_INTEGERS(REMAINDER), OF_INTEGERS(LEFT),   OF_INTEGERS(RIGHT),
    OF_INTEGERS(AND),       OF_INTEGERS(OR),     OF_INTEGERS(XOR),
    OF_ALL(LESS),           OF_ALL(AT_MOST),     OF_ALL(EQUAL),
    OF_ALL(UNEQUAL),        OF_ALL(CHOOSE)};

#define TO(to, from) [RH_TYPE_##from] = CAST_##to##_##from
static operation *const casts[][RH_TYPE_f64 + 1] = {
    [RH_TYPE_i32] = {TO(i32, u32), TO(i32, i64), TO(i32, u64), TO(i32, f32), TO(i32, f64)},
    [RH_TYPE_u32] = {TO(u32, i32), TO(u32, i64), TO(u32, u64), TO(u32, f32), TO(u32, f64)},
    [RH_TYPE_i64] = {TO(i64, i32), TO(i64, u32), TO(i64, u64), TO(i64, f32), TO(i64, f64)},
    [RH_TYPE_u64] = {TO(u64, i32), TO(u64, u32), TO(u64, i64), TO(u64, f32), TO(u64, f64)},
    [RH_TYPE_f32] = {TO(f32, i32), TO(f32, u32), TO(f32, i64), TO(f32, u64), TO(f32, f64)},
    [RH_TYPE_f64] = {TO(f64, i32), TO(f64, u32), TO(f64, i64), TO(f64, u64), TO(f64, f32)}};
static operation *const loads[RH_TYPE_f64 + 1] = {AT(LOAD, i8), AT(LOAD, u8), AT(LOAD, i16),
                                                  AT(LOAD, u16), AT(LOAD, f16)};
static operation *const narrows[RH_TYPE_f64 + 1] = {AT(NARROW, i8), AT(NARROW, u8), AT(NARROW, i16),
                                                    AT(NARROW, u16), AT(NARROW, f16)};

/* Functions that are an instruction or two. */
DEFINE(FABS_f32, f32, f32, __builtin_fabsf(x[j]))
DEFINE(FABS_f64, f64, f64, __builtin_fabs(x[j]))

/* ---- A block ---- */

static void call_f32(const rh_function *f, float *r, void *const *args, size_t n) {
  const float *x = args[0], *y = args[1], *z = args[2];
  if (f->f1 == fabsf) {
    FABS_f32(r, x, NULL, NULL, n);
    return;
  }
  if (f->f1) EACH r[j] = f->f1(x[j]);
  if (f->f2) EACH r[j] = f->f2(x[j], y[j]);
  if (f->f3) EACH r[j] = f->f3(x[j], y[j], z[j]);
}

static void call_f64(const rh_function *f, double *r, void *const *args, size_t n) {
  const double *x = args[0], *y = args[1], *z = args[2];
  if (f->d1 == fabs) {
    FABS_f64(r, x, NULL, NULL, n);
    return;
  }
  if (f->d1) EACH r[j] = f->d1(x[j]);
  if (f->d2) EACH r[j] = f->d2(x[j], y[j]);
  if (f->d3) EACH r[j] = f->d3(x[j], y[j], z[j]);
}

WIDEST static void fill_array(void *to, const rh_scalar *value, uint32_t size, size_t n) {
  uint32_t *small = to;
  uint64_t *large = to;
  if (size == sizeof *small) EACH small[j] = value->u32;
  if (size == sizeof *large) EACH large[j] = value->u64;
}

static void compute(const rh_node *node, void *to, void *const *args, uint64_t index, size_t n) {
  uint64_t *indices = to;
  switch (node->kind) {
  case RH_NODE_INDEX: EACH indices[j] = index + j; return;
  case RH_NODE_CAST: casts[node->type][node->of](to, args[0], NULL, NULL, n); return;
  case RH_NODE_NARROW: narrows[node->of](to, args[0], NULL, NULL, n); return;
  case RH_NODE_BITS: memcpy(to, args[0], n * rh_type_size(node->type)); return;
  case RH_NODE_CALL:
    if (node->type == RH_TYPE_f32)
      call_f32(node->function, to, args, n);
    else
      call_f64(node->function, to, args, n);
    return;
  default: {
    rh_type type = node->of ? node->of : node->type;
    operations[node->kind][type](to, args[0], args[1], args[2], n);
  }
  }
}

static uint32_t size_of(const rh_node *node) {
  return rh_type_size(node->type);
}

/* Where the node's result goes. */
static void *target(const rh_evaluation *e, const rh_node *node, uint64_t done) {
  if (node->room >= 0) return e->rooms + (size_t)node->room * e->room_bytes;
  if (node->output >= 0) return (char *)e->outputs[node->output] + done * size_of(node);
  return NULL;
}

void rh_eval_node(const rh_evaluation *e, uint32_t k, uint64_t first, uint64_t done, size_t n) {
  const rh_node *node = &e->exprs->nodes[k];
  void *to = target(e, node, done), *args[3] = {NULL};
  e->places[k] = to;
  for (uint32_t j = 0; j < node->arity; j++) args[j] = (void *)(uintptr_t)e->places[node->args[j]];
  if (node->kind == RH_NODE_LITERAL) {
    fill_array(to, &node->value, size_of(node), n);
  } else if (node->kind == RH_NODE_CONSTANT) {
    fill_array(to, &e->constants[node->slot], size_of(node), n);
  } else if (node->kind == RH_NODE_VARIABLE) {
    const char *from = (const char *)e->variables[node->number] + done * rh_type_size(node->of);
    if (node->of != node->type)
      loads[node->of](to, from, NULL, NULL, n);
    else
      e->places[k] = from;
  } else {
    compute(node, to, args, first + done, n);
  }
}

void rh_eval_known(const rh_exprs *exprs, rh_node *node) {
  rh_scalar scalars[3];
  void *args[3] = {NULL};
  node->is_known = node->kind == RH_NODE_LITERAL;
  node->known = node->value;
  if (node->is_known || node->arity == 0) return;
  for (uint32_t k = 0; k < node->arity; k++) {
    const rh_node *arg = &exprs->nodes[node->args[k]];
    if (!arg->is_known) return;
    scalars[k] = arg->known;
    args[k] = &scalars[k];
  }
  node->is_known = 1;
  node->known = (rh_scalar){0};
  compute(node, &node->known, args, 0, 1);
}

/* An output that is another one too, or a variable. */
static void copy_outputs(const rh_evaluation *e, uint64_t done, size_t n) {
  for (uint32_t j = 0; j < e->exprs->n_outputs; j++) {
    uint32_t k = e->exprs->outputs[j], size = size_of(&e->exprs->nodes[k]);
    char *to = (char *)e->outputs[j] + done * size;
    if (e->places[k] != to) memcpy(to, e->places[k], n * size);
  }
}

static size_t block_of(const rh_exprs *exprs) {
  size_t block = ROOMS_BYTES / NUMBER_BYTES / (exprs->rooms ? exprs->rooms : 1);
  block = block < LEAST_BLOCK ? LEAST_BLOCK : block > MOST_BLOCK ? MOST_BLOCK : block;
  return block / LEAST_BLOCK * LEAST_BLOCK;
}

void rh_exprs_eval(const rh_exprs *exprs, const void *const *variables, uint64_t first, uint64_t n,
                   const void *constants, void *const *outputs) {
  const size_t block = block_of(exprs), room_bytes = NUMBER_BYTES * block;
  _Alignas(64) unsigned char rooms[(exprs->rooms + 1) * room_bytes];
  const void *places[exprs->n_nodes + 1];
  const rh_evaluation e = {exprs, variables, constants, outputs, rooms, room_bytes, places};
  for (uint32_t k = 0; k < exprs->n_kept; k++)
    rh_eval_node(&e, exprs->order[k], first, 0, n < block ? n : block);
  for (uint64_t done = 0; done < n; done += block) {
    size_t count = n - done < block ? n - done : block;
    for (uint32_t k = exprs->n_kept; k < exprs->n_order; k++)
      rh_eval_node(&e, exprs->order[k], first, done, count);
    copy_outputs(&e, done, count);
  }
}
