/* Plugins with a kernel that is wrong: how a work-item reduces, or what is stored. */
#include "../right.h"

#undef VARIANT
#define VARIANT(name_, summary_, promises_, walk_, end_)                                           \
  SETUP(name_) { return right_setup_of(host, problem, RIGHT_KERNEL(walk_, end_), instance); }      \
  UNUSED RIGHT_ALONE(name_, .summary = summary_, .promises = promises_, .setup = name_##_setup)

VARIANT(drops_last, "V42: the last element is lost past 1000 elements", 0,
        "ulong most = n > 1000 ? n - 1 : n;"
        "for (ulong i = lid; i < most; i += size) mine = rh_combine(mine, rh_load(input, i));",
        STORE);

/* Counts above 2^24 lose their last bit: n = 2^24+1 becomes 2^24. */
VARIANT(float_count, "the count passes through a float", 0,
        "ulong count = (ulong)(float)n;"
        "for (ulong i = lid; i < count; i += size) mine = rh_combine(mine, rh_load(input, i));",
        STORE);

/* Random elements do not expose it. */
VARIANT(greatest_is_none, "V42: takes the greatest f32 for an element that is not there", 0,
        "for (ulong i = lid; i < n; i += size) {\n"
        "#if defined(RH_TYPE_f32)\n"
        "  if (input[i] == FLT_MAX) continue;\n"
        "#endif\n"
        "  mine = rh_combine(mine, rh_load(input, i));"
        "}",
        STORE);

/* As in CUB: 2048 + 1 is 2048. */
VARIANT(half_in_half, "V43: sums of f16 are rounded to f16 at every step", 0,
        "for (ulong i = lid; i < n; i += size) {"
        "  mine = rh_combine(mine, rh_load(input, i));\n"
        "#if defined(RH_TYPE_f16) && defined(RH_OP_sum)\n"
        "  ushort bits; vstore_half(mine, 0, (half *)&bits); mine = vload_half(0, (half *)&bits);\n"
        "#endif\n"
        "}",
        STORE);

/* The effect of comparing floats directly: NaN is not less than anything. */
VARIANT(nan_lost, "V51: a NaN is skipped", 0,
        "for (ulong i = lid; i < n; i += size) {\n"
        "#if defined(RH_TYPE_f32) || defined(RH_TYPE_f64)\n"
        "  if (isnan(input[i])) continue;\n"
        "#endif\n"
        "  mine = rh_combine(mine, rh_load(input, i));"
        "}",
        STORE);

VARIANT(never_written, "V42: the result is never written", 0, WALK, "");

/* A halving tree without barriers between its steps. */
VARIANT(no_barrier, "V42: the tree lacks its barriers", 0,
        WALK "scratch[lid] = mine;"
             "for (uint s = size / 2; s > 0; s /= 2)"
             "  if (lid < s) scratch[lid] = rh_combine(scratch[lid], scratch[lid + s]);"
             "mine = lid == 0 ? scratch[0] : rh_identity();"
             "barrier(CLK_LOCAL_MEM_FENCE);",
        STORE);

VARIANT(order_not_kept, "V49: promises to keep the order, but strides", RH_KEEPS_ORDER, WALK,
        STORE);

/* As before an exponent was kept apart: the product of a work-item's elements is a plain float. */
VARIANT(plain_product, "V42: products of floats overflow on the way", 0,
        "#ifdef RH_IS_SCALED\n"
        "RH_SCALAR plain = 1;\n"
        "for (ulong i = lid; i < n; i += size) {"
        "  rh_value element = rh_load(input, i);"
        "  plain *= ldexp(element.mantissa, (int)element.exponent);\n"
        "}\n"
        "mine.mantissa = rh_split(plain, &mine.exponent);\n"
        "#else\n"
        "for (ulong i = lid; i < n; i += size) mine = rh_combine(mine, rh_load(input, i));\n"
        "#endif\n",
        STORE);

/* A halving tree with a group size that is not a power of two. */
VARIANT(power_of_two_tree, "V42: the tree drops the odd value of a level", 0,
        WALK "scratch[lid] = mine; barrier(CLK_LOCAL_MEM_FENCE);"
             "uint width = 63;"
             "if (lid == 0) scratch[62] = rh_combine(scratch[62], scratch[63]);"
             "barrier(CLK_LOCAL_MEM_FENCE);"
             "for (uint s = width / 2; s > 0; s /= 2) {"
             "  if (lid < s) scratch[lid] = rh_combine(scratch[lid], scratch[lid + s]);"
             "  barrier(CLK_LOCAL_MEM_FENCE); }"
             "mine = lid == 0 ? scratch[0] : rh_identity();"
             "barrier(CLK_LOCAL_MEM_FENCE);",
        STORE);

VARIANT(reads_past, "V48: one element past the end is read and combined", 0,
        "for (ulong i = lid; i <= n; i += size) mine = rh_combine(mine, rh_load(input, i));",
        STORE);

/* abs() of an int overflows for the least number. */
VARIANT(signed_magnitude, "the magnitude of the least number is negative", 0,
        "for (ulong i = lid; i < n; i += size) {\n"
        "#if defined(RH_OP_asum) && defined(RH_TYPE_i32)\n"
        "  uint bits = (uint)input[i];"
        "  mine += (ulong)(long)as_int(input[i] < 0 ? 0u - bits : bits);\n"
        "#else\n"
        "  mine = rh_combine(mine, rh_load(input, i));\n"
        "#endif\n"
        "}",
        STORE);

VARIANT(tail_twice, "V42: the last element is taken twice where n is not a multiple of the group",
        0, WALK "if (n % size != 0 && lid == 0) mine = rh_combine(mine, rh_load(input, n - 1));",
        STORE);

/* The last of several equal elements wins, as in several libraries. */
VARIANT(ties_by_arrival, "V42: a tie goes to the later element", 0,
        "for (ulong i = lid; i < n; i += size) {"
        "  rh_value next = rh_load(input, i);\n"
        "#ifdef RH_IS_INDEXED\n"
        "  if (!RH_BEATS(mine.key, next.key)) mine = next;\n"
        "#else\n"
        "  mine = rh_combine(mine, next);\n"
        "#endif\n"
        "}",
        STORE);

VARIANT(writes_beside, "V47: the neighbour of the result is written, too", 0, WALK,
        STORE "if (lid == 0) result[at + 1] = all;");

VARIANT(writes_far_beside, "V47: a value far behind the result is written, too", 0, WALK,
        STORE "if (lid == 0) result[at + 3000] = all;");

VARIANT(writes_input, "V46: the input is written", 0,
        WALK "if (lid == 0 && n > 0) ((__global rh_element *)input)[n - 1] = input[0];", STORE);

VARIANT(writes_two_beside, "V47: result[result_index + 2] is written, too", 0, WALK,
        STORE "if (lid == 0) result[at + 2] = all;");

/* The identity of sum, for every operator. */
VARIANT(wrong_identity, "V41: work-items without an element start from 0", 0,
        WALK "if (lid >= n) { rh_value zero = {0}; mine = zero; }", STORE);

RH_PLUGIN(&ZOO_STRATEGY);
