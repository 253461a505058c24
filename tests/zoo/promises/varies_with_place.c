/* V50: promises the same bits for the same elements, but walks backwards at some offsets. */
#include "../right.h"

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  (void)values;
  return right_setup_of(
      host, problem,
      RIGHT_KERNEL("if (first >> 12 & 1) for (ulong i = lid; i < n; i += size)"
                   " mine = rh_combine(mine, rh_load(input, n - 1 - i)); else " WALK,
                   STORE),
      instance);
}

RIGHT_BUT("varies_with_place", .summary = "its bits depend on where its range begins",
          .setup = setup);
