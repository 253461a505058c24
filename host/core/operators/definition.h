/* What a user says of an operator: the parts of an operator file, or of the command line, as text.
 * Nothing here knows the operands' types yet; operator.h makes an operator of it. */
#ifndef RH_OPERATORS_DEFINITION_H
#define RH_OPERATORS_DEFINITION_H

#include <redhost/redhost.h>

enum {
  RH_MOST_OPERANDS = 8,
  RH_MOST_FIELDS = 16, /* of a value, and of a result */
  RH_MOST_LETS = 16,
  RH_MOST_CONSTANTS = 16,
  RH_OPERATOR_NAME_BYTES = 64
};

/* A field of a value. */
typedef struct rh_field_text {
  char name[RH_OPERATOR_NAME_BYTES]; /* "": the only one, of values a and b */
  rh_type type;                      /* 0: that of the map's output */
  char *load;                        /* of the operands, `i` and `n` */
  char *identity;
  char *combine; /* of a.FIELD and b.FIELD; a's elements come before b's */
} rh_field_text;

typedef struct rh_named_text {
  char name[RH_OPERATOR_NAME_BYTES];
  char *text;
} rh_named_text;

/* One of two forms.  Built-in operators over maps: `ops`, and `map` with as many outputs, or one
 * for all of them.  Or an operator of its own: `fields`.  Zero-initialised is empty; strings are
 * malloc'ed. */
typedef struct rh_definition {
  char name[RH_OPERATOR_NAME_BYTES]; /* "dot"; "" if it has none */
  char *summary;                     /* one line for --ops, or null */
  char *origin;                      /* the file, for messages; null: redhost's own, or an option */
  uint32_t n_operands;               /* 0: any number, by the names of the data */
  char operands[RH_MOST_OPERANDS][RH_OPERATOR_NAME_BYTES];
  char *ops; /* "sum", "min,max,sum"; null: it has fields */
  char *map; /* null: the only operand */
  uint32_t n_fields;
  rh_field_text fields[RH_MOST_FIELDS];
  uint32_t n_lets;
  rh_named_text lets[RH_MOST_LETS]; /* for `combine` */
  uint32_t n_results;
  rh_named_text results[RH_MOST_FIELDS]; /* of a, a.FIELD or a.0, a.1, ..., and n */
  uint32_t flags;                        /* RH_OP_COMMUTATIVE, as claimed */
  int claims_associative;
} rh_definition;

void rh_definition_finish(rh_definition *definition);

#endif
