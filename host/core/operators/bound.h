/* The functions of rh_op, bound to one operator. */
#pragma once

#include "operator.h"

/* Fills in load, combine, fold and reduce of operator->op, which live until rh_bound_destroy(). */
rh_status rh_bound_create(rh_operator *self, rh_error *error);
void rh_bound_destroy(rh_bound *bound); /* null is legal */
