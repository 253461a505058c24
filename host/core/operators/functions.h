/* The functions of rh_op, as plugins call them. */
#pragma once

#include "operator.h"

/* Fills in `user` of self->op, which is `self`, and what gets it. */
void rh_operator_give_functions(rh_operator *self);
