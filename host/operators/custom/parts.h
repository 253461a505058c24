/* Built-in operators as fields of a struct, for several of them in one pass. */
#pragma once

#include "definition.h"

enum { RH_MOST_PART_FIELDS = 2 };
#define RH_PART_ELEMENT "mapped_element" /* in the texts of `load` */

/* The fields of a built-in operator's value, in the order of rh_value of kernels/prelude/types.cl.
 * The texts are expressions.  In `load`, i is the index.  In `combine`, %a
 * and %b stand for this field of both values, %A and %B for the part that it belongs to: "a.p0_key"
 * is %A_key. */
typedef struct rh_part_field {
  const char *suffix;
  rh_type type;
  const char *load, *identity, *combine;
} rh_part_field;

/* The number of fields; 0 if the operator cannot be one of several: products of floats, whose
 * values are scaled, and affine. */
uint32_t rh_part_fields(uint32_t op, rh_type type, rh_part_field fields[RH_MOST_PART_FIELDS]);
