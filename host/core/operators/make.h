/* The steps of rh_operator_create(). */
#pragma once

#include "operator.h"

/* Expressions over the operands and constants. */
rh_status rh_operator_expressions(const rh_operator *self, rh_exprs **made, rh_error *error);

/* definition->ops as numbers. */
rh_status rh_operator_parse_ops(const rh_definition *definition, uint32_t ops[RH_MOST_FIELDS],
                                uint32_t *n, rh_error *error);
/* The number of the map's outputs. */
rh_status rh_operator_count_maps(const rh_operator *self, const rh_definition *definition,
                                 uint32_t *n, rh_error *error);

/* The definition's condition, for a load that is made: elements for which it is false change
 * nothing. */
int rh_operator_has_neutral(uint32_t op); /* is there an element that changes nothing? */
rh_status rh_operator_make_where(rh_operator *self, const rh_definition *definition,
                                 rh_error *error);
/* Does the value need a number of its own, of the elements that the condition leaves in? */
int rh_operator_needs_count(const rh_definition *definition);

/* A struct of several built-in operators' values, or of the definition's fields. */
rh_status rh_operator_make_parts(rh_operator *self, const rh_definition *definition,
                                 const uint32_t *ops, uint32_t n_ops, uint32_t n_maps,
                                 rh_error *error);
rh_status rh_operator_make_fields(rh_operator *self, const rh_definition *definition,
                                  rh_error *error);

/* The map of one of several operators; the only one if there are not several.  malloc'ed; null if
 * out of memory. */
char *rh_operator_map_of(const rh_operator *self, const rh_definition *definition, uint32_t part);

/* The definition's code, for fields that have been added. */
rh_status rh_operator_make_code(rh_operator *self, const rh_definition *definition,
                                rh_error *error);
void rh_operator_destroy_code(rh_code *code); /* null is legal */

/* What is known of the fields of a struct that is made. */
void rh_operator_find_kinds(rh_operator *self);

/* The results' names and expressions. */
rh_status rh_operator_make_results(rh_operator *self, const rh_definition *definition,
                                   rh_error *error);

/* malloc'ed; null if out of memory. */
char *rh_operator_make_key(const rh_operator *self, const rh_definition *definition);
