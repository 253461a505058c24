/* V12: prints a number into build options, which is not valid C in a locale with a decimal
 * comma. */
#include "../right.h"

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  char options[64];
  (void)values;
  snprintf(options, sizeof options, "-DHALF=%.1ff", 0.5);
  RH_TRY(right_begin(host, problem, instance));
  return right_build(*instance, RIGHT_KERNEL(WALK, "if (HALF > 1) return; " STORE), options);
}

RIGHT_BUT("decimal_point", .summary = "its options depend on the locale", .setup = setup);
