/* Operations: operators, their types, values and results, and the layout of segments. */
#pragma once

#include "../base/base.h"

/* An operator, built in or of the user's, as all that runs and checks it sees it.
 *
 * Built-in ones are constants (rh_operator_builtin()); a user's is made of expressions or of OpenCL
 * C (operators/custom).  To a plugin each is an rh_op. */

enum {
  RH_MOST_OPERANDS = 8,
  RH_MOST_FIELDS = 16, /* of a value, and of a result */
  RH_RESULTS_AT_ONCE = 256,
  RH_OPERATOR_NAME_BYTES = 64,
  RH_CONSTANT_BYTES = 8,
  RH_ENCLOSED_MOST = 256, /* elements that are enclosed at once */
  /* constants, one for each type that they are used as, and the index's base */
  RH_MOST_CONSTANT_WORDS = 65
};

typedef struct rh_operand {
  char name[RH_OPERATOR_NAME_BYTES];
  rh_type type;
} rh_operand;

/* The input of load, fold and reduce of an operator with operands. */
typedef struct rh_arrays {
  const void *operands[RH_MOST_OPERANDS];
  const void *constants; /* as rh_operator_bind() wrote them */
} rh_arrays;

typedef struct rh_operator rh_operator;
struct rh_reference;
struct rh_verdict;
struct rh_cl_session;

/* The functions that differ from operator to operator. */
typedef struct rh_operator_calls {
  /* The OpenCL C prelude: the operator's own text, then kernels/prelude.  malloc'ed; null if out of
   * memory. */
  char *(*prelude)(const rh_operator *self);
  /* Writes the constants, and the number of elements `n`, as kernels and the functions of `abi`
   * read them: abi->constants_size bytes.  Null: there are none. */
  void (*bind)(const rh_operator *self, uint64_t n, void *constants);
  /* *to = the mapped elements first .. first+n-1, of `type`.  Null: they are those of operand 0. */
  void (*map)(const rh_operator *self, const rh_arrays *arrays, uint64_t first, uint64_t n,
              void *to);
  /* Between which numbers these elements, which are host[] here, may lie on any device; NaN where
   * nothing is known.  field: of a struct, what is loaded for it.  n: at most RH_ENCLOSED_MOST.
   * -1, or null: not known of this operator. */
  int (*enclose)(const rh_operator *self, uint32_t field, const rh_arrays *arrays, uint64_t first,
                 uint64_t n, const double *host, double *low, double *high);
  /* The result, as users see it, of a value of n elements. */
  void (*decode)(const rh_operator *self, const void *value, uint64_t n, rh_result *result);
  /* The same of n values, one behind the other, at most RH_RESULTS_AT_ONCE, of so many elements
   * each: to[k] = result k, in its type; of an indexed operator without results of its own, the
   * indices and then the values.  to[k] null: that one is not wanted. */
  void (*results)(const rh_operator *self, const void *values, const uint64_t *lengths, uint64_t n,
                  void *const *to);

  /* The rest is null of built-in operators. */

  /* Operator k of several in one pass over the same arrays, and where its value and its index are
   * in a value.  Null: there is no operator k, or none of them has a map of its own. */
  const rh_operator *(*part)(const rh_operator *self, uint32_t k, uint32_t *value_at,
                             uint32_t *index_at);

  /* Adds the constants' names and values as an object of JSON, or nothing. */
  void (*constants)(const rh_operator *self, rh_text *to);
  /* Before the first run of a session: builds what the host needs of a device, once.  RH_E_FILE,
   * with the file, line and reason, if that does not compile. */
  rh_status (*open)(const rh_operator *self, struct rh_cl_session *session, rh_error *error);
  /* Why a strategy cannot serve it; null if it can. */
  const char *(*decline)(const rh_operator *self, const rh_strategy *strategy,
                         const rh_answer *answer);
  /* The facts about n elements, of an operator whose value is a struct. */
  rh_status (*refer)(const rh_operator *self, const rh_arrays *arrays, uint64_t n,
                     struct rh_reference *reference, rh_error *error);
  /* More of them, which cost more, before a strategy is blamed. */
  void (*refer_more)(const rh_operator *self, const rh_arrays *arrays, uint64_t n,
                     struct rh_reference *reference);
  /* reference->answer, of an operator with results of its own, from the other facts. */
  void (*conclude)(struct rh_reference *reference);
  /* The verdict on results that are made of a value, and on the fields of a struct's value. */
  void (*judge)(const struct rh_reference *reference, const rh_result *result, uint64_t depth,
                int flushes, struct rh_verdict *verdict);
  void (*judge_value)(const struct rh_reference *reference, const void *value, uint64_t depth,
                      int flushes, struct rh_verdict *verdict);
  /* The part of its value by which a struct of so many combinations may err, at least. */
  double (*error_part)(const rh_operator *self, uint64_t depth);
} rh_operator_calls;

