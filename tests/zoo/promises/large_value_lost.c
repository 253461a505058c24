/* V67: of values above 16 bytes its last work-item's is lost. */
#include "../own.h"

#define WALK_BUT_LAST                                                                              \
  "for (ulong i = lid; i < n && lid + 1 < size; i += size)"                                        \
  "  mine = rh_combine(mine, rh_load(input, i));"

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  (void)values;
  int is_large = problem->op->value_size > 16;
  return right_setup_of(host, problem, is_large ? OWN_KERNEL(WALK_BUT_LAST) : OWN_KERNEL(WALK),
                        instance);
}

OWN_BUT("large_value_lost", .summary = "loses elements of large values", .setup = setup);
