/* The steps of rh_custom_create(). */
#pragma once

#include "custom.h"

/* Expressions over the operands and constants. */
rh_status rh_custom_expressions(const rh_custom *self, rh_exprs **made, rh_error *error);

/* rh_exprs_constant_types() of all its expressions. */
uint32_t rh_custom_constant_types(const rh_custom *self, uint32_t constant);

/* definition->ops as numbers. */
rh_status rh_custom_parse_ops(const rh_definition *definition, uint32_t ops[RH_MOST_FIELDS],
                              uint32_t *n, rh_error *error);
/* The number of the map's outputs. */
rh_status rh_custom_count_maps(const rh_custom *self, const rh_definition *definition, uint32_t *n,
                               rh_error *error);

/* The definition's condition, for a load that is made: elements for which it is false change
 * nothing. */
int rh_custom_has_neutral(uint32_t op); /* is there an element that changes nothing? */
rh_status rh_custom_make_where(rh_custom *self, const rh_definition *definition, rh_error *error);
/* Does the value need a number of its own, of the elements that the condition leaves in? */
int rh_custom_needs_count(const rh_definition *definition);

/* A struct of several built-in operators' values, or of the definition's fields. */
rh_status rh_custom_make_parts(rh_custom *self, const rh_definition *definition,
                               const uint32_t *ops, uint32_t n_ops, uint32_t n_maps,
                               rh_error *error);
rh_status rh_custom_make_fields(rh_custom *self, const rh_definition *definition, rh_error *error);

/* The map of one of several operators; the only one if there are not several.  malloc'ed; null if
 * out of memory. */
char *rh_custom_map_of(const rh_custom *self, const rh_definition *definition, uint32_t part);

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

/* The definition's code, for fields that have been added. */
rh_status rh_custom_make_code(rh_custom *self, const rh_definition *definition, rh_error *error);
void rh_custom_destroy_code(rh_code *code); /* null is legal */

/* Those of a struct's fields, bit k: field k, that are combined from them alone. */
uint64_t rh_custom_closed(const rh_custom *self, uint64_t fields);
/* Finds what is known of the fields of a struct that is made. */
void rh_custom_find_kinds(rh_custom *self);

/* The results' names and expressions. */
rh_status rh_custom_make_results(rh_custom *self, const rh_definition *definition, rh_error *error);

/* rh_custom_reduce() for an operator by OpenCL C. */
void rh_custom_reduce_by_code(const rh_custom *self, const rh_arrays *arrays, uint64_t first,
                              uint64_t n, void *value);

/* For calls.c. */
char *rh_custom_prelude(const rh_operator *face);
void rh_custom_map(const rh_operator *face, const rh_arrays *arrays, uint64_t first, uint64_t n,
                   void *to);
int rh_custom_enclose(const rh_operator *face, const rh_arrays *arrays, uint64_t first, uint64_t n,
                      const double *host, double *low, double *high);
void rh_custom_decode(const rh_operator *face, const void *value, uint64_t n, rh_result *result);
void rh_custom_results(const rh_operator *face, const void *values, const uint64_t *lengths,
                       uint64_t n, void *const *to);

/* Fills in `user` of self->op, which is `self`, what gets it, and face.calls. */
void rh_custom_give_functions(rh_custom *self);

void rh_custom_constants(const rh_operator *face, rh_text *to);
/* malloc'ed; null if out of memory. */
char *rh_custom_make_key(const rh_custom *self, const rh_definition *definition);
