/* onepass: one launch, finished by its last group. */
#define RH_PLUGIN_MIN_HOST_MINOR 2 /* RH_CANONICAL_ORDER, RH_OPERANDS_PARAMETERS */
#include "onepass.cl.h"
#include "onepass/canonical.h"
#include "onepass_canonical.cl.h"
#include "onepass_few.cl.h"

static const char about[] =
    "Beyond the articles. One launch reads the input once, with the widest loads: every work-item "
    "loads packs of 16 bytes in a grid stride, several of them in flight, and combines small "
    "elements several to a word. On a CPU, where a group has one work-item, each reads a block of "
    "its own in wider packs. A group reduces by shuffles where the device has them. The group "
    "that arrives last, by a counter of device scope, combines the groups' values in index order "
    "and not in order of arrival, so that every run gives the same bits. Where a device's atomics "
    "do not order memory across work-groups, a second launch does this last step. Sums and "
    "products of floats are computed in the canonical order (docs/inside/bits.md): they have the "
    "same bits with any parameters and on every device. So are all operators that are not built "
    "in. For a few elements a GPU has a kernel of one group. "
    "The idea of one launch is that of the "
    "single-pass reduction in NVIDIA's threadFenceReduction sample (CUDA SDK, 2009).";

enum { GROUP, GROUPS_PER_UNIT, LOADS, SHARE, FINISH, PAGES };
/* All parameters are compile-time constants, or decide others that are. */
#define COMPILED(key_, initial_, min_, max_, doc_)                                                 \
  {                                                                                                \
    .key = key_, .doc = doc_, .min = min_, .max = max_, .initial = initial_, .step = 1,            \
    .flags = RH_PARAM_REBUILD                                                                      \
  }
static const rh_param params[] = {
    [GROUP] = COMPILED("group", 0, 0, 4096,
                       "work-items in a group; 0: 512, or what the device takes; 1 on a CPU"),
    [GROUPS_PER_UNIT] = COMPILED("groups_per_unit", 2, 1, 1024,
                                 "groups per compute unit, if there is work for them"),
    [LOADS] = COMPILED("loads", 4, 1, 16, "packs that a work-item keeps in flight"),
    [SHARE] =
        COMPILED("share", 4, 1, 1 << 20, "packs per work-item before more groups are launched"),
    [FINISH] = {.key = "finish",
                .doc = "which group combines the groups' values: the last to arrive, one that "
                       "waits for the others, or one of a second launch; auto: the last, if the "
                       "device can",
                .choices = "auto|last|wait|launch",
                .max = 3,
                .step = 1,
                .flags = RH_PARAM_REBUILD},
    [PAGES] = COMPILED("pages", 1, 1, 32,
                       "pages of 4 KiB that a work-item of a CPU reads from in turn; the canonical "
                       "order has its own"),
};

enum { FINISH_AUTO, FINISH_LAST, FINISH_WAIT, FINISH_LAUNCH };
static const char *const finish_options[] = {
    "", "-DRH_ARRIVALS -DRH_FINISH_LAST", "-DRH_ARRIVALS -DRH_FINISH_WAIT", "-DRH_FINISH_LAUNCH"};
enum { WARP = 32, MOST_GROUP = 512 };
/* kernels/prelude/packs.cl */
enum { PACK_BYTES = 16, BLOCKS_PACK_BYTES = 64, MOST_PER_PACK = 16 };

typedef struct onepass {
  const rh_host *host;
  struct _cl_kernel *kernel;
  uint64_t group, most_groups, loads, share, pages, per_pack, local_bytes;
  int is_few;     /* there are never more: kernels/onepass_few.cl */
  int is_one_run; /* in the canonical order: whatever n is, so that nothing has to be finished */
  int has_blocks; /* each work-item reads a block of its own */
  int finishes;   /* a FINISH_* other than auto */
  struct _cl_mem *slots, *tickets;
  uint64_t slots_bytes;
  uint32_t epoch;   /* of the last launch; 0: slots and tickets must be cleared */
  rh_finish finish; /* for a second launch */
  /* In the canonical order: */
  int is_canonical;
  onepass_canonical canonical;
  struct _cl_kernel *unaligned; /* for data that do not start at a pack; null: `kernel` */
  struct _cl_kernel *finishing; /* by a second launch */
} onepass;

