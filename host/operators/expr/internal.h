/* An expression as a graph, and its evaluation. */
#pragma once

#include "expr.h"

/* The graph of expressions: nodes in an order in which each stands behind its operands. */

/* What is so of a kind: it may round floats; it not only adds and selects floats; of integers, what
 * it gives is right modulo 2^bits if the operands are. */
enum { RH_ROUNDS = 1, RH_MULTIPLIES = 2, RH_MODULAR = 4 };

/* X(name, operands, the types that eval.c has a loop for, traits) */
#define RH_NODE_LIST(X)                                                                            \
  X(LITERAL, 0, NONE, 0)                                                                           \
  X(CONSTANT, 0, NONE, 0)                                                                          \
  X(VARIABLE, 0, NONE, 0)                                                                          \
  X(INDEX, 0, NONE, 0)                                                                             \
  X(CAST, 1, NONE, RH_ROUNDS)                                                                      \
  /* an i32 to a smaller type's values, an f32 to f16's */                                         \
  X(NARROW, 1, SMALL, RH_ROUNDS | RH_MULTIPLIES)                                                   \
  X(NEGATE, 1, ALL, RH_MODULAR)                                                                    \
  X(INVERT, 1, INTEGERS, RH_MODULAR)                                                               \
  X(ADD, 2, ALL, RH_ROUNDS | RH_MODULAR)                                                           \
  X(SUBTRACT, 2, ALL, RH_ROUNDS | RH_MODULAR)                                                      \
  X(MULTIPLY, 2, ALL, RH_ROUNDS | RH_MULTIPLIES | RH_MODULAR)                                      \
  X(DIVIDE, 2, ALL, RH_ROUNDS | RH_MULTIPLIES)                                                     \
  X(REMAINDER, 2, INTEGERS, 0)                                                                     \
  X(LEFT, 2, INTEGERS, 0) /* shifts: the second operand is a u32 */                                \
  X(RIGHT, 2, INTEGERS, 0)                                                                         \
  X(AND, 2, INTEGERS, RH_MODULAR)                                                                  \
  X(OR, 2, INTEGERS, RH_MODULAR)                                                                   \
  X(XOR, 2, INTEGERS, RH_MODULAR)                                                                  \
  X(LESS, 2, ALL, 0) /* comparisons: i32 0 or 1, of operands of the type `of` */                   \
  X(AT_MOST, 2, ALL, 0)                                                                            \
  X(EQUAL, 2, ALL, 0)                                                                              \
  X(UNEQUAL, 2, ALL, 0)                                                                            \
  X(BITS, 1, NONE, RH_MULTIPLIES) /* the same bits as another type */                              \
  X(CHOOSE, 3, ALL, 0)            /* the first operand is an i32 */                                \
  X(CALL, 0, NONE, RH_ROUNDS)     /* of a function, with its number of operands */
typedef enum rh_node_kind {
#define RH_X(name, operands, types, traits) RH_NODE_##name,
  RH_NODE_LIST(RH_X)
#undef RH_X
} rh_node_kind;

static inline int rh_node_has(rh_node_kind kind, uint32_t trait) {
#define RH_X(name, operands, types, traits) [RH_NODE_##name] = (traits),
  static const unsigned char traits[] = {RH_NODE_LIST(RH_X)};
#undef RH_X
  return (traits[kind] & trait) != 0;
}

typedef struct rh_function rh_function;

static inline int rh_node_compares(rh_node_kind kind) {
  return kind >= RH_NODE_LESS && kind <= RH_NODE_UNEQUAL;
}

/* A number that takes on a type becomes this there. */
typedef enum rh_as {
  RH_AS_NEAREST, /* itself, or the nearest float; it fits */
  RH_AS_CAST,    /* converted as C does it, whatever is lost */
  /* Beside floats, in comparisons: a number that the type does not hold becomes the next one that
   * it does, or NaN.  One with a point or an exponent is rounded if it fits, as 0.1 is. */
  RH_AS_BELOW,
  RH_AS_ABOVE,
  RH_AS_EQUAL,
  RH_AS_APART /* an f64 beside integers of 64 bits, which differs from them where it should */
} rh_as;

/* Where an operation of integers that may wrap stands in a text: its sign, and its operands from
 * `begin` to `end`. */
typedef struct rh_kept_place {
  uint32_t text, begin, sign, end; /* end 0: it is none that a text has */
  int is_argument;                 /* of a function, whose value it may be, too */
} rh_kept_place;