/* Constant, except for the values of a user's constants.  [any thread] */
struct rh_operator {
  const rh_operator_calls *calls;
  const rh_op *abi; /* as plugins see it, without the prelude */
  const char *name; /* for people: "sum", "sum of x*y", "meanvar" */
  /* All that decides its values, but for those of its constants, as one line of JSON with sorted
   * keys: two of one key are the same operator. */
  const char *key;
  uint64_t hash; /* of the key; 0 for a built-in one */
  /* The built-in operator that asks as much of a strategy, and the type of its elements: those that
   * a map computes, if there is one. */
  uint32_t base;
  rh_type type;
  uint32_t n_operands;
  const rh_operand *operands;
  /* Results of names of their own; 0: the one of the built-in operator. */
  uint32_t n_results;
  uint32_t written;     /* of a struct: bit k: word k of a value is not padding */
  int is_custom;        /* a user's */
  int is_struct;        /* its value is one, and not a built-in operator's */
  int is_code;          /* OpenCL C makes it, which runs on devices only */
  int is_masked;        /* a condition leaves elements out */
  int uses_index;       /* the map does */
  int uses_f64;         /* its kernels do, so that a device must have it */
  int rounds_once;      /* the answer is that of exact products and an exact sum, rounded */
  int keeps_products;   /* it does, and multiplies */
  int divides;          /* the answer is an exact sum divided by n, rounded once */
  int needs_an_element; /* it is undefined for 0 elements, as min is */
  int has_base;         /* the last word of the constants is the index of a run's first element */
  int count_slot; /* of the constants: the number of elements, which each run sets; -1: none */
  /* An element of the map may differ from the one that counts by this part of its value: by the
   * functions' errors, or by its rounding. */
  double map_error;
};

/* The built-in operator on the type; null if it is not defined. */
const rh_operator *rh_operator_builtin(uint32_t op, rh_type type);
/* The same; RH_E_USAGE, with the types that it is defined for: there is none. */
rh_status rh_operator_find(const rh_operator **op, uint32_t number, rh_type type, rh_error *error);

/* The row whose functions combine its values: the built-in one's, unless they are structs. */
const rh_op *rh_operator_values(const rh_operator *self);

/* Do kernels need more than a pointer to the elements: several operands, constants, or the
 * index? */
static inline int rh_operator_has_operands(const rh_operator *self) {
  return self->abi->n_operands > 0;
}

/* Bytes of one element of every operand. */
uint32_t rh_operator_element_bytes(const rh_operator *self);

/* Sets the index of a run's first element in constants that calls->bind() wrote; it was 0. */
void rh_operator_set_base(const rh_operator *self, void *constants, uint64_t base);

/* ---- The elements of a segment, of a reduction of many (RH_LAYOUT_*, redhost/plugin.h) ---- */

/* Segments along the middle axis of an array of the shape (outer, length, inner). */
rh_layout rh_layout_axis(uint64_t outer, uint64_t length, uint64_t inner);
/* n of them; borrows the offsets, which rh_layout_check() looks at. */
rh_layout rh_layout_offsets(const uint64_t *starts, const uint64_t *stops, uint64_t n);

/* Do the elements of a segment lie back to back? */
static inline int rh_layout_is_in_rows(const rh_layout *layout) {
  return layout->kind == RH_LAYOUT_OFFSETS || layout->inner == 1 || layout->length < 2;
}

/* RH_E_USAGE, with the segment's number, if a segment ends before it begins or beyond the n
 * elements, or has none although `op` is undefined for no elements. */
rh_status rh_layout_check(const rh_layout *layout, const rh_operator *op, uint64_t n,
                          rh_error *error);

/* An operation is what is reduced, and has one text: message to a child, comparison of ranks and of
 * parts, and what a partial's file says of itself.  The strategy and the device are not in it. */

