/* Struct operators in several orders. */
#pragma once

#include "../../core/check/reference.h"
#include "custom.h"

/* How many orders are tried. */
uint32_t rh_sampled_orders(const rh_custom *custom);

/* The values of all elements in the canonical order, and, if a field depends on the order in ways
 * that are not known, in others that begin new trees at places chosen by chance. */
void rh_sample_orders(rh_sampled *sampled, const rh_custom *custom, const rh_arrays *arrays,
                      uint64_t n);

/* One more: one element after the other. */
void rh_sample_serial(const rh_operator *op, const rh_arrays *arrays, uint64_t n,
                      rh_reference *reference);