typedef struct rh_node {
  rh_node_kind kind;
  rh_type type;     /* i32, u32, i64, u64, f32 or f64 */
  rh_type of;       /* of what is compared or converted; of a variable in memory */
  uint32_t args[3]; /* nodes */
  uint32_t number;  /* of a variable, or of a constant */
  uint32_t slot;    /* of a constant: where it stands, counted in 8 bytes */
  rh_scalar value;  /* of a literal */
  const rh_function *function;
  /* A literal or constant that takes on the type of what it meets: i64, u64 or f64 until then. */
  int is_weak;
  uint32_t arity; /* operands */
  int is_known;   /* it is of literals alone, and has the value `known` */
  rh_scalar known;
  /* Of it and all that it is computed from: RH_EXPR_*, the variables, rh_exprs_error(). */
  uint32_t facts;
  uint64_t variables;
  double error;
  int is_live;    /* an output needs it */
  uint32_t last;  /* the last node that reads it; UINT32_MAX: it is read to the end */
  int32_t output; /* the first that it is; -1: none */
  int32_t room;   /* its array during evaluation; -1: it is an output's, or a variable's own */
  rh_kept_place place;
} rh_node;

typedef struct rh_let_node {
  char name[RH_EXPR_NAME_BYTES];
  uint32_t node;
} rh_let_node;

/* A text with places in it, and what it is called in messages. */
typedef struct rh_kept_text {
  char *what, *text;
} rh_kept_text;

enum { RH_EXPR_MOST_LETS = 64, RH_EXPR_MOST_ARGS = 4 /* of a function's text */ };
/* The number of a constant that stands for `n`, the number of elements. */
#define RH_EXPR_COUNT UINT32_MAX

/* A constant as a type that it is used as. */
typedef struct rh_expr_slot {
  uint32_t constant;
  rh_type type;
  rh_as as;
} rh_expr_slot;

struct rh_exprs {
  const char *reason; /* why a node of the text that is read could not be made; or null */
  rh_node *nodes;
  uint32_t n_nodes;
  uint32_t n_variables, n_constants, n_lets, n_slots, n_outputs;
  rh_operand variables[RH_EXPR_MOST_VARIABLES];
  rh_let constants[RH_MOST_CONSTANTS];
  int has_index;
  /* There is room for the names in the texts of two functions, too. */
  rh_let_node lets[RH_EXPR_MOST_LETS + 2 * RH_EXPR_MOST_ARGS];
  rh_expr_slot slots[RH_EXPR_MOST_SLOTS];
  uint32_t outputs[RH_EXPR_MOST_OUTPUTS];
  uint32_t rooms; /* arrays that evaluation needs */
  /* The nodes to evaluate: n_kept that are the same for all elements, then those of each block. */
  uint32_t *order, n_kept, n_order;
  uint32_t n_texts;
  rh_kept_text *texts;
};

/* Adds a node, or finds an equal one, and returns its number.  Whatever makes nodes does the same,
 * and where one cannot be made refuses it: then exprs->reason says why, nothing is added any more,
 * and numbers mean nothing. */
uint32_t rh_graph_add(rh_exprs *exprs, const rh_node *node);
/* Only the first reason is kept. */
static inline uint32_t rh_graph_refuse(rh_exprs *exprs, const char *reason) {
  if (!exprs->reason) exprs->reason = reason;
  return 0;
}

/* A new node, of operands among `nodes`: its facts, variables and error. */
void rh_graph_find_facts(const rh_node *nodes, rh_node *node);

/* ---- Numbers that take on a type ---- */

/* An integer, if it is in the range of the type; a float, if it is whole and in the range of an
 * integer type, or is rounded to neither 0 nor infinity.  An integer is rounded to any float
 * type. */
int rh_number_fits(rh_expr_value value, rh_type type);
/* Is it an integer of up to 64 bits? */
int rh_number_is_whole(long double x);
/* The number, which need not fit, as i32, u32, i64, u64, f32 or f64. */
rh_scalar rh_number_as(rh_expr_value value, rh_type type, rh_as as);
/* The type of a number that none has taken on: i64, u64 or f64. */
static inline rh_type rh_number_type(rh_expr_value value) {
  return value.is_float ? RH_TYPE_f64 : value.x > INT64_MAX ? RH_TYPE_u64 : RH_TYPE_i64;
}
/* Nearer to 0, integers of 64 bits and floats are told apart by f64. */
#define RH_NUMBER_WIDE 0x1p53

/* ---- Typed operations (types.c): they convert their operands as C does ---- */

