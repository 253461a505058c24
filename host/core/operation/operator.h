/* An operator, built in or of the user's, as all that runs and checks it sees it.
 *
 * Built-in ones are constants (builtin.h); a user's is made of expressions or of OpenCL C
 * (operators/custom.h).  To a plugin each is an rh_op. */
#pragma once

#include "../base/text.h"
#include <redhost/plugin.h>

#include <redhost/redhost.h>

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
   * nothing is known.  n: at most RH_ENCLOSED_MOST.  -1, or null: not known of this operator. */
  int (*enclose)(const rh_operator *self, const rh_arrays *arrays, uint64_t first, uint64_t n,
                 const double *host, double *low, double *high);
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
