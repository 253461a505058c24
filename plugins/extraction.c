/* extraction: exact sums of floats on OpenCL devices, rounded once. */
#define RH_PLUGIN_MIN_HOST_MINOR 2 /* RH_ROUNDS_ONCE */
#include "extraction.cl.h"

#include <redhost/kit.h>

static const char about[] =
    "The exact sum, rounded once, to nearest even: the same bits on every device, in any order, "
    "within half a unit of the last digit. A work-item looks at the exponents of a chunk of "
    "elements before it adds them as doubles. Where they are near enough to each other, no "
    "addition can round: those of f32 within 22 binades or so; those within 71 binades, and of f64 "
    "within 44, after each is split at the same place, without error (ExtractVector of Rump, Ogita "
    "and Oishi, Accurate floating-point summation, 2008). What chunks come to is kept with what "
    "each addition loses (Knuth's TwoSum). Other chunks go to bins for 32 binades each, as "
    "integers (Kulisch's long accumulator), of which a group has 32 copies in local memory. f16 "
    "is split at a fixed place. Groups add their bins to one sum in global memory by atomics, and "
    "the last to arrive rounds it; where a device's atomics do not order memory across "
    "work-groups, a second launch does. Devices without doubles have bins alone.";

enum { USUAL_GROUPS = 2 }; /* on a compute unit */
enum { GROUP, GROUPS_PER_UNIT, LOADS, FINISH, ADD };
static const rh_param params[] = {
    [GROUP] = {.key = "group",
               .doc = "work-items in a group; 0: 256, or what the device takes; 1 on a CPU",
               .max = 1024,
               .step = 1,
               .flags = RH_PARAM_REBUILD},
    [GROUPS_PER_UNIT] = RH_NUMBER("groups_per_unit", USUAL_GROUPS, 1, 64,
                                  "groups per compute unit, if there is work for them"),
    [LOADS] = {.key = "loads",
               .doc = "packs of a chunk; 0: by the number of elements",
               .max = 16,
               .step = 1,
               .flags = RH_PARAM_REBUILD | RH_PARAM_POWER_OF_TWO},
    [FINISH] = {.key = "finish",
                .doc = "which group rounds: the last to arrive, or one of a second launch; auto: "
                       "the last, if the device can",
                .choices = "auto|last|launch",
                .max = 2,
                .step = 1,
                .flags = RH_PARAM_REBUILD},
    [ADD] = {.key = "add",
             .doc = "f32 and f64: as doubles where these are exact and the device has them, or "
                    "always as integers",
             .choices = "auto|integers",
             .max = 1,
             .step = 1,
             .flags = RH_PARAM_REBUILD | RH_PARAM_NOT_TUNED},
};

enum { FINISH_AUTO, FINISH_LAST, FINISH_LAUNCH };
/* kernels/prelude/packs.cl, kernels/extraction.cl */
enum { PACK_BYTES = 16, BLOCKS_PACK_BYTES = 64, MOST_PER_PACK = 16 };
enum {
  MOST_COPIES = 32,
  MOST_OWN_BYTES = 24 << 10,
  BINS_F64 = 66,
  BINS_F32 = 11,
  MOST_GROUPS = 4096,
  LEAST_LOADS = 4
};
/* Of 2^31 that a copy of a bin takes. */
#define MOST_OF_A_COPY (UINT64_C(1) << 29)

typedef struct extraction {
  const rh_host *host;
  const rh_op *op;
  struct _cl_kernel *kernel, *finishing;
  uint64_t group, most_groups, loads, per_pack, bins, copies, local_bytes;
  int has_blocks, finishes, has_doubles;
  struct _cl_mem *sums, *tickets;
  int is_clear;
} extraction;

static uint64_t digits_of(const extraction *self) { return 2 * self->bins + 2; }

static uint64_t groups_for(const extraction *self, uint64_t n) {
  uint64_t groups = rh_divide_up(n, self->per_pack * self->group * self->loads);
  return groups == 0 ? 1 : groups < self->most_groups ? groups : self->most_groups;
}

static int can_finish(const rh_device *device) {
  return rh_takes_ptx(device) || device->features & RH_DEVICE_SCOPE_ATOMICS;
}

/* As many work-items as usually fill the device, before one takes more than LEAST_LOADS packs; and
 * at most as many packs as elements leave room for in registers, which of f16 are two to a
 * register. */
