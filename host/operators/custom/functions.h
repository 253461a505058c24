/* The functions of rh_op, as plugins call them. */
#pragma once

#include "custom.h"

/* Fills in `user` of self->op, which is `self`, and what gets it. */
void rh_custom_give_functions(rh_custom *self);
