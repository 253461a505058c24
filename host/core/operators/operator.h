/* An operator of the user's: a map, a combination, and what becomes of the value.
 *
 * It has one of two forms.  A *mapped* one is a built-in operator over elements that a map computes
 * from the operands: `--map 'x*y'` is the sum of the products.  Strategies see the built-in
 * operator's values, so everything that serves these serves it: vectors, keys, references, bounds.
 * The other form has a struct of its own as its value: several built-in operators in one pass, or
 * fields that expressions load and combine.
 *
 * To a plugin both are an rh_op with the number RH_FIRST_USER_OP, whose `user` is the
 * rh_operator. */
#pragma once

#include "../expr/expr.h"
#include "definition.h"

enum {
  RH_CONSTANT_BYTES = 8,
  /* and the index's base: */ RH_MOST_CONSTANT_WORDS = RH_EXPR_MOST_SLOTS + 1
};

typedef struct rh_operand {
  char name[RH_OPERATOR_NAME_BYTES];
  rh_type type;
} rh_operand;

/* A named constant, --let: an argument of kernels, never a literal in their source. */
typedef struct rh_let {
  char name[RH_OPERATOR_NAME_BYTES];
  rh_expr_value value;
} rh_let;

/* What load, fold and reduce of `op` get as their input: the operands' arrays. */
typedef struct rh_arrays {
  const void *operands[RH_MOST_OPERANDS];
  const void *constants; /* as rh_operator_bind() wrote them */
} rh_arrays;

/* What of a field does not depend on the order of combining: nothing that is known; its bits; or
 * the exact sum of which it is a rounded one. */
typedef enum rh_field_kind { RH_FIELD_ANY, RH_FIELD_EXACT, RH_FIELD_SUM } rh_field_kind;

/* A field of a value: a number, or a built-in operator's value. */
typedef struct rh_operator_field {
  char name[RH_OPERATOR_NAME_BYTES];
  rh_type type;
  uint32_t offset; /* bytes, in a value */
  rh_field_kind kind;
} rh_operator_field;

/* A built-in operator of several in one pass: where its value is in a value. */
typedef struct rh_operator_part {
  uint32_t op;
  rh_type type; /* of its elements, which the map computes */
  uint32_t offset;
  uint32_t index_at; /* of an indexed one: its index */
} rh_operator_part;

/* A number of a result. */
typedef struct rh_operator_result {
  char name[RH_OPERATOR_NAME_BYTES];
  rh_type type;
  union {
    int64_t i;
    uint64_t u;
    double f; /* of floats, f32 exactly */
  } value;
} rh_operator_result;

/* An operator by OpenCL C.  The host cannot evaluate it, but may let a device do that. */
typedef struct rh_code {
  char *text;
  _Alignas(16) unsigned char identity[RH_ANY_VALUE_BYTES]; /* zeros until there is a device */
  void *device; /* null until there is one; the functions get it */
  void (*reduce)(void *device, const rh_arrays *arrays, uint64_t first, uint64_t n, void *value);
  void (*combine)(void *device, void *a, const void *b);
  void (*destroy)(void *device);
} rh_code;