static uint64_t loads_for(const extraction *self, const rh_device *device, uint64_t n) {
  uint64_t loads = LEAST_LOADS, most = self->op->element_size == 2 ? 8 : 16;
  uint64_t groups = USUAL_GROUPS * (uint64_t)device->compute_units;
  while (loads < most && n >= 2 * loads * self->per_pack * self->group * groups) loads *= 2;
  return self->has_blocks ? 16 : loads;
}

static rh_status fit(const rh_problem *problem, extraction *self, rh_answer *answer) {
  const rh_device *device = problem->device;
  /* kernels/extraction.cl: WORDS */
  self->copies = self->group;
  while (self->copies > MOST_COPIES &&
         (2 * self->bins + 1) * self->copies * sizeof(uint32_t) > MOST_OWN_BYTES)
    self->copies /= 2;
  for (;; self->copies /= 2) {
    uint64_t words = (2 * self->bins + 1) * self->copies + digits_of(self) + 6;
    self->local_bytes = answer->local_bytes = words * sizeof(uint32_t);
    if (self->local_bytes <= device->local_bytes) return RH_OK;
    if (self->copies == 1) break;
  }
  return rh_decline(answer, RH_WHY_MEMORY,
                    "the bins need %llu B of local memory, the device has %llu",
                    (unsigned long long)self->local_bytes, (unsigned long long)device->local_bytes);
}

static rh_status plan(const rh_problem *problem, const int64_t *values, extraction *self,
                      rh_answer *answer) {
  const rh_device *device = problem->device;
  int is_cpu = device->kind == RH_DEVICE_CPU;
  self->op = problem->op;
  RH_TRY(rh_fit_group(problem, "group", values[GROUP], is_cpu ? 1 : 256, 0, &self->group, answer));
  self->has_blocks = is_cpu && self->group == 1;
  uint64_t bytes = self->has_blocks ? BLOCKS_PACK_BYTES : PACK_BYTES;
  self->per_pack = bytes / problem->op->element_size;
  if (self->per_pack > MOST_PER_PACK) self->per_pack = MOST_PER_PACK;
  self->has_doubles =
      values[ADD] == 0 && device->features & RH_FP64 && problem->type != RH_TYPE_f16;
  self->bins = problem->type == RH_TYPE_f64 ? BINS_F64 : BINS_F32;
  self->finishes = values[FINISH]       ? (int)values[FINISH]
                   : can_finish(device) ? FINISH_LAST
                                        : FINISH_LAUNCH;
  if (self->finishes == FINISH_LAST && !can_finish(device))
    return rh_decline(answer, RH_WHY_PARAM,
                      "finish=last: the device's work-groups cannot see each other");
  RH_TRY(fit(problem, self, answer));
  self->most_groups = device->compute_units * (uint64_t)values[GROUPS_PER_UNIT];
  uint64_t least = rh_divide_up(problem->max_n, MOST_OF_A_COPY * self->copies);
  if (self->most_groups < least) self->most_groups = least;
  if (self->most_groups > MOST_GROUPS) self->most_groups = MOST_GROUPS;
  if (least > MOST_GROUPS)
    return rh_decline(answer, RH_WHY_SIZE, "%llu elements are too many for the bins",
                      (unsigned long long)problem->max_n);
  self->loads = values[LOADS] ? (uint64_t)values[LOADS] : loads_for(self, device, problem->max_n);
  self->most_groups = groups_for(self, problem->max_n);
  answer->score = is_cpu ? 400 : 850;
  answer->launches = self->finishes == FINISH_LAUNCH ? 2 : 1;
  answer->scratch_bytes = (digits_of(self) + 2) * sizeof(uint32_t);
  answer->depth = 1;
  return RH_OK;
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  extraction shape;
  if (problem->op->id != RH_OP_sum && problem->op->id != RH_OP_asum)
    return rh_decline(answer, RH_WHY_OP, "sums only: sum and asum");
  if (problem->type < RH_TYPE_f16 || problem->type > RH_TYPE_f64)
    return rh_decline(answer, RH_WHY_TYPE, "sums of floats only; those of integers are exact");
  return plan(problem, values, &shape, answer);
}