uint32_t rh_graph_literal(rh_exprs *exprs, rh_expr_value value, rh_type type);
/* The number of a weak node. */
rh_expr_value rh_graph_value(const rh_exprs *exprs, uint32_t node);
uint32_t rh_graph_convert(rh_exprs *exprs, uint32_t node, rh_type type);
uint32_t rh_graph_cast(rh_exprs *exprs, uint32_t node, rh_type type);
uint32_t rh_graph_unary(rh_exprs *exprs, rh_node_kind kind, uint32_t node);
/* kind: also GREATER and the like by exchanged operands. */
uint32_t rh_graph_binary(rh_exprs *exprs, rh_node_kind kind, uint32_t a, uint32_t b);
/* is_and: a && b, else a || b. */
uint32_t rh_graph_logical(rh_exprs *exprs, int is_and, uint32_t a, uint32_t b);
uint32_t rh_graph_not(rh_exprs *exprs, uint32_t a);
uint32_t rh_graph_choose(rh_exprs *exprs, uint32_t condition, uint32_t a, uint32_t b);
/* `n`, which is a constant of kernels: it needs no other build. */
uint32_t rh_graph_count(rh_exprs *exprs);
/* A node that stays weak becomes i32, i64 or f64. */
uint32_t rh_graph_settle(rh_exprs *exprs, uint32_t node);

/* After each new output: finds what is live, its order and its rooms.  0, or -1 where more
 * than RH_EXPR_MOST_LIVE rooms are needed. */
int rh_graph_assign_rooms(rh_exprs *exprs);

/* ---- Intervals (enclose.c) ---- */

/* All integers of the type, the largest of 64 bits rounded up; unknown for a float's. */
rh_interval rh_type_interval(rh_type type);
/* values[k] = the interval of node k, of those that are live.  variables: null: they are anything,
 * and so is an integer of which nothing is known; and numbers beyond 2^53 are rounded, as the ends
 * of types are.  An index is below n. */
void rh_exprs_intervals(const rh_exprs *exprs, const rh_interval *variables, uint64_t n,
                        const rh_scalar *constants, rh_interval *values);

/* ---- Functions ---- */

/* Elements of r, computed from those of x, y and z: arrays of the operation's types. */
typedef void rh_expr_loop(void *r, const void *x, const void *y, const void *z, size_t n);

/* One that is called is of f32 or f64; others are written out as a graph: `make` does, or, if there
 * is one, a text of the arguments a, b, c and d, which `make` may change before. */
struct rh_function {
  const char *name; /* here and in OpenCL C */
  uint32_t n_args;
  uint32_t (*make)(rh_exprs *exprs, const rh_function *self, uint32_t *args);
  rh_type which; /* for `make` */
  uint32_t ulp;  /* the error that OpenCL C allows in the full profile; 0: IEEE 754 fixes it */
  rh_expr_loop *of[2]; /* of f32 and f64 */
  const char *text;
};

/* Is it a call of this function? */
static inline int rh_node_calls(const rh_node *node, const char *name) {
  return node->kind == RH_NODE_CALL && strcmp(node->function->name, name) == 0;
}

const rh_function *rh_function_find(const char *name, size_t length); /* null: there is none */

/* ---- Evaluation, node by node ---- */

enum { RH_EVAL_NUMBER_BYTES = 8 };

typedef struct rh_evaluation {
  const rh_exprs *exprs;
  const void *const *variables;
  const rh_scalar *constants;
  void *const *outputs;
  unsigned char *rooms; /* of room_bytes each */
  size_t room_bytes;
  const void **places; /* of the nodes' results */
} rh_evaluation;

/* An operation on arrays: `expression` is element j of the result, of the types' x[j], y[j] and
 * z[j]. */
#define RH_OPERATION(name, result, of_x, of_y, of_z, expression)                                   \
  RH_WIDEST static void name(void *restrict to, const void *a, const void *b, const void *c,       \
                             size_t n) {                                                           \
    result *restrict r = to;                                                                       \
    const of_x *x = a;                                                                             \
    const of_y *y = b;                                                                             \
    const of_z *z = c;                                                                             \
    (void)y;                                                                                       \
    (void)z;                                                                                       \
    for (size_t j = 0; j < n; j++) r[j] = (result)(expression);                                    \
  }

/* Evaluates node k of elements done .. done+n-1, of which the first of all has the index `first`.
 * Its operands have been. */
void rh_eval_node(const rh_evaluation *e, uint32_t k, uint64_t first, uint64_t done, size_t n);

/* A new node: its value, if it is of literals alone. */
void rh_eval_known(const rh_exprs *exprs, rh_node *node);
