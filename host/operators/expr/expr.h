/* Expressions of operators and maps: parsed, evaluated, and written as OpenCL C. */
#pragma once

#include "../../core/operation/operation.h"

/* The place of an error in a line of text: as the end of a message, and for a caret below it. */

enum { RH_EXCERPT_BYTES = 192 };

/* ", at column 5 of 'x + q'", in `to`, which is returned, for a place behind `before` bytes of the
 * line; columns are counted in characters from 1.  A long line is cut around the place, with "..."
 * where something is left out; it is made plain, and a tab is a space. */
const char *rh_excerpt(char to[RH_EXCERPT_BYTES], const char *line, size_t length, size_t before);

/* Finds that in a message.  line: what is between the quotes; *column: the place in it, counted in
 * characters from 0.  0: there is none. */
int rh_excerpt_find(const char *message, char line[RH_EXCERPT_BYTES], size_t *column);

/* The bytes of line `number` of a text, from 1, without its end; null: it has fewer lines. */
const char *rh_line_of(const char *text, size_t length, size_t number, size_t *line_length);

/* Expressions in C's syntax over arrays: parsed to a typed graph, evaluated here, and written as
 * OpenCL C.  Nothing of the user's text reaches a compiler.  docs/use/operators.md has the
 * language: its types, functions, and where it differs from C, so that host and device compute the
 * same. */

enum {
  RH_EXPR_MOST_BYTES = 1 << 16, /* of a text */
  RH_EXPR_MOST_DEPTH = 200,     /* of parentheses, and of the graph's unary operators */
  RH_EXPR_MOST_NODES = 4096,
  RH_EXPR_MOST_LIVE = 64, /* results of operations that are needed at the same time */
  RH_EXPR_MOST_OUTPUTS = 32,
  RH_EXPR_MOST_VARIABLES = 2 * RH_MOST_FIELDS,
  RH_MOST_CONSTANTS = 16,
  RH_EXPR_MOST_SLOTS = 64, /* constants, one for each type that they are used as */
  RH_EXPR_NAME_BYTES = 64
};

typedef union rh_scalar {
  int32_t i32;
  uint32_t u32;
  int64_t i64;
  uint64_t u64;
  float f32;
  double f64;
} rh_scalar;

/* A number that takes on the type of what it meets, as Python's numbers do in NumPy. */
typedef struct rh_expr_value {
  int is_float;  /* else an integer from INT64_MIN to UINT64_MAX */
  long double x; /* has room for either, exactly */
} rh_expr_value;

/* A named constant, --let, that may change without another build: kernels get it as an argument,
 * and it is never a literal in their source. */
typedef struct rh_let {
  char name[RH_EXPR_NAME_BYTES];
  rh_expr_value value;
} rh_let;

/* All values that a number may have: from low to high, which are NaN where nothing is known. */
typedef struct rh_interval {
  double low, high;
} rh_interval;

/* Several expressions over the same variables.  Their common parts are computed once. */
typedef struct rh_exprs rh_exprs;

typedef char rh_expr_name[RH_EXPR_NAME_BYTES];

/* variables: arrays, or fields of a value, by an identifier, or two with a dot: "a.mean", "a.0"; at
 * most RH_EXPR_MOST_VARIABLES.  f16 is read as f32, and integers of 8 and 16 bits as i32.
 * has_index: `i` is the element's index, and `n` the number of elements, both u64. */
rh_status rh_exprs_create(rh_exprs **made, const rh_operand *variables, uint32_t n_variables,
                          const rh_let *constants, uint32_t n_constants, int has_index,
                          rh_error *error);
void rh_exprs_destroy(rh_exprs *exprs); /* null is legal */

/* ---- Adding.  `what` begins the message: "--map".  A message about the text ends with "at column
 * N of 'TEXT'"; all are RH_E_USAGE. ---- */

/* A name for an expression, which later ones may use. */
rh_status rh_exprs_let(rh_exprs *exprs, const char *name, const char *text, const char *what,
                       rh_error *error);
