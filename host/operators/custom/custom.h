/* A custom operator, one of the user's: a map, a combination, and what becomes of the value.
 *
 * It has one of two forms.  A *mapped* one is a built-in operator over elements that a map computes
 * from the operands: `--map 'x*y'` is the sum of the products.  Strategies see the built-in
 * operator's values, so everything that serves these serves it: vectors, keys, references, bounds.
 * The other form has a struct of its own as its value: several built-in operators in one pass, or
 * fields that expressions load and combine.
 *
 * To a plugin both are an rh_op with the number RH_FIRST_USER_OP, whose `user` is the rh_custom. */
#pragma once

#include "../../core/operation/operator.h"
#include "../expr/expr.h"
#include "definition.h"

/* A named constant, --let: an argument of kernels, never a literal in their source. */
typedef struct rh_let {
  char name[RH_OPERATOR_NAME_BYTES];
  rh_expr_value value;
} rh_let;

/* In every order of combining a field has in common: nothing that is known; its bits; or the exact
 * sum of which it is a rounded one. */
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

/* An operator by OpenCL C.  The host cannot evaluate it, but may let a device do that. */
typedef struct rh_code {
  char *text;
  _Alignas(16) unsigned char identity[RH_ANY_VALUE_BYTES]; /* zeros until there is a device */
  struct rh_on_device *device;                             /* null until there is one */
} rh_code;

/* Constant once it is created, except for the values of its constants. [any thread] */
typedef struct rh_custom {
  rh_operator face; /* which points to the op, the texts and the operands below */
  rh_op op;         /* as plugins see it, without the prelude */
  char name[256];
  char *key;
  rh_code *code; /* of a struct; null: it has expressions */
  rh_operand operands[RH_MOST_OPERANDS];
  rh_type types[RH_MOST_OPERANDS]; /* of the operands */
  uint32_t n_lets;
  rh_let lets[RH_MOST_CONSTANTS];
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
  struct rh_custom *alone[RH_MOST_FIELDS];
  rh_op_part apart[RH_MOST_FIELDS];
  _Alignas(16) unsigned char identity[RH_ANY_VALUE_BYTES];
  /* The results: expressions of `finalize`, or else the fields' or parts' own values. */
  rh_exprs *finalize; /* null: none.  Variables: the parts' or fields' results, then n, the number
                       * of elements that a condition leaves in */
  char results[RH_MOST_FIELDS][RH_OPERATOR_NAME_BYTES];
} rh_custom;

/* The custom operator whose face it is. */
static inline const rh_custom *rh_custom_of(const rh_operator *face) {
  return (const rh_custom *)face;
}

/* Makes an operator over operands of these names and types.  RH_E_USAGE, with the place in the
 * text, for what is wrong in the definition; error->message names the option or the file's key. */
rh_status rh_custom_create(rh_custom **made, const rh_definition *definition,
                           const rh_operand *operands, uint32_t n_operands, const rh_let *lets,
                           uint32_t n_lets, rh_error *error);
void rh_custom_destroy(rh_custom *self); /* null is legal */

/* Does a kernel need more than a pointer to the elements: several operands, constants, or the
 * index? */
int rh_custom_has_operands(const rh_custom *self);

int rh_custom_uses_f64(const rh_custom *self);

/* Other values of its constants: n_lets, in their order; one that was an integer stays one.  [not
 * while another thread uses it] */
void rh_custom_set_constants(rh_custom *self, const rh_expr_value *values);
/* RH_E_USAGE for values that do not fit where the first ones did. */
rh_status rh_custom_check_constants(const rh_custom *self, const rh_expr_value *values,
                                    rh_error *error);

/* From here on its answer is to be the exact one, rounded once.  RH_DECLINED for one that is not a
 * sum of floats or of the products of two operands of one type. */
rh_status rh_custom_round_once(rh_custom *self, rh_error *error);

/* From here on i counts from a number that each run has: for elements that are a part of more.  An
 * operator that does not use i stays as it is.  Before the first use of `op` and the prelude. */
void rh_custom_take_base(rh_custom *self);

/* rh_operator_calls.enclose for what field `field` of a struct loads. */
int rh_custom_enclose_field(const rh_custom *self, uint32_t field, const rh_arrays *arrays,
                            uint64_t first, uint64_t n, double *low, double *high);
/* Loads the fields of elements first ..  first+n-1, as one array each.  The operator is not by
 * code. */
void rh_custom_load_fields(const rh_custom *self, const rh_arrays *arrays, uint64_t first,
                           uint64_t n, void *const *outputs);

/* Struct operators only, from here on; those by code can reduce and combine with a device only, and
 * give their identity else.  *value = the element's; padding is left as it is. */
void rh_custom_load(const rh_custom *self, void *value, const rh_arrays *arrays, uint64_t index);
/* The value of elements first .. first+n-1: in the canonical order (docs/inside/bits.md) from
 * `first` on. */
void rh_custom_reduce(const rh_custom *self, const rh_arrays *arrays, uint64_t first, uint64_t n,
                      void *value);
/* Folds one element after the other. */
void rh_custom_fold(const rh_custom *self, void *accumulator, const rh_arrays *arrays,
                    uint64_t first, uint64_t n);
/* *a = combine(*a, *b). */
void rh_custom_combine(const rh_custom *self, void *a, const void *b);
/* Combines n pairs of values, which stand RH_ANY_VALUE_BYTES apart; padding of `result` becomes 0.
 * `result` may be `a` or `b`.  The operator is not by code. */
void rh_custom_combine_all(const rh_custom *self, const void *a, const void *b, void *result,
                           uint32_t n);

/* The numbers that a value over n elements stands for, one of each part, or of each field: n_given
 * of them. */
uint32_t rh_custom_n_given(const rh_custom *self);
void rh_custom_given(const rh_custom *self, const void *value, uint64_t n, rh_result_field *given);
/* How many of n elements the value is of: those that a condition chose, where they are counted. */
uint64_t rh_custom_count_in(const rh_custom *self, const void *value, uint64_t n);
/* The field that number k is of. */
uint32_t rh_custom_field_given(const rh_custom *self, uint32_t k);

/* The results that are made of these numbers, of n elements: n_results of them. */
void rh_custom_finalize(const rh_custom *self, const rh_result_field *given, uint64_t n,
                        rh_result_field *results);

/* Has the first of its built-in operators an index that nothing finalizes? */
int rh_custom_keeps_index(const rh_custom *self);
/* Puts the results of a value into *result, whose value is the first; of such a one, `indexed` and
 * `index` are as that operator alone has them. */
void rh_custom_show(const rh_custom *self, const rh_result_field *results, const void *value,
                    rh_result *result);

/* Bit j: result k is computed from number j. */
uint64_t rh_custom_result_uses(const rh_custom *self, uint32_t k);
/* Between which numbers result k lies, if the numbers that it is computed from lie in intervals. */
rh_interval rh_custom_enclose_result(const rh_custom *self, uint32_t k, const rh_interval *given,
                                     uint64_t n);
