/* The inner loops, written once for all widths.  The including file defines LANES_BYTES, the width
 * of a vector; LANES_TARGET, the target of the functions; LANES_TABLE, the name of their table; and
 * LANES_REGISTERS, how many vectors the processor holds, if those are 32 of 32 bytes.  Each part
 * defines functions of that width, and this file the table of them. */
#include "lanes_bits.h"
#include "lanes_extremes.h"
#include "lanes_find.h"
#include "lanes_forms.h"
#include "lanes_integers.h"
#include "lanes_prod.h"
#include "lanes_sums.h"

#define AT(function, type) [RH_TYPE_##type] = function
const rh_native_lanes LANES_TABLE = {
    .sum = {AT(sum_i8, i8), AT(sum_u8, u8), AT(sum_i16, i16), AT(sum_u16, u16), AT(sum_i32, i32),
            AT(sum_u32, u32), AT(sum_u64, i64), AT(sum_u64, u64), AT(sum_f16, f16),
            AT(sum_f32, f32), AT(sum_f64, f64)},
    .asum = {AT(asum_i8, i8), AT(sum_u8, u8), AT(asum_i16, i16), AT(sum_u16, u16),
             AT(asum_i32, i32), AT(sum_u32, u32), AT(asum_i64, i64), AT(sum_u64, u64),
             AT(asum_f16, f16), AT(asum_f32, f32), AT(asum_f64, f64)},
    .prod = {AT(prod_i8, i8), AT(prod_u8, u8), AT(prod_i16, i16), AT(prod_u16, u16),
             AT(prod_i32, i32), AT(prod_u32, u32), AT(prod_u64, i64), AT(prod_u64, u64)},
    .prod_tile = {AT(prod_f16_tile, f16), AT(prod_f32_tile, f32), AT(prod_f64_tile, f64)},
    .and_bytes = and_bytes,
    .or_bytes = or_bytes,
    .xor_bytes = xor_bytes,
    .range = {AT(range_i8, i8), AT(range_u8, u8), AT(range_i16, i16), AT(range_u16, u16),
              AT(range_i32, i32), AT(range_u32, u32), AT(range_i64, i64), AT(range_u64, u64),
              AT(range_f16, f16), AT(range_f32, f32), AT(range_f64, f64)},
    .sum_of = {[RH_FORM_PRODUCT] = {AT(products_f32, f32), AT(products_f64, f64)},
               [RH_FORM_DISTANCE] = {AT(distances_f32, f32), AT(distances_f64, f64)},
               [RH_FORM_SQUARED_DISTANCE] = {AT(squares_f32, f32), AT(squares_f64, f64)}},
    .sum_wide = elements_wide,
    .sum_wide_products = products_wide,
    .sum_rows = {AT(sum_f32_in_rows, f32), AT(sum_f64_in_rows, f64)},
    .asum_rows = {AT(asum_f32_in_rows, f32), AT(asum_f64_in_rows, f64)},
    .distances = {AT(distance_range_f32, f32), AT(distance_range_f64, f64)},
    .find = {AT(find_8, i8), AT(find_8, u8), AT(find_16, i16), AT(find_16, u16), AT(find_32, i32),
             AT(find_32, u32), AT(find_64, i64), AT(find_64, u64), AT(find_16, f16),
             AT(find_32, f32), AT(find_64, f64)},
    .can_step = CAN_STEP,
};