/* Adds an output.  type: of i32, u32, i64, u64, f32 and f64, to which it is converted; 0: its own
 * type, which is one of these. */
rh_status rh_exprs_output(rh_exprs *exprs, const char *text, rh_type type, const char *what,
                          rh_error *error);
/* Adds one whose text calls these variables a, b, c and d. */
rh_status rh_exprs_output_of(rh_exprs *exprs, const char *text, const uint32_t variables[4],
                             rh_type type, const char *what, rh_error *error);
/* Adds an output for each expression of a list, with commas between. */
rh_status rh_exprs_outputs(rh_exprs *exprs, const char *text, const char *what, rh_error *error);

/* Where the condition is false, output k is *values[k], of its type, instead.  For all outputs that
 * there will be. */
rh_status rh_exprs_where(rh_exprs *exprs, const char *condition, const void *const *values,
                         const char *what, rh_error *error);

/* ---- Asking ---- */

uint32_t rh_exprs_count(const rh_exprs *exprs); /* outputs */
rh_type rh_exprs_type(const rh_exprs *exprs, uint32_t output);
/* What an output does, or any of them. */
enum { RH_EXPRS_ALL = INT32_MAX };
enum {
  RH_EXPR_USES_INDEX = 1,
  RH_EXPR_USES_F64 = 2,
  RH_EXPR_ROUNDS = 4, /* an operation may round a float */
  /* A function such as exp has other bits elsewhere; integers and what IEEE 754 fixes have the
   * same everywhere. */
  RH_EXPR_ERRS = 8,
  RH_EXPR_COMPARES_EQUAL = 16,
  RH_EXPR_LONG_LITERALS = 32, /* one is rounded, such as 0.1, or longer than a few digits */
  /* It not only adds, subtracts and selects floats, so that rounding is in proportion to products
   * of the operands. */
  RH_EXPR_MULTIPLIES = 64
};
uint32_t rh_exprs_facts(const rh_exprs *exprs, uint32_t output);
/* The variables that it is computed from, bit k: variable k. */
uint64_t rh_exprs_variables(const rh_exprs *exprs, uint32_t output);
/* Output 0 may differ between host and device by this part of its value, or of the least normal
 * number, if every function errs as much as OpenCL C lets it.  0: not at all; INFINITY: no bound is
 * known. */
double rh_exprs_error(const rh_exprs *exprs);
/* The literals that outputs need, at most `most` of them.  Returns their number. */
uint32_t rh_exprs_literals(const rh_exprs *exprs, double *list, uint32_t most);
/* The form of the only output, RH_FORM_*, and the variables that it is of. */
uint32_t rh_exprs_form(const rh_exprs *exprs, uint32_t variables[2]);
/* Is the only output a variable of floats, converted to no narrower type?  Is it the quotient of
 * the first and the second variable, in floats? */
int rh_exprs_is_element(const rh_exprs *exprs);
int rh_exprs_is_quotient(const rh_exprs *exprs);
/* The type in memory of the variable that the output is, converted or not; 0: it is none. */
rh_type rh_exprs_variable_of(const rh_exprs *exprs, uint32_t output, uint32_t *variable);
/* Is an output the sum of two variables of its type, and of nothing else? */
int rh_exprs_output_adds(const rh_exprs *exprs, uint32_t output, uint32_t a, uint32_t b);
/* Bytes of the constants that rh_exprs_bind() writes; 0: no expression uses any. */
uint32_t rh_exprs_constants_size(const rh_exprs *exprs);

/* ---- Where integers wrap ---- */

/* An operation as it stands in a text: its sign, and from `begin` to `end` the sums and products of
 * the same type that it is a part of. */
typedef struct rh_expr_place {
  const char *what, *text; /* as they were given to this, which keeps them */
  uint32_t begin, sign, end;
  rh_type type; /* of the operation */
} rh_expr_place;

