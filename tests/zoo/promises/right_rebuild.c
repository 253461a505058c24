/* Correct: one parameter changes the code only if the other is large, as declared, and V55 must
 * find that. */
#include "../right.h"

enum { TILES, UNROLL };
static const rh_param params[] = {
    [TILES] = {.key = "tiles",
               .doc = "elements that a work-item has in all",
               .min = 1,
               .max = 64,
               .initial = 1,
               .step = 1,
               .flags = RH_PARAM_REBUILD},
    [UNROLL] = {.key = "unroll",
                .doc = "elements at a time, of those that there are",
                .min = 1,
                .max = 8,
                .initial = 1,
                .step = 1,
                .flags = RH_PARAM_REBUILD},
};

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  char options[32];
  snprintf(options, sizeof options, "-DUNROLL=%d",
           (int)(values[UNROLL] < values[TILES] ? values[UNROLL] : values[TILES]));
  RH_TRY(right_begin(host, problem, instance));
  return right_build(*instance, RIGHT_KERNEL("if (UNROLL < 1) return; " WALK, STORE), options);
}

RIGHT_BUT("right_rebuild", .summary = "parameters that change code together", RH_PARAMS(params),
          .setup = setup);