/* Waiting needs stores that are visible while the writer still runs, by inline PTX, and a second
 * compute unit. */
static int can_finish(const rh_device *device, int how) {
  if (how == FINISH_WAIT) return rh_takes_ptx(device) && device->compute_units > 1;
  return how == FINISH_LAUNCH || rh_takes_ptx(device) || device->features & RH_DEVICE_SCOPE_ATOMICS;
}

static rh_status choose_finish(const rh_device *device, int64_t asked, int *how,
                               rh_answer *answer) {
  *how = asked == FINISH_AUTO ? FINISH_LAST : (int)asked;
  if (asked == FINISH_AUTO && !can_finish(device, *how)) *how = FINISH_LAUNCH;
  if (can_finish(device, *how)) return RH_OK;
  return rh_decline(answer, RH_WHY_PARAM,
                    "finish=%s: the device's work-groups cannot see each other",
                    *how == FINISH_WAIT ? "wait" : "last");
}

/* There are as many groups as there is work for, up to what fills the device: fewer groups mean
 * less waiting at the end. */
static uint64_t groups_for(const onepass *self, uint64_t n) {
  uint64_t groups = rh_divide_up(n, self->per_pack * self->group * self->share);
  return groups == 0 ? 1 : groups < self->most_groups ? groups : self->most_groups;
}

/* A group's local memory: values, and is_last. */
static rh_status fit_local(const rh_device *device, onepass *self, uint64_t bytes,
                           rh_answer *answer) {
  self->local_bytes = answer->local_bytes = bytes + sizeof(uint32_t);
  if (self->local_bytes <= device->local_bytes) return RH_OK;
  return rh_decline(answer, RH_WHY_PARAM,
                    "group=%llu needs %llu B of local memory, the device has %llu",
                    (unsigned long long)self->group, (unsigned long long)self->local_bytes,
                    (unsigned long long)device->local_bytes);
}

static rh_status plan_free(const rh_problem *problem, const int64_t *values, onepass *self,
                           rh_answer *answer) {
  const rh_device *device = problem->device;
  uint32_t value_size = problem->op->value_size;
  RH_TRY(fit_local(device, self, self->group * value_size, answer));
  self->most_groups = device->compute_units * (uint64_t)values[GROUPS_PER_UNIT];
  self->most_groups = groups_for(self, problem->max_n);
  if (self->most_groups * self->group > UINT32_MAX / self->loads)
    return rh_decline(answer, RH_WHY_PARAM,
                      "groups_per_unit=%lld: all work-items together must have fewer than 2^32 "
                      "loads in flight",
                      (long long)values[GROUPS_PER_UNIT]);
  uint64_t packs = rh_divide_up(problem->max_n, self->per_pack * self->most_groups * self->group);
  if (packs >= UINT32_MAX)
    return rh_decline(answer, RH_WHY_PARAM,
                      "groups_per_unit=%lld: each work-item must take fewer than 2^32 packs of 16 "
                      "bytes",
                      (long long)values[GROUPS_PER_UNIT]);
  /* Packs; the elements of a pack; at most two rounds of elements outside packs; the tree. */
  answer->depth = packs + self->per_pack + 2 * self->per_pack + rh_group_depth(device, self->group);
  self->slots_bytes = self->most_groups * 2 * value_size;
  if (self->finishes == FINISH_LAUNCH) {
    rh_finish_query(answer, problem, self->most_groups, 1);
    return RH_OK;
  }
  /* The values that each work-item of the last group collects, after its own; and the tree
   * again. */
  answer->depth +=
      1 + rh_divide_up(self->most_groups, self->group) + rh_group_depth(device, self->group);
  answer->scratch_bytes = self->slots_bytes + sizeof(uint32_t);
  return RH_OK;
}