/* How many work-items share a bin. */
static uint64_t parts_of(const extraction *self) {
  uint64_t parts = 1;
  while (self->copies % (2 * parts) == 0 && 2 * parts * self->bins <= self->group) parts *= 2;
  return parts;
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  extraction *self = host->alloc(host, sizeof *self);
  rh_answer answer = {0};
  struct _cl_program *program;
  char options[320];
  if (!self) return RH_E_NOMEM;
  *instance = self;
  self->host = host;
  RH_TRY(plan(problem, values, self, &answer));
  uint64_t log = rh_log2_up(self->loads * self->per_pack);
  snprintf(options, sizeof options,
           "%s -DRH_PACKS -DRH_GROUP=%llu -DRH_WIDTH=%llu -DRH_CHUNK=%llu -DRH_LOG_CHUNK=%llu "
           "-DRH_COPIES=%llu -DRH_PARTS=%llu%s%s%s",
           problem->device->features & RH_DEVICE_SCOPE_ATOMICS ? rh_newest_language(problem->device)
                                                               : "",
           (unsigned long long)self->group, (unsigned long long)self->per_pack,
           (unsigned long long)self->loads, (unsigned long long)(log < 2 ? 2 : log),
           (unsigned long long)self->copies, (unsigned long long)parts_of(self),
           self->has_doubles ? " -DRH_DOUBLES" : "", self->has_blocks ? " -DRH_BLOCKS" : "",
           self->finishes == FINISH_LAUNCH ? " -DRH_FINISH_LAUNCH" : " -DRH_ARRIVALS");
  RH_TRY(host->build(host, "extraction.cl", extraction_cl, options, &program));
  RH_TRY(rh_group_kernel(host, program, "extraction", self->group, &self->kernel));
  RH_TRY(host->scratch(host, (digits_of(self) + 1) * sizeof(uint32_t), &self->sums));
  if (self->finishes == FINISH_LAUNCH)
    return rh_group_kernel(host, program, "extraction_finish", self->group, &self->finishing);
  return host->scratch(host, sizeof(uint32_t), &self->tickets);
}

/* Setup cannot write to the device.  A launch leaves both as clear as it finds them. */
static rh_status clear(extraction *self) {
  const rh_host *host = self->host;
  uint32_t zero = 0;
  if (self->is_clear) return RH_OK;
  RH_TRY(host->fill(host, self->sums, 0, &zero, sizeof zero, digits_of(self) + 1));
  if (self->tickets) RH_TRY(host->fill(host, self->tickets, 0, &zero, sizeof zero, 1));
  self->is_clear = 1;
  return RH_OK;
}

static rh_status run(void *instance, const rh_run *run) {
  extraction *self = instance;
  const rh_host *host = self->host;
  uint64_t groups = groups_for(self, run->n), items = groups * self->group;
  uint64_t head = (0 - run->first) % self->per_pack;
  if (run->n == 0)
    return host->fill(host, run->result, run->result_index * self->op->value_size,
                      self->op->identity, self->op->value_size, 1);
  RH_TRY(clear(self));
  if (head > run->n) head = run->n;
  uint64_t packs = (run->n - head) / self->per_pack, step = self->loads * items;
#define SHARE                                                                                      \
  RH_BUFFER(run->input), RH_U64((run->first + head) / self->per_pack),                             \
      RH_U32((uint32_t)(packs / step)), RH_U32((uint32_t)(packs % step)), RH_U64(run->first),      \
      RH_U64(run->n), RH_U32((uint32_t)head), RH_U32((uint32_t)(run->n - packs * self->per_pack)), \
      RH_U32(1), RH_LOCAL(self->local_bytes), RH_BUFFER(self->sums)
  if (self->finishes == FINISH_LAST)
    return rh_launch(host, self->kernel, "all", items, self->group, SHARE, RH_BUFFER(self->tickets),
                     RH_BUFFER(run->result), RH_U64(run->result_index));
  RH_TRY(rh_launch(host, self->kernel, "shares", items, self->group, SHARE));
  return rh_launch(host, self->finishing, "finish", self->group, self->group,
                   RH_LOCAL(self->local_bytes), RH_BUFFER(self->sums), RH_BUFFER(run->result),
                   RH_U64(run->result_index));
}

static const rh_strategy strategy = {
    RH_STRATEGY_SIZE,
    .name = "extraction",
    .summary = "exact sums, rounded once: in doubles where exponents allow it, else in bins",
    .about = about,
    .version = "1.0",
    .author = "the redhost authors",
    .license = "MIT",
    .device_kinds = RH_DEVICE_ANY_CL,
    .promises = RH_ROUNDS_ONCE,
    .determinism = RH_BITS_SAME_EVERYWHERE,
    RH_PARAMS(params),
    .query = query,
    .setup = setup,
    .run = run,
    .extension = rh_writes_result_once,
};
RH_PLUGIN(&strategy);