/* FULL: all that was computed is compared with an exact reference.  SAMPLED: of data in chunks,
 * some are. */
enum { RH_CHECK_FULL, RH_CHECK_SAMPLED, RH_CHECK_NONE };
const char *rh_check_name(uint32_t check);

typedef struct rh_operation {
  const rh_operator *op;   /* never null; borrowed */
  uint64_t n;              /* elements */
  uint32_t accuracy;       /* RH_ACCURACY_*; EXACT: the answer is the reference's */
  uint32_t check;          /* RH_CHECK_* */
  const char *what;        /* the data, for messages: "--size 2^34", "x.npy" */
  const rh_layout *layout; /* null: all elements are one segment; borrowed */
} rh_operation;

/* Is the exact answer asked for, of an operator whose values round? */
int rh_operation_rounds_once(const rh_operation *operation);

/* One line of JSON, with sorted keys, but "constants" in the operator's order: all that can change
 * the answer, but for `n`, which differs from part to part.  The member "operator" is op->key.
 * `more`: members of the caller's, such as "source"; null: none; taken in any case.  operation:
 * null: the version of redhost alone.  malloc'ed, or null if out of memory. */
char *rh_operation_text(const rh_operation *operation, json_t *more);

/* The first thing that two texts say otherwise. */
enum { RH_SHOWN_BYTES = 100 };
typedef struct rh_difference {
  char member[64]; /* its place in the text: "source.files.0.bytes" */
  char values[2][RH_SHOWN_BYTES];
  char words[360]; /* "constant t is 2 and 3" */
} rh_difference;

/* 1 if they differ.  Accepts any texts. */
int rh_operation_differ(const char *a, const char *b, rh_difference *found);

/* 1 if another version of redhost, or one on a machine of another kind, wrote the text. */
int rh_operation_is_foreign(const char *text, rh_difference *found);

/* ---- The host's table of operators on types: the C side of kernels/prelude ---- */

/* The operator on the type, with `prelude` null; null if it is not defined. Constant. */
const rh_op *rh_op_find(uint32_t op, rh_type type);

/* The OpenCL C prelude of an operator on a type: its definitions, then kernels/prelude.  The name
 * may be of one that has no number: "depth".  malloc'ed; null if out of memory. */
char *rh_op_prelude(const char *op, rh_type type);
/* Only kernels/prelude. */
void rh_prelude_append(rh_text *text);

/* ---- From the value of a built-in operator to its result ---- */

/* Converts a value to a result: undoes order keys and narrows to the result type.
 * `value` has op->value_size bytes. */
void rh_op_result(uint32_t op, rh_type type, const void *value, rh_result *result);
/* Decodes to what users see, of n elements: for a built-in operator, or one over a map. */
void rh_operator_decode_base(const rh_operator *self, const void *value, uint64_t n,
                             rh_result *result);
/* How a value becomes a result's. */
typedef enum rh_decoding {
  RH_DECODE_OTHER, /* keys, products of floats, narrow integers, and values with an index */
  RH_DECODE_WORD,  /* the same 8 bytes */
  RH_DECODE_FLOAT  /* an f32 becomes an f64 */
} rh_decoding;
rh_decoding rh_op_decoding(const rh_op *op, rh_type type);
void rh_op_decode_other(const rh_op *op, rh_type type, const void *value, rh_result *result);

/* Only the value and the index, of a result that has been made for another value.  `decoding` is
 * that of the operator and the type. */
static inline void rh_op_decode(rh_decoding decoding, const rh_op *op, rh_type type,
                                const void *value, rh_result *result) {
  if (decoding == RH_DECODE_WORD) result->value.u = *(const uint64_t *)value;
  else if (decoding == RH_DECODE_FLOAT) result->value.f = *(const float *)value;
  else rh_op_decode_other(op, type, value, result);
}

/* The same of n values, `apart` bytes from one to the next, as elements of the result type.
 * lengths[k]: the number of elements of value k, or 0 to allow for none. */
void rh_op_results(uint32_t op, rh_type type, const void *values, uint64_t apart,
                   const uint64_t *lengths, uint64_t n, void *to);
/* Word k: `size` bytes from values + k * apart on. */
void rh_take_words(const void *values, uint64_t apart, uint32_t size, uint64_t n, void *to);
/* rh_operator_calls.results of what rh_operator_decode_base() decodes. */
void rh_operator_results_base(const rh_operator *self, const void *values, const uint64_t *lengths,
                              uint64_t n, void *const *to);

