/* One row for each pair of a built-in operator and a type, made by a macro. */
#pragma once

#include "operation.h"

/* The built-in operators on the types that they are defined for. */
extern const rh_op rh_op_rows[RH_N_OPS + 1][RH_N_TYPES + 1];

/* SCALAR(operator, type, element in C, scalar in C, how an element becomes a scalar, how two
 * combine, identity)
 * INDEXED(operator, type, element in C, key in C, how an element becomes a key, what beats what,
 * identity)
 * SCALED(operator, type, element in C, f32 or f64, how an element becomes one) */
#define BITS(SCALAR, op, apply, identity)                                                          \
  SCALAR(op, i8, int8_t, int32_t, AS_IS, apply, identity)                                          \
  SCALAR(op, u8, uint8_t, uint32_t, AS_IS, apply, (uint32_t)(identity))                            \
  SCALAR(op, i16, int16_t, int32_t, AS_IS, apply, identity)                                        \
  SCALAR(op, u16, uint16_t, uint32_t, AS_IS, apply, (uint32_t)(identity))                          \
  SCALAR(op, i32, int32_t, int32_t, AS_IS, apply, identity)                                        \
  SCALAR(op, u32, uint32_t, uint32_t, AS_IS, apply, (uint32_t)(identity))                          \
  SCALAR(op, i64, int64_t, int64_t, AS_IS, apply, identity)                                        \
  SCALAR(op, u64, uint64_t, uint64_t, AS_IS, apply, (uint64_t)(identity))

#define INTEGERS(SCALAR, op, apply, from_signed, identity)                                         \
  SCALAR(op, i8, int8_t, uint64_t, from_signed, apply, identity)                                   \
  SCALAR(op, u8, uint8_t, uint64_t, AS_IS, apply, identity)                                        \
  SCALAR(op, i16, int16_t, uint64_t, from_signed, apply, identity)                                 \
  SCALAR(op, u16, uint16_t, uint64_t, AS_IS, apply, identity)                                      \
  SCALAR(op, i32, int32_t, uint64_t, from_signed, apply, identity)                                 \
  SCALAR(op, u32, uint32_t, uint64_t, AS_IS, apply, identity)                                      \
  SCALAR(op, i64, int64_t, uint64_t, from_signed, apply, identity)                                 \
  SCALAR(op, u64, uint64_t, uint64_t, AS_IS, apply, identity)

#define FLOATS(SCALAR, op, apply, from_half, from_f32, from_f64, identity)                         \
  SCALAR(op, f16, uint16_t, float, from_half, apply, identity)                                     \
  SCALAR(op, f32, float, float, from_f32, apply, identity)                                         \
  SCALAR(op, f64, double, double, from_f64, apply, identity)

#define ORDER(ROW, op, apply, from_half, from_f32, from_f64, SIDE, UNSIGNED32, UNSIGNED64)         \
  ROW(op, i8, int8_t, int32_t, AS_IS, apply, INT32_##SIDE)                                         \
  ROW(op, u8, uint8_t, uint32_t, AS_IS, apply, UNSIGNED32)                                         \
  ROW(op, i16, int16_t, int32_t, AS_IS, apply, INT32_##SIDE)                                       \
  ROW(op, u16, uint16_t, uint32_t, AS_IS, apply, UNSIGNED32)                                       \
  ROW(op, i32, int32_t, int32_t, AS_IS, apply, INT32_##SIDE)                                       \
  ROW(op, u32, uint32_t, uint32_t, AS_IS, apply, UNSIGNED32)                                       \
  ROW(op, i64, int64_t, int64_t, AS_IS, apply, INT64_##SIDE)                                       \
  ROW(op, u64, uint64_t, uint64_t, AS_IS, apply, UNSIGNED64)                                       \
  ROW(op, f16, uint16_t, int32_t, from_half, apply, INT32_##SIDE)                                  \
  ROW(op, f32, float, int32_t, from_f32, apply, INT32_##SIDE)                                      \
  ROW(op, f64, double, int64_t, from_f64, apply, INT64_##SIDE)

/* Nothing is below a magnitude of 0, so 0 is the identity of the largest, also as a key. */
#define LARGEST(ROW, op, apply)                                                                    \
  ROW(op, i8, int8_t, uint32_t, magnitude, apply, 0)                                               \
  ROW(op, u8, uint8_t, uint32_t, AS_IS, apply, 0)                                                  \
  ROW(op, i16, int16_t, uint32_t, magnitude, apply, 0)                                             \
  ROW(op, u16, uint16_t, uint32_t, AS_IS, apply, 0)                                                \
  ROW(op, i32, int32_t, uint32_t, magnitude, apply, 0)                                             \
  ROW(op, u32, uint32_t, uint32_t, AS_IS, apply, 0)                                                \
  ROW(op, i64, int64_t, uint64_t, magnitude, apply, 0)                                             \
  ROW(op, u64, uint64_t, uint64_t, AS_IS, apply, 0)                                                \
  ROW(op, f16, uint16_t, int32_t, LARGEST_HALF, apply, 0)                                          \
  ROW(op, f32, float, int32_t, LARGEST_KEY32, apply, 0)                                            \
  ROW(op, f64, double, int64_t, LARGEST_KEY64, apply, 0)

/* The identity of a float sum is -0: adding +0 would turn -0 into +0. */
#define ROWS(SCALAR, INDEXED, SCALED)                                                              \
  INTEGERS(SCALAR, sum, ADD, WIDE_SIGNED, 0)                                                       \
  FLOATS(SCALAR, sum, ADD, HALF, AS_IS, AS_IS, -0.0f)                                              \
  INTEGERS(SCALAR, prod, MULTIPLY, WIDE_SIGNED, 1)                                                 \
  SCALED(prod, f16, uint16_t, f32, HALF)                                                           \
  SCALED(prod, f32, float, f32, AS_IS)                                                             \
  SCALED(prod, f64, double, f64, AS_IS)                                                            \
  INTEGERS(SCALAR, asum, ADD, magnitude, 0)                                                        \
  FLOATS(SCALAR, asum, ADD, MAGNITUDE_HALF, fabsf, fabs, 0.0f)                                     \
  LARGEST(SCALAR, amax, GREATEST)                                                                  \
  LARGEST(INDEXED, argamax, GREATER)                                                               \
  BITS(SCALAR, and, AND, -1)                                                                       \
  BITS(SCALAR, or, OR, 0)                                                                          \
  BITS(SCALAR, xor, XOR, 0)                                                                        \
  SCALAR(affine, u64, uint64_t, uint64_t, AS_IS, COMPOSE, 1)                                       \
  ORDER(SCALAR, min, LEAST, LEAST_HALF, LEAST_KEY32, LEAST_KEY64, MAX, UINT32_MAX, UINT64_MAX)     \
  ORDER(SCALAR, max, GREATEST, GREATEST_HALF, GREATEST_KEY32, GREATEST_KEY64, MIN, 0, 0)           \
  ORDER(INDEXED, argmin, LESS, FIRST_LEAST_H, FIRST_LEAST32, FIRST_LEAST64, MAX, UINT32_MAX,       \
        UINT64_MAX)                                                                                \
  ORDER(INDEXED, argmax, GREATER, FIRST_GREATEST_H, FIRST_GREATEST32, FIRST_GREATEST64, MIN, 0, 0)
