/* A form makes products, distances or squared distances of two operands: their sums, and the
 * extremes of distances. */
#ifndef NATIVE_LANES_FORMS_H
#define NATIVE_LANES_FORMS_H

#include "lanes_extremes.h"
#include "lanes_sums.h"

#define PRODUCT_OF(type, lane, p, q)  (LOAD_##type(p) * LOAD_##type(q))
#define DIFFERENCE_OF(type, p, q)     (LOAD_##type(p) - LOAD_##type(q))
#define DISTANCE_OF(type, lane, p, q) UNSIGN_##lane(DIFFERENCE_OF(type, p, q))
#define SQUARE_OF(type, lane, p, q)   square_##lane(DIFFERENCE_OF(type, p, q))
LANES_TARGET INLINE v_f32 square_f32(v_f32 x) { return x * x; }
LANES_TARGET INLINE v_f64 square_f64(v_f64 x) { return x * x; }

/* Sums of what a form makes of two operands. */
#define DEFINE_FORM(op, type, element, lane, TAKE)                                                 \
  DEFINE_LAST_TILE(op, type, element, lane, TAKE##_OF, SOME_##TAKE, ADD, add_lanes)                \
  DEFINE_FLOAT(op, type, element, lane, TAKE##_OF, ADD, add_lanes, MORE_ACROSS)                    \
  LANES_TARGET static void op##_##type(const void *a, const void *b, uint64_t n, unsigned pages,   \
                                       void *value) {                                              \
    op##_##type##_all(a, (intptr_t)((uintptr_t)b - (uintptr_t)a), n, pages, value);                \
  }
#define DEFINE_FORMS(type)                                                                         \
  DEFINE_FORM(products, type, type, type, PRODUCT)                                                 \
  DEFINE_FORM(distances, type, type, type, DISTANCE)                                               \
  DEFINE_FORM(squares, type, type, type, SQUARE)
DEFINE_FORMS(f32)
DEFINE_FORMS(f64)
#define SAME_OF SAME
DEFINE_FORM(elements, wide, f32, f64, SAME)
DEFINE_FORM(products, wide, f32, f64, PRODUCT)

/* Distances have no sign, so their bits are ordered as signed numbers. */
#define BITS_OF_DISTANCE_i32(p) ((v_i32)DISTANCE_OF(f32, f32, p, BESIDE(p)))
#define BITS_OF_DISTANCE_i64(p) ((v_i64)DISTANCE_OF(f64, f64, p, BESIDE(p)))
#define BITS_OF_DISTANCE(s, p)  BITS_OF_DISTANCE_##s(p)
#define DEFINE_DISTANCES(type, u, s)                                                               \
  DEFINE_EXTREMES_OF(most_distance_##type, s, CHAINS, LOADED_ONCE, BITS_OF_DISTANCE, s, NEITHER,   \
                     NEITHER, s, MOST_##s, MOST_1)                                                 \
  DEFINE_EXTREMES_OF(both_distances_##type, s, CHAINS, LOADED_ONCE, BITS_OF_DISTANCE, s,           \
                     LEAST_##s, LEAST_1, s, MOST_##s, MOST_1)                                      \
  LANES_TARGET static void distance_range_##type(const void *a, const void *b, uint64_t n,         \
                                                 int wanted, unsigned pages,                       \
                                                 rh_native_range *range) {                         \
    const intptr_t beside = (intptr_t)((uintptr_t)b - (uintptr_t)a);                               \
    e_##s least = 0, most;                                                                         \
    if (wanted & NATIVE_LEAST) both_distances_##type##_of(a, beside, n, pages, &least, &most);     \
    else most_distance_##type##_of(a, beside, n, pages, &least, &most);                            \
    *range = (rh_native_range){(e_##u)least, (e_##u)most, most};                                   \
  }
DEFINE_DISTANCES(f32, u32, i32)
DEFINE_DISTANCES(f64, u64, i64)

#endif