static rh_status plan_canonical(const rh_problem *problem, const int64_t *values, onepass *self,
                                rh_answer *answer) {
  const rh_device *device = problem->device;
  uint64_t groups = device->compute_units * (uint64_t)values[GROUPS_PER_UNIT];
  self->canonical = onepass_canonical_plan(problem, self->group, self->share, groups);
  RH_TRY(fit_local(device, self, self->canonical.scratch * problem->op->value_size, answer));
  self->most_groups = onepass_most_runs(&self->canonical, problem->max_n);
  self->is_one_run = rh_divide_up(problem->max_n, self->canonical.tile) <= self->canonical.teams;
  self->slots_bytes = (self->most_groups + self->canonical.at_once) * 2 * problem->op->value_size;
  answer->depth = onepass_canonical_depth(&self->canonical, problem->max_n);
  if (self->is_one_run) return RH_OK;
  answer->scratch_bytes = self->slots_bytes + sizeof(uint32_t);
  if (self->finishes == FINISH_LAUNCH) answer->launches = 2;
  return rh_fit_scratch(problem, answer);
}

/* How kernels/onepass_few.cl takes up to max_n elements: `each` lanes of each of `rows`. */
typedef struct few {
  uint64_t group, rows, each;
} few;

/* Few are, in the canonical order, what a warp takes by four lanes of a row, or four warps by two
 * of the only one; else two for each work-item of the largest group.  The identity of
 * docs/inside/bits.md may change a value's bits where the operator is not built in. */
static int takes_few(const rh_problem *problem, int is_canonical, few *shape) {
  enum { MOST_EACH = 4, MOST_FEW_GROUP = 1024 };
  uint64_t row = onepass_tile(problem->op) / ONEPASS_ROWS, n = problem->max_n, values;
  *shape = (few){.group = WARP, .rows = is_canonical && n > row ? ONEPASS_ROWS : 1};
  uint64_t lanes = shape->rows > 1 ? row : n, halves = MOST_FEW_GROUP;
  if (lanes < 2 * halves) halves = rh_divide_up(lanes, 2);
  if (!is_canonical && lanes > MOST_EACH * WARP && rh_takes_ptx(problem->device))
    shape->group = 1u << rh_log2_up(halves);
  if (is_canonical && lanes > MOST_EACH * WARP && shape->rows == 1) shape->group = MOST_EACH * WARP;
  uint64_t each = lanes > shape->group ? rh_divide_up(lanes, shape->group) : 1;
  shape->each = UINT64_C(1) << rh_log2_up(each);
  return n <= shape->rows * lanes && shape->each <= (shape->group > WARP ? 2 : MOST_EACH) &&
         shape->group <= problem->device->max_group && problem->op->id < RH_FIRST_USER_OP &&
         onepass_canonical_team(problem, &values) > 1;
}

static rh_status plan_few(const rh_problem *problem, const few *shape, onepass *self,
                          rh_answer *answer) {
  self->group = shape->group;
  RH_TRY(fit_local(problem->device, self, self->group * problem->op->value_size, answer));
  answer->depth = rh_log2_up(shape->rows * shape->each * shape->group);
  return RH_OK;
}

static uint64_t elements_per_pack(const rh_problem *problem, int has_blocks) {
  uint64_t bytes = has_blocks ? BLOCKS_PACK_BYTES : PACK_BYTES;
  uint64_t elements = bytes / problem->op->element_size;
  return elements < MOST_PER_PACK ? elements : MOST_PER_PACK;
}

/* Work-items of a group, where none are asked for: as many teams as there are tiles, up to what
 * fills a compute unit. */
static uint64_t preferred_group(const rh_problem *problem, int is_canonical,
                                uint64_t *values_per_item) {
  uint64_t most = problem->device->kind == RH_DEVICE_CPU ? 1 : MOST_GROUP, group;
  *values_per_item = 1;
  if (!is_canonical) return most;
  group = onepass_canonical_team(problem, values_per_item);
  for (uint64_t tile = onepass_tile(problem->op), n = tile; n < problem->max_n && group < most;
       n *= 2)
    group *= 2;
  return group;
}

