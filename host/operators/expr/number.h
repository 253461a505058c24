/* Numbers that take on a type: which types hold them, and what they are there. */
#pragma once

#include "graph.h"

/* An integer, if it is in the range of the type; a float, if it is whole and in the range of an
 * integer type, or is rounded to neither 0 nor infinity.  An integer is rounded to any float
 * type. */
int rh_number_fits(rh_expr_value value, rh_type type);

/* A whole float as an integer.  0: it is none, or has more than 64 bits. */
int rh_number_whole(double value, rh_expr_value *whole);

/* The number, which need not fit, as i32, u32, i64, u64, f32 or f64. */
rh_scalar rh_number_as(rh_expr_value value, rh_type type, rh_as as);

/* For messages. */
enum { RH_NUMBER_BYTES = 32 };
void rh_number_text(char text[static RH_NUMBER_BYTES], rh_expr_value value);

/* Nearer to 0, integers of 64 bits and floats are told apart by f64. */
#define RH_NUMBER_WIDE 0x1p53
