/* Evaluation, a block of elements at a time: each operation is a loop over arrays, which the
 * compiler makes vectors of.  Nothing is contracted: this file is compiled with
 * -ffp-contract=off. */
#include "internal.h"

/* Elements of a block: many, if the arrays between operations then stay in the nearest cache. */
enum { LEAST_BLOCK = 256, MOST_BLOCK = 2048, ROOMS_BYTES = 1 << 14 };
enum { NUMBER_BYTES = RH_EVAL_NUMBER_BYTES };

typedef int8_t t_i8;
typedef uint8_t t_u8;
typedef int16_t t_i16;
typedef uint16_t t_u16;
typedef uint16_t t_f16;
typedef int32_t t_i32;
typedef uint32_t t_u32;
typedef int64_t t_i64;
typedef uint64_t t_u64;
typedef float t_f32;
typedef double t_f64;

#define DEFINE(name, result, type, expression)                                                     \
  RH_OPERATION(name, t_##result, t_##type, t_##type, t_##type, expression)

/* ---- Arithmetic: of signed integers by unsigned ones, whose overflow is defined ---- */

#define INTEGERS(type, wide)                                                                       \
  DEFINE(ADD_##type, type, type, (wide)x[j] + (wide)y[j])                                          \
  DEFINE(SUBTRACT_##type, type, type, (wide)x[j] - (wide)y[j])                                     \
  DEFINE(MULTIPLY_##type, type, type, (wide)x[j] * (wide)y[j])                                     \
  DEFINE(NEGATE_##type, type, type, (wide)0 - (wide)x[j])                                          \
  DEFINE(INVERT_##type, type, type, ~x[j])                                                         \
  DEFINE(AND_##type, type, type, x[j] & y[j])                                                      \
  DEFINE(OR_##type, type, type, x[j] | y[j])                                                       \
  DEFINE(XOR_##type, type, type, x[j] ^ y[j])                                                      \
  SHIFT(LEFT_##type, type, (wide)x[j] << (y[j] % (8 * sizeof(wide))))                              \
  SHIFT(RIGHT_##type, type, x[j] >> (y[j] % (8 * sizeof(wide))))                                   \
  OF_EITHER(type)
#define FLOATS(type)                                                                               \
  DEFINE(ADD_##type, type, type, x[j] + y[j])                                                      \
  DEFINE(SUBTRACT_##type, type, type, x[j] - y[j])                                                 \
  DEFINE(MULTIPLY_##type, type, type, x[j] * y[j])                                                 \
  DEFINE(DIVIDE_##type, type, type, x[j] / y[j])                                                   \
  DEFINE(NEGATE_##type, type, type, -x[j])                                                         \
  OF_EITHER(type)
#define OF_EITHER(type)                                                                            \
  DEFINE(LESS_##type, i32, type, x[j] < y[j])                                                      \
  DEFINE(AT_MOST_##type, i32, type, x[j] <= y[j])                                                  \
  DEFINE(EQUAL_##type, i32, type, x[j] == y[j])                                                    \
  DEFINE(UNEQUAL_##type, i32, type, x[j] != y[j])                                                  \
  RH_OPERATION(CHOOSE_##type, t_##type, t_i32, t_##type, t_##type, x[j] ? y[j] : z[j])
#define SHIFT(name, type, expression)                                                              \
  RH_OPERATION(name, t_##type, t_##type, t_u32, t_u32, expression)
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

/* ---- Conversions ---- */

/* X(to, from) */
/* clang-format off */
#define CASTS(X)                                                                                   \
  X(i32, i8) X(i32, u8) X(i32, i16) X(i32, u16)                                                    \
  X(i32, u32) X(i32, i64) X(i32, u64)                                                              \
  X(u32, i32) X(u32, i64) X(u32, u64)                                                              \
  X(i64, i32) X(i64, u32) X(i64, u64)                                                              \
  X(u64, i32) X(u64, u32) X(u64, i64)                                                              \
  X(f32, i32) X(f32, u32) X(f32, i64) X(f32, u64) X(f32, f64)                                      \
  X(f64, i32) X(f64, u32) X(f64, i64) X(f64, u64) X(f64, f32)
/* X(to, from, least, most, the first above it) */
#define SATURATED(X, from)                                                                         \
  X(i32, from, INT32_MIN, INT32_MAX, 0x1p31)                                                       \
  X(u32, from, 0, UINT32_MAX, 0x1p32)                                                              \
  X(i64, from, INT64_MIN, INT64_MAX, 0x1p63)                                                       \
  X(u64, from, 0, UINT64_MAX, 0x1p64)
/* clang-format on */
#define CAST(to, from) DEFINE(CAST_##to##_##from, to, from, x[j])
/* A float saturates, and NaN is 0. */
#define SATURATE(to, from, least, most, above)                                                     \
  DEFINE(CAST_##to##_##from, to, from,                                                             \
         x[j] != x[j]              ? 0                                                             \
         : x[j] >= (t_##from)above ? most                                                          \
         : x[j] <= (t_##from)least ? least                                                         \
                                   : (t_##to)x[j])
CASTS(CAST)
SATURATED(SATURATE, f32)
SATURATED(SATURATE, f64)

DEFINE(CAST_f32_f16, f32, f16, rh_half_to_float(x[j]))
DEFINE(NARROW_i8, i32, i32, (int8_t)x[j])
DEFINE(NARROW_u8, i32, i32, (uint8_t)x[j])
DEFINE(NARROW_i16, i32, i32, (int16_t)x[j])
DEFINE(NARROW_u16, i32, i32, (uint16_t)x[j])
DEFINE(NARROW_f16, f32, f32, rh_half_to_float(rh_half_from_float(x[j])))

/* ---- Tables: by the kind, and the type of what is computed or compared ---- */

#define AT(kind, type) [RH_TYPE_##type] = kind##_##type
#define OF_NONE(kind)                                                                              \
  { NULL }
#define OF_SMALL(kind)                                                                             \
  { AT(kind, i8), AT(kind, u8), AT(kind, i16), AT(kind, u16), AT(kind, f16) }
#define OF_INTEGERS(kind)                                                                          \
  { AT(kind, i32), AT(kind, u32), AT(kind, i64), AT(kind, u64) }
#define OF_ALL(kind)                                                                               \
  { AT(kind, i32), AT(kind, u32), AT(kind, i64), AT(kind, u64), AT(kind, f32), AT(kind, f64) }
#define ROW(name, operands, types, traits) [RH_NODE_##name] = OF_##types(name),
static rh_expr_loop *const operations[][RH_TYPE_f64 + 1] = {RH_NODE_LIST(ROW)};
#define TO(to, from) [RH_TYPE_##to][RH_TYPE_##from] = CAST_##to##_##from,
/* What a float saturates at does not matter here. */
#define TO_SATURATED(to, from, least, most, above) TO(to, from)
static rh_expr_loop *const casts[][RH_TYPE_f64 + 1] = {
    CASTS(TO) TO(f32, f16) SATURATED(TO_SATURATED, f32) SATURATED(TO_SATURATED, f64)};

/* ---- A block ---- */

RH_WIDEST static void fill_array(void *to, const rh_scalar *value, uint32_t size, size_t n) {
  uint32_t *small = to;
  uint64_t *large = to;
  if (size == sizeof *small)
    for (size_t j = 0; j < n; j++) small[j] = value->u32;
  if (size == sizeof *large)
    for (size_t j = 0; j < n; j++) large[j] = value->u64;
}

static void compute(const rh_node *node, void *to, const void *const *args, size_t n) {
  rh_expr_loop *operation = operations[node->kind][node->of ? node->of : node->type];
  if (node->kind == RH_NODE_CAST) operation = casts[node->type][node->of];
  if (node->kind == RH_NODE_CALL) operation = node->function->of[node->type == RH_TYPE_f64];
  if (operation) operation(to, args[0], args[1], args[2], n);
  else memcpy(to, args[0], n * rh_type_size(node->type)); /* the same bits as another type */
}

static uint32_t size_of(const rh_node *node) { return rh_type_size(node->type); }

/* Where the node's result goes. */
static void *target(const rh_evaluation *e, const rh_node *node, uint64_t done) {
  if (node->room >= 0) return e->rooms + (size_t)node->room * e->room_bytes;
  if (node->output >= 0) return (char *)e->outputs[node->output] + done * size_of(node);
  return NULL;
}

void rh_eval_node(const rh_evaluation *e, uint32_t k, uint64_t first, uint64_t done, size_t n) {
  const rh_node *node = &e->exprs->nodes[k];
  void *to = target(e, node, done);
  const void *args[3] = {NULL};
  e->places[k] = to;
  for (uint32_t j = 0; j < node->arity; j++) args[j] = e->places[node->args[j]];
  if (node->kind == RH_NODE_LITERAL) {
    fill_array(to, &node->value, size_of(node), n);
  } else if (node->kind == RH_NODE_CONSTANT) {
    fill_array(to, &e->constants[node->slot], size_of(node), n);
  } else if (node->kind == RH_NODE_VARIABLE) {
    const char *from = (const char *)e->variables[node->number] + done * rh_type_size(node->of);
    if (node->of != node->type) casts[node->type][node->of](to, from, NULL, NULL, n);
    else e->places[k] = from;
  } else if (node->kind == RH_NODE_INDEX) {
    for (size_t j = 0; j < n; j++) ((uint64_t *)to)[j] = first + done + j;
  } else {
    compute(node, to, args, n);
  }
}

void rh_eval_known(const rh_exprs *exprs, rh_node *node) {
  rh_scalar scalars[3];
  const void *args[3] = {NULL};
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
  compute(node, &node->known, args, 1);
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