/* Constant once it is created, except for the values of its constants. [any thread] */
typedef struct rh_operator {
  rh_op op;       /* as plugins see it, without the prelude */
  char name[256]; /* for people: "sum of x*y", "meanvar" */
  /* All that decides its values, but for those of its constants, as one line: two of one key are
   * the same operator. */
  char *key;
  uint32_t base; /* mapped: the built-in operator; else one that asks as much of a strategy */
  rh_type type;  /* mapped: the type of the map's elements; else, with base, for choosing */
  int is_struct;
  rh_code *code; /* of a struct; null: it has expressions */
  uint32_t n_operands;
  rh_operand operands[RH_MOST_OPERANDS];
  rh_type types[RH_MOST_OPERANDS]; /* of the operands */
  uint32_t n_lets;
  rh_let lets[RH_MOST_CONSTANTS];
  int uses_index;  /* the map does */
  int is_masked;   /* a condition leaves elements out */
  int rounds_once; /* the answer is that of exact products and an exact sum, rounded */
  int has_base;    /* the last word of the constants is the index of a run's first element */
  /* mapped: one output; else one for each field; with code: the operands themselves */
  rh_exprs *load;
  /* The struct's: */
  rh_exprs *combine; /* variables: a's fields, then b's; one output for each field */
  int is_moments;    /* rh_moments_is() */
  /* The last part, or the last field, is the number of elements that the condition leaves in. */
  int has_count;
  uint32_t n_fields, n_parts;
  rh_operator_field fields[RH_MOST_FIELDS];
  rh_operator_part parts[RH_MOST_FIELDS]; /* built-in operators; else none */
  /* Each part alone, mapped, if all of them can be; else null.  op.parts points to `apart`. */
  struct rh_operator *alone[RH_MOST_FIELDS];
  rh_op_part apart[RH_MOST_FIELDS];
  _Alignas(16) unsigned char identity[RH_ANY_VALUE_BYTES];
  /* The results: expressions of `finalize`, or else the fields' or parts' own values. */
  rh_exprs *finalize; /* null: none.  Variables: the parts' or fields' results, then n, the number
                       * of elements that a condition leaves in */
  uint32_t n_results;
  char results[RH_MOST_FIELDS][RH_OPERATOR_NAME_BYTES];
  uint32_t written; /* bit k: word k of a struct is not padding */
} rh_operator;

/* Makes an operator over operands of these names and types.  RH_E_USAGE, with the place in the
 * text, for what is wrong in the definition; error->message names the option or the file's key. */
rh_status rh_operator_create(rh_operator **made, const rh_definition *definition,
                             const rh_operand *operands, uint32_t n_operands, const rh_let *lets,
                             uint32_t n_lets, rh_error *error);
void rh_operator_destroy(rh_operator *self); /* null is legal */

/* Identifies it where its times are kept: operators of one key have one hash.  0: null. */
uint64_t rh_operator_hash(const rh_operator *self);

/* Does a kernel need more than a pointer to the elements: several operands, constants, or the
 * index? */
int rh_operator_has_operands(const rh_operator *self);

int rh_operator_uses_f64(const rh_operator *self);

/* Is it undefined for 0 elements, as min is? */
int rh_operator_needs_an_element(const rh_operator *self);

/* Bytes of one element of every operand. */
uint32_t rh_operator_element_bytes(const rh_operator *self);

/* The OpenCL C prelude: the operator's own text, then kernels/prelude.  malloc'ed; null if out of
 * memory. */
char *rh_operator_prelude(const rh_operator *self);

/* Other values of its constants: n_lets, in their order; one that was an integer stays one.  [not
 * while another thread uses it] */
void rh_operator_set_constants(rh_operator *self, const rh_expr_value *values);
/* RH_E_USAGE for values that do not fit where the first ones did. */
rh_status rh_operator_check_constants(const rh_operator *self, const rh_expr_value *values,
                                      rh_error *error);

/* From here on its answer is to be the exact one, rounded once.  RH_DECLINED for one that is not a
 * sum of floats or of the products of two operands of one type. */
rh_status rh_operator_round_once(rh_operator *self, rh_error *error);
int rh_operator_keeps_products(const rh_operator *self); /* it rounds once, and multiplies */
/* By which part of its value an element of the map may differ from the one that counts: by the
 * functions' errors, or by its rounding. */
double rh_operator_map_error(const rh_operator *self);

/* From here on i counts from a number that each run has: for elements that are a part of more.  An
 * operator that does not use i stays as it is.  Before the first use of `op` and the prelude. */
void rh_operator_take_base(rh_operator *self);
/* Sets it in constants that rh_operator_bind() wrote; it was 0. */
void rh_operator_set_base(const rh_operator *self, void *constants, uint64_t base);

