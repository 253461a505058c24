/* V51: skips an element that equals the previous one, and -0 equals +0. */
#include "../right.h"

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  (void)values;
  return right_setup_of(
      host, problem,
      RIGHT_KERNEL("for (ulong i = lid; i < n; i += size) {\n"
                   "#if (defined(RH_OP_min) || defined(RH_OP_max)) && (defined(RH_TYPE_f32) || "
                   "defined(RH_TYPE_f64))\n"
                   "  if (i > 0 && input[i] == input[i - 1]) continue;\n"
                   "#endif\n"
                   "  mine = rh_combine(mine, rh_load(input, i));"
                   "}",
                   STORE),
      instance);
}

RIGHT_BUT("zero_sign_lost", .summary = "passes over equal elements", .setup = setup);
