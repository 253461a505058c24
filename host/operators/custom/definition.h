/* An operator as a user defines it: the parts of an operator file, or of the command line, as
 * text.  Nothing here knows the operands' types yet; custom.h makes an operator of it. */
#pragma once

#include "../../core/base/vocabulary.h"
#include "../../core/operation/operator.h"
#include "../expr/expr.h"

#include <redhost/redhost.h>

enum { RH_MOST_LETS = 16, RH_MOST_CONSTANTS = 16 };

/* Where a text begins in its file, in characters, from 1; line 0: it is not from a file. */
typedef struct rh_json_place {
  uint32_t line, column;
} rh_json_place;

/* A field of a value. */
typedef struct rh_field_text {
  char name[RH_OPERATOR_NAME_BYTES]; /* "": the only one, of values a and b */
  rh_type type;                      /* 0: that of the map's output */
  char *load;                        /* of the operands, `i` and `n` */
  char *identity;
  char *combine; /* of a.FIELD and b.FIELD; a's elements come before b's */
  rh_json_place load_at, identity_at, combine_at;
} rh_field_text;

typedef struct rh_named_text {
  char name[RH_OPERATOR_NAME_BYTES];
  char *text;
  rh_json_place at;
} rh_named_text;

typedef struct rh_named_number {
  char name[RH_OPERATOR_NAME_BYTES];
  rh_expr_value value;
} rh_named_number;

typedef struct rh_definition rh_definition;

/* For operands of some types, this takes the place of the form, `finalize` and the claims. */
enum { RH_BY_EXACT = 16 };
typedef struct rh_by_type {
  uint32_t types; /* bit t: type t; bit RH_BY_EXACT + t: where the exact answer is asked for */
  rh_definition *body;
} rh_by_type;

/* One of two forms.  Built-in operators over maps: `ops`, and `map` with as many outputs, or one
 * for all of them.  Or an operator of its own: `fields`, by expressions or by code.
 * Zero-initialised is empty; strings are malloc'ed. */
struct rh_definition {
  char name[RH_OPERATOR_NAME_BYTES]; /* "dot"; "" if it has none */
  char *summary;                     /* one line for a list of operators, or null */
  char *about;                       /* lines that a user may want to know, or null */
  char *origin;                      /* the file, for messages; null: redhost's own, or an option */
  char *json;                        /* its text, for places in it; null as origin */
  size_t json_length;
  uint32_t n_operands; /* 0: any number, by the names of the data */
  char operands[RH_MOST_OPERANDS][RH_OPERATOR_NAME_BYTES];
  rh_json_place operands_at[RH_MOST_OPERANDS];
  uint32_t n_constants;
  rh_named_number constants[RH_MOST_CONSTANTS]; /* their values, unless others are given */
  char *ops;                                    /* "sum", "min,max,sum"; null: it has fields */
  char *map;                                    /* null: the only operand */
  char *where;                                  /* null: all elements count */
  char *initial; /* of one built-in operator: what its value is combined with; or null */
  rh_json_place ops_at, map_at, where_at, initial_at;
  uint32_t n_fields;
  rh_field_text fields[RH_MOST_FIELDS];
  /* Instead of load, identity and combine: OpenCL C.  A file that is read later is named. */
  char *code_file;
  char *code; /* with #line directives */
  rh_json_place code_at;
  uint32_t n_lets;
  rh_named_text lets[RH_MOST_LETS]; /* for `combine` */
  uint32_t n_results;
  rh_named_text results[RH_MOST_FIELDS]; /* of a, a.FIELD or a.0, a.1, ..., and n */
  uint32_t flags;                        /* RH_OP_COMMUTATIVE, as claimed */
  int claims_associative;
  uint32_t n_by_type;
  rh_by_type by_type[2 * RH_N_TYPES];
  uint32_t accuracy; /* RH_ACCURACY_*, asked for */
};

void rh_definition_finish(rh_definition *definition);
/* *to must be finished even after a failure. */
rh_status rh_definition_copy(rh_definition *to, const rh_definition *from, rh_error *error);

/* The definition for operands of this type: *of, or what it says of the type and the accuracy.  It
 * has no `by_type` and is not finished: its texts are those of *of. */
rh_definition rh_definition_for(const rh_definition *of, rh_type type);

/* Letters, digits and '_', not a digit first, and at most 63 of them. */
int rh_operator_is_name(const char *text, size_t length);
/* Can an operator or an operand be called so?  `i`, `n`, `inf` and `nan` mean something else. */
int rh_definition_name_is_valid(const char *name);

/* Adds a #line directive: what follows is line `line` of the file. */
void rh_definition_add_line(rh_text *to, const char *file, uint32_t line);

/* How a message about one of its texts begins: `FILE:LINE:COLUMN: "KEY"`, or KEY alone if it is not
 * from a file.  RH_WHAT: in room of the block's own. */
enum { RH_ORIGIN_BYTES = 500, /* of a path; longer ones are cut */ RH_WHAT_BYTES = 576 };
const char *rh_definition_what(char what[RH_WHAT_BYTES], const rh_definition *definition,
                               const char *key, rh_json_place at);
#define RH_WHAT(definition, key, at)                                                               \
  rh_definition_what((char[RH_WHAT_BYTES]){0}, definition, key, at)
/* Begins a message with that, if the place is known, and returns the error's status. */
rh_status rh_definition_blame(const rh_definition *definition, const char *key, rh_json_place at,
                              rh_error *error);
