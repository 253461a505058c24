/* The traits of an operator, found by making it for operands of each type. */
#pragma once

#include "../custom/definition.h"

typedef struct rh_traits {
  uint32_t types; /* bit T: it can be made for operands that all have the type T */
  int commutes;
  /* Is combining exact, for integer and for float operands? */
  int exact_integers, exact_floats;
  uint32_t n_results;
  char results[RH_MOST_FIELDS][RH_OPERATOR_NAME_BYTES];
  uint32_t value_bytes; /* of the largest value */
} rh_traits;

/* RH_E_FILE, with the reason, if it can be made for no types of its operands. */
rh_status rh_traits_find(rh_traits *traits, const rh_definition *definition, rh_error *error);

void rh_traits_of_built_in(rh_traits *traits, uint32_t op);
