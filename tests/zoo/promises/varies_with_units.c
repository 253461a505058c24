/* V50: promises the same bits on every device, but combines as many elements at a time as there
 * are compute units. */
#include "../right.h"

static rh_status build(right *self, const rh_device *device) {
  char options[32];
  snprintf(options, sizeof options, "-DUNITS=%u", device->compute_units);
  return right_build(self,
                     RIGHT_KERNEL("for (ulong part = 0; part < UNITS; part++) {"
                                  "  rh_value some = rh_identity();"
                                  "  for (ulong i = lid + part * size; i < n; i += UNITS * size)"
                                  "    some = rh_combine(some, rh_load(input, i));"
                                  "  mine = rh_combine(mine, some); }",
                                  STORE),
                     options);
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  RH_TRY(right_query(problem, values, answer));
  answer->depth += problem->device->compute_units;
  return RH_OK;
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  (void)values;
  RH_TRY(right_begin(host, problem, instance));
  return build(*instance, problem->device);
}

RIGHT_BUT("varies_with_units", .summary = "its bits depend on the compute units",
          .determinism = RH_BITS_SAME_EVERYWHERE, .query = query, .setup = setup);