/* Writes the constants, and the number of elements `n`, as kernels and the functions of `op` read
 * them: op.constants_size bytes. */
void rh_operator_bind(const rh_operator *self, uint64_t n, void *constants);

/* *to = the mapped elements first .. first+n-1, of `type`.  Mapped operators only. */
void rh_operator_map(const rh_operator *self, const rh_arrays *arrays, uint64_t first, uint64_t n,
                     void *to);

/* Between which numbers these elements, which are host[] here, may lie on any device; NaN where
 * nothing is known.  n: at most RH_ENCLOSED_MOST.  -1: not known of this operator. */
int rh_operator_enclose(const rh_operator *self, const rh_arrays *arrays, uint64_t first,
                        uint64_t n, const double *host, double *low, double *high);

/* The same of what field `field` of a struct loads. */
int rh_operator_enclose_field(const rh_operator *self, uint32_t field, const rh_arrays *arrays,
                              uint64_t first, uint64_t n, double *low, double *high);
/* What the fields of elements first .. first+n-1 load, as one array each.  Not by code. */
void rh_operator_load_fields(const rh_operator *self, const rh_arrays *arrays, uint64_t first,
                             uint64_t n, void *const *outputs);

/* Struct operators only, from here on; those by code can reduce and combine with a device only, and
 * give their identity else.  *value = the element's; padding is left as it is. */
void rh_operator_load(const rh_operator *self, void *value, const rh_arrays *arrays,
                      uint64_t index);
/* The value of elements first .. first+n-1: in the canonical order (docs/bits.md) from `first`
 * on. */
void rh_operator_reduce(const rh_operator *self, const rh_arrays *arrays, uint64_t first,
                        uint64_t n, void *value);
/* The same one element after the other. */
void rh_operator_fold(const rh_operator *self, void *accumulator, const rh_arrays *arrays,
                      uint64_t first, uint64_t n);
/* *a = combine(*a, *b). */
void rh_operator_combine(const rh_operator *self, void *a, const void *b);
/* The same for n pairs of values, which stand RH_ANY_VALUE_BYTES apart; padding of `result` becomes
 * 0.  `result` may be `a` or `b`.  Not by code. */
void rh_operator_combine_all(const rh_operator *self, const void *a, const void *b, void *result,
                             uint32_t n);

/* The numbers that a value over n elements stands for, one of each part, or of each field: n_given
 * of them. */
uint32_t rh_operator_n_given(const rh_operator *self);
void rh_operator_given(const rh_operator *self, const void *value, uint64_t n,
                       rh_operator_result *given);
/* How many of n elements the value is of: those that a condition chose, where they are counted. */
uint64_t rh_operator_count_in(const rh_operator *self, const void *value, uint64_t n);
/* The field that number k is of. */
uint32_t rh_operator_field_given(const rh_operator *self, uint32_t k);

/* The results that are made of these numbers, of n elements: n_results of them. */
void rh_operator_finalize(const rh_operator *self, const rh_operator_result *given, uint64_t n,
                          rh_operator_result *results);
/* Those of a value. */
void rh_operator_results(const rh_operator *self, const void *value, uint64_t n,
                         rh_operator_result *results);

/* Has the first of its built-in operators an index that nothing finalizes? */
int rh_operator_keeps_index(const rh_operator *self);
/* Of such a one: result->value, `indexed` and `index` as that operator alone has them. */
void rh_operator_take_index(const rh_operator *self, const void *value, rh_result *result);

/* Bit j: result k is computed from number j. */
uint64_t rh_operator_result_uses(const rh_operator *self, uint32_t k);
/* Between which numbers result k lies, if the numbers that it is computed from lie in intervals. */
rh_interval rh_operator_enclose_result(const rh_operator *self, uint32_t k,
                                       const rh_interval *given, uint64_t n);