/* The launch's shape and costs, for query and setup alike. */
static rh_status plan(const rh_problem *problem, const int64_t *values, onepass *self,
                      rh_answer *answer) {
  const rh_device *device = problem->device;
  uint64_t values_per_item;
  few shape;
  self->is_canonical = onepass_is_canonical(problem->op);
  self->is_one_run = 0;
  uint64_t preferred = preferred_group(problem, self->is_canonical, &values_per_item);
  uint64_t item_bytes = values_per_item * problem->op->value_size;
  RH_TRY(
      rh_fit_group(problem, "group", values[GROUP], preferred, item_bytes, &self->group, answer));
  /* is_last needs room too */
  if (!values[GROUP] && self->group > 1 &&
      self->group * item_bytes + sizeof(uint32_t) > device->local_bytes)
    self->group /= 2;
  self->has_blocks = device->kind == RH_DEVICE_CPU && self->group == 1;
  self->per_pack = elements_per_pack(problem, self->has_blocks);
  self->loads = (uint64_t)values[LOADS];
  self->share = (uint64_t)values[SHARE];
  self->pages = (uint64_t)values[PAGES];
  RH_TRY(choose_finish(device, values[FINISH], &self->finishes, answer));
  answer->score = device->kind == RH_DEVICE_CPU ? 450 : 900;
  answer->launches = 1;
  self->is_few = takes_few(problem, self->is_canonical, &shape);
  if (self->is_few) return plan_few(problem, &shape, self, answer);
  if (self->is_canonical) return plan_canonical(problem, values, self, answer);
  return plan_free(problem, values, self, answer);
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  onepass shape;
  return plan(problem, values, &shape, answer);
}

/* The number of groups' values that a work-item loads at once, at most 4. */
static uint64_t at_once(const onepass *self) {
  uint64_t each = rh_divide_up(self->most_groups, self->group);
  return each < 4 ? each : 4;
}

static rh_status setup_free(onepass *self, const rh_problem *problem, char *options, size_t size) {
  const rh_host *host = self->host;
  struct _cl_program *program;
  size_t used = strlen(options);
  snprintf(options + used, size - used,
           " -DRH_FINISH -DRH_PACKS -DRH_WIDTH=%llu -DRH_UNROLL=%llu -DRH_AT_ONCE=%llu",
           (unsigned long long)self->per_pack, (unsigned long long)self->loads,
           (unsigned long long)at_once(self));
  used = strlen(options);
  if (self->has_blocks)
    snprintf(options + used, size - used, " -DRH_BLOCKS -DRH_RANKS -DRH_PAGES=%llu",
             (unsigned long long)self->pages);
  RH_TRY(host->build(host, "onepass.cl", onepass_cl, options, &program));
  RH_TRY(rh_group_kernel(host, program, "onepass", self->group, &self->kernel));
  if (self->finishes != FINISH_LAUNCH) return RH_OK;
  return rh_finish_setup(&self->finish, host, problem, program, self->most_groups, 1);
}

static rh_status setup_canonical(onepass *self, char *options, size_t size) {
  const rh_host *host = self->host;
  struct _cl_program *program;
  onepass_canonical_options(&self->canonical, options, size);
  RH_TRY(host->build(host, "onepass_canonical.cl", onepass_canonical_cl, options, &program));
  RH_TRY(rh_group_kernel(host, program, "onepass", self->group, &self->kernel));
  if (self->canonical.team > 1)
    RH_TRY(rh_group_kernel(host, program, "onepass_unaligned", self->group, &self->unaligned));
  if (self->is_one_run || self->finishes != FINISH_LAUNCH) return RH_OK;
  RH_TRY(host->scratch(host, self->slots_bytes, &self->slots));
  return rh_group_kernel(host, program, "onepass_finish", self->group, &self->finishing);
}