/* The first difference of unsigned integers that may be below 0 for one of n elements, whatever the
 * variables are, so that an output is another number than that of signed integers.  0: none is. */
int rh_exprs_find_difference(const rh_exprs *exprs, uint64_t n, rh_expr_place *found);
/* The first sum, difference or product of 32 bits that may wrap so that the output shows it.  0:
 * there is none. */
int rh_exprs_find_narrow(const rh_exprs *exprs, uint32_t output, rh_expr_place *found);
/* Does the output's type, of integers, hold the sum of n of them, whatever the variables are? */
int rh_exprs_sum_fits(const rh_exprs *exprs, uint32_t output, uint64_t n);

/* ---- Using ---- */

/* Other values than those of the creation, in the order of the constants; one that was an integer
 * stays one.  [not while another thread uses them] */
void rh_exprs_set_constants(rh_exprs *exprs, const rh_expr_value *values);
/* RH_E_USAGE for values that the types do not hold that the first values were given. */
rh_status rh_exprs_check_constants(const rh_exprs *exprs, const rh_expr_value *values,
                                   rh_error *error);
/* The types that a constant is used as, bit k: type k; 0: nothing uses it. */
uint32_t rh_exprs_constant_types(const rh_exprs *exprs, uint32_t constant);

/* Where rh_exprs_bind() writes `n`, counted in 8 bytes; -1: nothing uses it. */
int rh_exprs_count_slot(const rh_exprs *exprs);

/* Writes the constants for kernels and for rh_exprs_eval(), 8 bytes each, and `n`. */
void rh_exprs_bind(const rh_exprs *exprs, uint64_t n, void *constants);

/* outputs[k][j] = output k of elements variables[v][j], j < n, whose index is first + j.  Rounds
 * after every operation.  The outputs do not overlap with anything.  [any thread] */
void rh_exprs_eval(const rh_exprs *exprs, const void *const *variables, uint64_t first, uint64_t n,
                   const void *constants, void *const *outputs);

/* low[j] <= output k of element first + j on any device <= high[j], if functions err at most as
 * OpenCL C lets them, and what IEEE 754 fixes is rounded to nearest and never flushed.  Both are
 * NaN where nothing is known.  n: at most RH_ENCLOSED_MOST.  -1: it is not known of expressions
 * like these; else 0.  [any thread] */
int rh_exprs_enclose(const rh_exprs *exprs, uint32_t k, const void *const *variables,
                     uint64_t first, uint64_t n, const void *constants, double *low, double *high);
/* The number itself; an integer that a double may not hold lies between its neighbours. */
rh_interval rh_interval_around(double x);
/* The ends may be off by this part of themselves, or of the least normal number of the type. */
rh_interval rh_interval_widen(rh_type type, double part, rh_interval a);
/* Encloses output k of one element, whose variables lie in intervals. */
rh_interval rh_exprs_enclose_one(const rh_exprs *exprs, uint32_t k, const rh_interval *variables,
                                 const void *constants);

/* Writes OpenCL C statements that compute the outputs, in variables whose names begin with
 * `prefix`.  variables: their names there; index, constants: the names of a ulong and of a pointer
 * to ulong.  outputs[k] receives output k's name. */
void rh_exprs_write(const rh_exprs *exprs, rh_text *to, const rh_expr_name *variables,
                    const char *index, const char *constants, const char *prefix,
                    rh_expr_name *outputs);
/* The type in OpenCL C, and in casts: "uchar". */
const char *rh_expr_type_name(rh_type type);
/* Functions that all written expressions may call; once in each program. */
void rh_exprs_write_helpers(rh_text *to);

/* outputs[k]: the value modulo the prime 2^61 - 1, of variables in its field.  `?:` goes by whether
 * floats are equal.  0: an operation is not one of + - * / ?: == !=, or divides by 0. */
int rh_exprs_modular(const rh_exprs *exprs, const uint64_t *variables, uint64_t *outputs);
