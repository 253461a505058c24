/* Operators of the user's: from expressions, files or code, on the host and on devices. */
#pragma once

#include "../../core/run/run.h"
#include "../expr/expr.h"

/* Operators by OpenCL C, evaluated on a device for what the host needs: the identity, and the
 * orders of combining that a result is compared with. */

/* Builds the operator's code for the session's device, once, and finds its identity.  RH_E_FILE,
 * with the file, line and reason, if it does not compile.  Nothing for operators by expressions. */
rh_status rh_by_code_open(const rh_operator *op, rh_cl_session *session, rh_error *error);
/* Prepares it for the session of *context, which is opened if it must be. */
rh_status rh_by_code_prepare(const rh_operator *op, rh_context *context, rh_error *error);

/* The first failure of the device since then; RH_OK if there was none, or none is needed. */
rh_status rh_by_code_status(const rh_operator *op, rh_error *error);

/* The first error of a build log, for a message: "far.cl:3:5: unknown type name 'q', at column 5 of
 * '...'".  code: the operator's text, with #line directives.  An error in what redhost adds to it
 * has the place of the compiler's note on it, or the end of the file.  0: there is none. */
int rh_code_complaint(const char *log, const char *code, char *to, size_t bytes);

/* An operator as a user defines it: the parts of an operator file, or of the command line, as
 * text.  Nothing here knows the operands' types yet; rh_custom makes an operator of it. */

enum { RH_MOST_LETS = 16 };

/* A field of a value. */
typedef struct rh_field_text {
  const char *name; /* null: the only one, of values a and b */
  rh_type type;     /* 0: that of the map's output */
  const char *load; /* of the operands, `i` and `n` */
  const char *identity;
  const char *combine; /* of a.FIELD and b.FIELD; a's elements come before b's */
} rh_field_text;

typedef struct rh_named_text {
  const char *name, *text;
} rh_named_text;

/* For operands of some types, this takes the place of the form, `finalize` and the claims. */
enum { RH_BY_EXACT = 16 };
typedef struct rh_by_type {
  uint32_t types; /* bit t: type t; bit RH_BY_EXACT + t: where the exact answer is asked for */
  const json_t *body;
} rh_by_type;

/* One of two forms.  Built-in operators over maps: `ops`, and `map` with as many outputs, or one
 * for all of them.  Or an operator of its own: `fields`, by expressions or by code.
 * Zero-initialised is empty; the texts are those of `own`, or the caller's. */
typedef struct rh_definition {
  json_t *own;         /* null: it need not be finished */
  const char *name;    /* "dot"; null: it has none */
  const char *summary; /* one line for a list of operators, or null */
  const char *about;   /* lines that a user may want to know, or null */
  /* Of a file: its path, or whose it is, for messages; its text, for places in it; and what that
   * says.  Else null. */
  const char *origin, *json;
  const json_t *file;
  uint32_t n_operands; /* 0: any number, by the names of the data */
  const char *operands[RH_MOST_OPERANDS];
  uint32_t n_constants;
  rh_let constants[RH_MOST_CONSTANTS]; /* their values, unless others are given */
  const char *ops;                     /* "sum", "min,max,sum"; null: it has fields */
  const char *map;                     /* null: the only operand */
  const char *where;                   /* null: all elements count */
  const char *initial; /* of one built-in operator: what its value is combined with; or null */
  uint32_t n_fields;
  rh_field_text fields[RH_MOST_FIELDS];
  /* Instead of load, identity and combine: OpenCL C.  A file that is read later is named. */
  const char *code_file;
  const char *code; /* with #line directives */
  uint32_t n_lets;
  rh_named_text lets[RH_MOST_LETS]; /* for `combine` */
  uint32_t n_results;
  rh_named_text results[RH_MOST_FIELDS]; /* of a, a.FIELD or a.0, a.1, ..., and n */
  uint32_t flags;                        /* RH_OP_COMMUTATIVE, as claimed */
  int claims_associative;
  uint32_t n_by_type;
  rh_by_type by_type[2 * RH_N_TYPES];
  uint32_t body;     /* 0, or 1 and the number of what it has of by_type */
  uint32_t accuracy; /* RH_ACCURACY_*, asked for */
} rh_definition;