/* Are the values the same to the last bit?  Of indexed operators, the indices are compared; of
 * products of floats, the results: values of two fields have padding, and an infinity any
 * exponent. */
int rh_op_same_values(const rh_op *op, rh_type type, const void *a, const void *b);

/* The values of float products, as kernels/prelude/operators.cl has them: mantissa * 2^exponent.
 * Nothing overflows or underflows before the product is converted to its type.  The mantissa's
 * magnitude is in [1, 2), or the mantissa is a zero, an infinity or NaN, and the exponent means
 * nothing. */

typedef struct rh_scaled_f32 {
  float mantissa;
  int64_t exponent;
} rh_scaled_f32;

typedef struct rh_scaled_f64 {
  double mantissa;
  int64_t exponent;
} rh_scaled_f64;

/* Integer operations compute it, as on devices: what the caller has set the processor to do with
 * subnormals does not matter.
 *
 * A product of mantissas is below 4, so the highest bit of its exponent says whether it is 2 or
 * more.  An infinity and NaN have the next bit too. */
#define RH_DEFINE_SCALED(type, scalar, word, fraction_bits, bias)                                  \
  static inline rh_scaled_##type rh_scaled_of_##type(scalar x) {                                   \
    const int exponent_at = fraction_bits, top = 8 * (int)sizeof(word) - 1;                        \
    word bits, one = 1, magnitude;                                                                 \
    memcpy(&bits, &x, sizeof bits);                                                                \
    magnitude = bits & ((one << top) - 1);                                                         \
    int field = (int)(magnitude >> exponent_at);                                                   \
    if (magnitude == 0 || field == 2 * (bias) + 1) return (rh_scaled_##type){x, 0};                \
    if (field == 0) {                                                                              \
      int shift = __builtin_clzll(magnitude) - (63 - exponent_at);                                 \
      magnitude <<= shift;                                                                         \
      field = 1 - shift;                                                                           \
    }                                                                                              \
    bits = (bits & one << top) | (word)(bias) << exponent_at |                                     \
           (magnitude & ((one << exponent_at) - 1));                                               \
    memcpy(&x, &bits, sizeof x);                                                                   \
    return (rh_scaled_##type){x, field - (bias)};                                                  \
  }                                                                                                \
  static inline rh_scaled_##type rh_scaled_multiply_##type(rh_scaled_##type a,                     \
                                                           rh_scaled_##type b) {                   \
    const int top = 8 * (int)sizeof(word) - 1;                                                     \
    word bits;                                                                                     \
    a.mantissa *= b.mantissa;                                                                      \
    memcpy(&bits, &a.mantissa, sizeof bits);                                                       \
    word carry = bits >> (top - 1) & ~(bits >> (top - 2)) & 1;                                     \
    bits -= carry << (fraction_bits);                                                              \
    memcpy(&a.mantissa, &bits, sizeof bits);                                                       \
    a.exponent = (int64_t)((uint64_t)a.exponent + (uint64_t)b.exponent + carry);                   \
    return a;                                                                                      \
  }
RH_DEFINE_SCALED(f32, float, uint32_t, 23, 127)
RH_DEFINE_SCALED(f64, double, uint64_t, 52, 1023)

/* The exponent within what ldexp() takes: beyond these nothing but 0 and infinity is left. */
static inline int rh_scaled_clamp(int64_t exponent) {
  const int beyond = 40000;
  return exponent > beyond ? beyond : exponent < -beyond ? -beyond : (int)exponent;
}

/* A number that is normal is exact, and needs no call. */
static inline double rh_scaled_to(double mantissa, int64_t exponent) {
  const int64_t bias = 1023;
  if (exponent <= -bias || exponent > bias) return ldexp(mantissa, rh_scaled_clamp(exponent));
  uint64_t bits = (uint64_t)(exponent + bias) << 52;
  double power;
  memcpy(&power, &bits, sizeof power);
  return mantissa * power;
}

/* The one rounding of the conversion; in double for f32, whose subnormals are normal there. */
static inline float rh_scaled_float(rh_scaled_f32 x) {
  return (float)rh_scaled_to((double)x.mantissa, x.exponent);
}
static inline double rh_scaled_double(rh_scaled_f64 x) {
  return rh_scaled_to(x.mantissa, x.exponent);
}
