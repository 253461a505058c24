/* V50: promises the same bits for all parameters, but only the bounds of the range agree with
 * the default. */
#include "../right.h"

enum { SHARE };
static const rh_param params[] = {[SHARE] = RH_NUMBER("share", 1, 1, 64, "parts")};

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  if (values[SHARE] == 1 || values[SHARE] == 64)
    return right_setup(host, problem, values, instance);
  return right_setup_of(host, problem,
                        RIGHT_KERNEL("for (ulong k = lid; k < n; k += size)"
                                     "  mine = rh_combine(mine, rh_load(input, n - 1 - k));",
                                     STORE),
                        instance);
}

RIGHT_BUT("varies_between", .summary = "its bits depend on a parameter", RH_PARAMS(params),
          .determinism = RH_BITS_SAME_LAUNCH, .setup = setup);