static rh_status setup_few(onepass *self, const rh_problem *problem, char *options, size_t size) {
  const rh_host *host = self->host;
  struct _cl_program *program;
  few shape;
  takes_few(problem, self->is_canonical, &shape);
  size_t used = strlen(options);
  snprintf(options + used, size - used, " -DRH_GROUP=%u -DRH_ROWS=%u -DRH_EACH=%u%s",
           (unsigned)shape.group, (unsigned)shape.rows, (unsigned)shape.each,
           self->is_canonical ? " -DRH_IN_ORDER" : "");
  RH_TRY(host->build(host, "onepass_few.cl", onepass_few_cl, options, &program));
  return rh_group_kernel(host, program, "onepass_few", self->group, &self->kernel);
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  onepass *self = host->alloc(host, sizeof *self);
  rh_answer answer = {0};
  char options[320];
  if (!self) return RH_E_NOMEM;
  *instance = self;
  self->host = host;
  RH_TRY(plan(problem, values, self, &answer));
  snprintf(options, sizeof options, "%s -DRH_SHUFFLES=%d",
           problem->device->features & (RH_DEVICE_SCOPE_ATOMICS | RH_SUBGROUPS)
               ? rh_newest_language(problem->device)
               : "",
           rh_has_shuffles(problem->device));
  if (self->is_few) return setup_few(self, problem, options, sizeof options);
  size_t used = strlen(options);
  snprintf(options + used, sizeof options - used, " -DRH_GROUP=%llu %s",
           (unsigned long long)self->group,
           self->is_one_run ? "-DRH_ONE_RUN" : finish_options[self->finishes]);
  RH_TRY(self->is_canonical ? setup_canonical(self, options, sizeof options)
                            : setup_free(self, problem, options, sizeof options));
  if (self->is_one_run || self->finishes == FINISH_LAUNCH) return RH_OK;
  RH_TRY(host->scratch(host, self->slots_bytes, &self->slots));
  return host->scratch(host, sizeof(uint32_t), &self->tickets);
}

/* Setup cannot write to the device, so the first run clears slots and tickets, and so does one run
 * in 2^32, before an epoch repeats. */
static rh_status next_epoch(onepass *self) {
  const rh_host *host = self->host;
  uint32_t zero = 0;
  if (++self->epoch > 1) return RH_OK;
  self->epoch = 0; /* until both are clear */
  RH_TRY(host->fill(host, self->slots, 0, &zero, sizeof zero, self->slots_bytes / sizeof zero));
  RH_TRY(host->fill(host, self->tickets, 0, &zero, sizeof zero, 1));
  self->epoch = 1;
  return RH_OK;
}

/* The kernel's first arguments; see kernels/onepass.cl. */
typedef struct share {
  uint64_t pack;
  uint32_t steps, rest, head, outside;
} share;

/* Every buffer is aligned to more than a pack: sub-buffers by CL_DEVICE_MEM_BASE_ADDR_ALIGN, which
 * is at least 128 bytes, and the caller's memory by the rule in redhost.h. */
static share share_of(const onepass *self, const rh_run *run, uint64_t groups) {
  uint64_t head = (0 - run->first) % self->per_pack;
  if (head > run->n) head = run->n;
  uint64_t packs = (run->n - head) / self->per_pack;
  uint64_t step = self->loads * groups * self->group;
  return (share){
      .pack = (run->first + head) / self->per_pack,
      .steps = (uint32_t)(packs / step),
      .rest = (uint32_t)(packs % step),
      .head = (uint32_t)head,
      .outside = (uint32_t)(run->n - packs * self->per_pack),
  };
}

#define SHARE(run, s)                                                                              \
  RH_BUFFER((run)->input), RH_U64((s).pack), RH_U32((s).steps), RH_U32((s).rest),                  \
      RH_U64((run)->first), RH_U64((run)->n), RH_U32((s).head), RH_U32((s).outside)