void rh_definition_finish(rh_definition *definition);

/* The definition for operands of this type: *of, or what it says of the type and the accuracy.  It
 * is not finished: its texts are those of *of. */
rh_definition rh_definition_for(const rh_definition *of, rh_type type);

/* Letters, digits and '_', not a digit first, and at most 63 of them. */
int rh_operator_is_name(const char *text, size_t length);
/* Can an operator or an operand be called so?  `i`, `n`, `inf` and `nan` mean something else. */
int rh_definition_name_is_valid(const char *name);
/* Is the name a word of the text, which may be null, and not that of a function? */
int rh_definition_mentions(const char *text, const char *name);

/* Adds a #line directive: what follows is line `line` of the file. */
void rh_definition_add_line(rh_text *to, const char *file, uint32_t line);

/* How a message about item `item` of a key, or its whole value, begins: `FILE:LINE:COLUMN: "KEY"`,
 * or KEY alone if it is not from a file.  RH_WHAT: in room of the block's own. */
enum {
  RH_ITEM_WHOLE = -1,
  RH_ORIGIN_BYTES = 500, /* of a path; longer ones are cut */
  RH_WHAT_BYTES = 576
};
const char *rh_definition_what(char what[RH_WHAT_BYTES], const rh_definition *definition,
                               const char *key, int64_t item);
#define RH_WHAT(definition, key, item)                                                             \
  rh_definition_what((char[RH_WHAT_BYTES]){0}, definition, key, item)
/* Begins a message with that, if it is from a file, and returns the error's status. */
rh_status rh_definition_blame(const rh_definition *definition, const char *key, int64_t item,
                              rh_error *error);

/* A custom operator, one of the user's: a map, a combination, and what becomes of the value.
 *
 * It has one of two forms.  A *mapped* one is a built-in operator over elements that a map computes
 * from the operands: `--map 'x*y'` is the sum of the products.  Strategies see the built-in
 * operator's values, so everything that serves these serves it: vectors, keys, references, bounds.
 * The other form has a struct of its own as its value: several built-in operators in one pass, or
 * fields that expressions load and combine.
 *
 * To a plugin both are an rh_op with the number RH_FIRST_USER_OP, whose `user` is the rh_custom. */

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
 * operator that does not use i stays as it is.  Not while an instance has `op` or the prelude; a
 * device on which it was opened is given up. */
void rh_custom_take_base(rh_custom *self);

/* Loads the fields of elements first ..  first+n-1, as one array each.  The operator is not by
 * code. */
void rh_custom_load_fields(const rh_custom *self, const rh_arrays *arrays, uint64_t first,
                           uint64_t n, void *const *outputs);

/* Struct operators only, from here on.  Those by code reduce and combine with a device only, and
 * give their identity else; nobody loads or folds them here.  *value = the element's; padding is
 * left as it is. */
void rh_custom_load(const rh_custom *self, void *value, const rh_arrays *arrays, uint64_t index);
/* The value of elements first .. first+n-1: in the canonical order (docs/inside/bits.md) from
 * `first` on. */
void rh_custom_reduce(const rh_custom *self, const rh_arrays *arrays, uint64_t first, uint64_t n,
                      void *value);
/* Folds one element after the other. */
void rh_custom_fold(const rh_custom *self, void *accumulator, const rh_arrays *arrays,
                    uint64_t first, uint64_t n);
/* *a = combine(*a, *b).  user: the operator. */
void rh_custom_combine(const void *user, void *a, const void *b);
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

/* Puts the results of a value into *result, whose value is the first.  If the first of several
 * built-in operators has an index that nothing finalizes, `indexed` and `index` are as that
 * operator alone has them. */
void rh_custom_show(const rh_custom *self, const rh_result_field *results, const void *value,
                    rh_result *result);

