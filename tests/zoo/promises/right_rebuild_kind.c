/* Correct: one parameter changes the code on GPUs only, another on CPUs only, as declared, and V55
 * must find that wherever it runs. */
#include "../right.h"

enum { PAGES, WARPS };
static const rh_param params[] = {
    [PAGES] = {.key = "pages",
               .doc = "pages that a work-item of a CPU reads from",
               .min = 1,
               .max = 8,
               .initial = 1,
               .step = 1,
               .flags = RH_PARAM_REBUILD},
    [WARPS] = {.key = "warps",
               .doc = "warps that share a tile of a GPU",
               .min = 1,
               .max = 8,
               .initial = 1,
               .step = 1,
               .flags = RH_PARAM_REBUILD},
};

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  char options[32];
  int is_cpu = problem->device->kind == RH_DEVICE_CPU;
  snprintf(options, sizeof options, "-DSTEPS=%d", (int)values[is_cpu ? PAGES : WARPS]);
  RH_TRY(right_begin(host, problem, instance));
  return right_build(*instance, RIGHT_KERNEL("if (STEPS < 1) return; " WALK, STORE), options);
}

RIGHT_BUT("right_rebuild_kind", .summary = "parameters of one kind of device", RH_PARAMS(params),
          .setup = setup);