static rh_status run_free(onepass *self, const rh_run *run) {
  const rh_host *host = self->host;
  uint64_t groups = groups_for(self, run->n), items = groups * self->group;
  share s = share_of(self, run, groups);
  if (self->finishes != FINISH_LAUNCH)
    return rh_launch(host, self->kernel, "all", items, self->group, SHARE(run, s),
                     RH_LOCAL(self->local_bytes), RH_BUFFER(self->slots), RH_BUFFER(self->tickets),
                     RH_U32(self->epoch), RH_BUFFER(run->result), RH_U64(run->result_index));
  RH_TRY(rh_launch(host, self->kernel, "shares", items, self->group, SHARE(run, s),
                   RH_LOCAL(self->local_bytes), RH_BUFFER(self->finish.partials)));
  self->finish.count = groups;
  return rh_finish_run(&self->finish, run);
}

#define DATA(run, r)                                                                               \
  RH_OPERANDS_OF(run), RH_U64((run)->first), RH_U64((run)->n), RH_U32((r).whole),                  \
      RH_U32((r).tiles), RH_U32((r).runs), RH_U32((r).share), RH_U32((r).log)

/* In each operand? */
static int starts_at_a_vector(const rh_run *run, uint64_t width) {
  if (run->n_operands == 0) return run->first % width == 0;
  for (uint32_t k = 0; k < run->n_operands; k++)
    if (run->operand_first[k] % width != 0) return 0;
  return 1;
}

static rh_status run_canonical(onepass *self, const rh_run *run) {
  const rh_host *host = self->host;
  onepass_runs r = onepass_runs_of(&self->canonical, run->n);
  int is_aligned = starts_at_a_vector(run, self->canonical.width);
  struct _cl_kernel *kernel = is_aligned || !self->unaligned ? self->kernel : self->unaligned;
  uint64_t items = r.groups * self->group;
  if (self->is_one_run)
    return rh_launch(host, kernel, "all", items, self->group, RH_OPERANDS_OF(run),
                     RH_U64(run->first), RH_U32((uint32_t)run->n), RH_LOCAL(self->local_bytes),
                     RH_BUFFER(run->result), RH_U64(run->result_index));
  if (self->finishes != FINISH_LAUNCH)
    return rh_launch(host, kernel, "all", items, self->group, DATA(run, r), RH_U32(r.each),
                     RH_LOCAL(self->local_bytes), RH_BUFFER(self->slots), RH_BUFFER(self->tickets),
                     RH_U32(self->epoch), RH_BUFFER(run->result), RH_U64(run->result_index));
  RH_TRY(rh_launch(host, kernel, "runs", items, self->group, DATA(run, r),
                   RH_LOCAL(self->local_bytes), RH_BUFFER(self->slots)));
  return rh_launch(host, self->finishing, "finish", self->group, self->group,
                   RH_BUFFER(self->slots), RH_U32(r.runs), RH_U32(r.each),
                   RH_LOCAL(self->local_bytes), RH_BUFFER(run->result), RH_U64(run->result_index));
}

static rh_status run_few(onepass *self, const rh_run *run) {
  return rh_launch(self->host, self->kernel, "all", self->group, self->group, RH_BUFFER(run->input),
                   RH_U64(run->first), RH_U32((uint32_t)run->n), RH_LOCAL(self->local_bytes),
                   RH_BUFFER(run->result), RH_U64(run->result_index));
}

static rh_status run(void *instance, const rh_run *run) {
  onepass *self = instance;
  if (self->is_few) return run_few(self, run);
  if (self->slots && self->tickets) RH_TRY(next_epoch(self));
  return self->is_canonical ? run_canonical(self, run) : run_free(self, run);
}

static const rh_strategy strategy = {
    RH_STRATEGY_SIZE,
    .name = "onepass",
    .summary = "one launch of wide loads, finished by its last group",
    .about = about,
    .version = "1.0",
    .author = "the redhost authors",
    .license = "MIT",
    .device_kinds = RH_DEVICE_ANY_CL,
    .promises = RH_CANONICAL_ORDER,
    .determinism = RH_BITS_SAME_EVERYWHERE,
    RH_PARAMS(params),
    .query = query,
    .setup = setup,
    .run = run,
    .extension = rh_serves_any_once,
};
RH_PLUGIN(&strategy);