/* Operators as JSON: files, and those that come with redhost.  docs/use/operators.md has the
 * format. */

/* Reads a definition.  RH_E_FILE for what is wrong, with "ORIGIN:LINE:COLUMN: " and what is
 * expected.  Expressions are parsed later, when the operands' types are known: definition->origin
 * is a copy of `origin`, for messages about them.  On failure *definition is empty. */
rh_status rh_definition_read(rh_definition *definition, const char *json, size_t length,
                             const char *origin, rh_error *error);
rh_status rh_definition_read_file(rh_definition *definition, const char *path, rh_error *error);

/* The operators that come with redhost: the text of number k, from 0, and its name (may be null);
 * null if there are fewer. */
const char *rh_library_text(size_t k, const char **name);

/* An operator of the user's, evaluated on a device: a work-item for each run of elements. */

typedef struct rh_on_device rh_on_device;

/* Builds it for the session's device, to run on its queue.  most: runs at once.  RH_E_BUILD with
 * the compiler's log in *log, or null, if the operator's text does not compile. */
rh_status rh_on_device_create(rh_on_device **made, const rh_custom *custom,
                              const rh_cl_session *session, uint64_t most, rh_text *log,
                              rh_error *error);
void rh_on_device_destroy(rh_on_device *self); /* null is legal */

/* Elements first .. first+n-1 in runs of `length`, from the identity on: values[k] = that of run
 * k, op.value_size bytes apart. */
rh_status rh_on_device_runs(rh_on_device *self, const rh_arrays *arrays, uint64_t first, uint64_t n,
                            uint64_t length, void *values, rh_error *error);

/* The rest does nothing after its first failure, which is kept, or where `self` is null. */

/* values[k] = that of elements first .. first+n-1, op.value_size bytes apart, each in a grouping of
 * its own; of none, the identity.  orders: at most RH_SAMPLED_ORDERS.  `most` was
 * RH_ON_DEVICE_ROOM when it was created. */
enum { RH_ON_DEVICE_RUNS = 4096, RH_ON_DEVICE_ROOM = RH_SAMPLED_ORDERS * (RH_ON_DEVICE_RUNS + 1) };
void rh_on_device_reduce(rh_on_device *self, const rh_arrays *arrays, uint64_t first, uint64_t n,
                         uint32_t orders, void *values);
/* *a = combine(*a, *b). */
void rh_on_device_combine(rh_on_device *self, void *a, const void *b);
rh_status rh_on_device_status(const rh_on_device *self, rh_error *error);

/* The exact facts about elements under a user's operator, and verdicts by them: rh_operator_calls,
 * which says more of each. */

rh_status rh_custom_refer(const rh_operator *op, const rh_arrays *arrays, uint64_t n,
                          rh_reference *reference, rh_error *error);
/* How many orders a struct is tried in. */
uint32_t rh_sampled_orders(const rh_custom *custom);
/* One more: one element after the other. */
void rh_sample_serial(const rh_operator *op, const rh_arrays *arrays, uint64_t n,
                      rh_reference *reference);
void rh_custom_conclude(rh_reference *reference);

/* The exact numbers that results are made of. */
void rh_reference_given(const rh_reference *reference, rh_result_field *given);
/* and how many elements they are of */
uint64_t rh_reference_count(const rh_reference *reference);

void rh_custom_judge(const rh_reference *reference, const rh_result *result, uint64_t depth,
                     int flushes, rh_verdict *verdict);
void rh_custom_judge_value(const rh_reference *reference, const void *value, uint64_t depth,
                           int flushes, rh_verdict *verdict);
double rh_custom_error_part(const rh_operator *op, uint64_t depth);

/* ---- From an operation's text to the operation ---- */

/* The operation that a text is of, without n and `what`.  *own: the operator, to be destroyed, or
 * null: it is built in.  Accepts any text; RH_E_FILE, or what rh_custom_create() returns, for one
 * that this redhost would not write. */
rh_status rh_operation_read(rh_operation *operation, rh_custom **own, const char *text,
                            rh_error *error);
