/* All that rh_custom_create() makes an operator of, and the JSON that says it: the key. */
#pragma once

#include "custom.h"
#include <jansson.h>

typedef struct rh_whole_constant {
  rh_let let;
  char kind[RH_OPERATOR_NAME_BYTES];
  uint32_t types; /* as which it is used: numbers of another size may meet as others */
} rh_whole_constant;

typedef struct rh_whole {
  rh_definition definition; /* name and claims of associativity are not in it */
  rh_operand operands[RH_MOST_OPERANDS];
  rh_whole_constant constants[RH_MOST_CONSTANTS]; /* without their values */
  uint32_t n_operands, n_constants;
} rh_whole;

/* Reads it; accepts any object.  0, or -1. */
int rh_whole_read(rh_whole *whole, const json_t *object);
