/* segments: many reductions in one launch. */
#define RH_PLUGIN_MIN_HOST_MINOR 2 /* RH_SERVES_LAYOUTS, RH_OPERANDS_PARAMETERS */
#include "segments.cl.h"
#include <redhost/kit.h>

static const char about[] =
    "Beyond the articles, which reduce one array. Sums by row, by column or between offsets are "
    "many reductions, and a launch for each would take longer than its elements. Here one launch "
    "takes them all. Work-items share a segment, more of them the longer it is: one for a few "
    "elements, a warp for hundreds, and where segments are too few to fill the device, each is cut "
    "into parts, whose values a second launch combines. Neighbouring work-items read neighbouring "
    "elements: of one segment where its elements lie in a row, and of neighbouring segments where "
    "they are columns. Every segment has the canonical order (docs/inside/bits.md) of its elements "
    "alone, and operators that do not commute have their elements in index order.";

enum { GROUP, MEMBERS, TILES };
static const rh_param params[] = {
    [GROUP] = {.key = "group",
               .doc = "work-items in a group; 0: 256, or what the device takes; 16 on a CPU",
               .max = 1024,
               .step = 1,
               .flags = RH_PARAM_POWER_OF_TWO | RH_PARAM_REBUILD},
    [MEMBERS] = {.key = "members",
                 .doc = "work-items that share a segment, or a part of it; 0: by its length",
                 .max = 1024,
                 .step = 1,
                 .flags = RH_PARAM_POWER_OF_TWO | RH_PARAM_REBUILD},
    [TILES] = {.key = "tiles",
               .doc = "tiles in a part; 0: as many as leave work for the whole device",
               .max = 1 << 20,
               .step = 1,
               .flags = RH_PARAM_POWER_OF_TWO},
};

enum {
  ROW_BYTES = 512, /* docs/inside/bits.md */
  ROWS = 4,
  TEAM = 32, /* kernels/prelude/canonical.cl */
  PACK_BYTES = 16,
  CPU_WIDTH = 16,
  CPU_GROUP = 16,
  GPU_GROUP = 256,
  TOGETHER = 4, /* lanes that a work-item takes at once, as in the kernel */
  /* Longer segments by offsets are launched one by one, but not very many of them. */
  LONG_TILES = 128,
  MOST_LONG = 64,
  ITEMS_PER_UNIT = 2048 /* that fill a compute unit of a GPU */
};

/* What is launched: every number that the kernels are built for or called with. */
typedef struct shape {
  uint64_t row, tile;   /* elements */
  uint64_t group;       /* work-items */
  uint32_t members_log; /* 2^members_log work-items share a part */
  uint32_t log;         /* 2^log tiles are a part */
  uint64_t width;       /* elements that a member loads at once, by tiles; 0: by lanes */
  uint64_t parts;       /* of a segment, at most */
  uint64_t least;       /* parts in all that fill the device, of one member */
  int is_alone, is_columns, is_by_offsets, is_in_order, shuffles;
} shape;

typedef struct segments {
  const rh_host *host;
  shape shape;
  uint64_t value_size, local_bytes;
  int64_t asked; /* members; 0: by the length */
  struct _cl_kernel *kernel, *offsets, *join;
  struct _cl_mem *nodes; /* null: a segment is one part */
} segments;

/* ---- How the work is divided ---- */

static int has_shuffles(const rh_problem *problem) {
  return rh_takes_ptx(problem->device);
}

static uint64_t smaller(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

/* As many as have a few lanes each: up to a warp in a row, and of columns as many as keep
 * neighbouring work-items on one stretch of memory. */
static uint32_t members_for(const shape *s, uint64_t n, uint64_t inner) {
  uint64_t lanes = s->is_in_order ? s->tile : s->row, most = TEAM;
  uint64_t log = rh_log2_up(smaller(n, lanes)), few = rh_log2_up(TOGETHER);
  if (s->is_alone) return 0;
  if (s->is_columns) most = inner < TEAM ? s->group >> rh_log2_up(inner) : 1;
  if (most > s->group) most = s->group;
  log = log > few ? log - few : 0;
  return (uint32_t)smaller(log, rh_log2_up(most));
}

static uint64_t tiles_of(const shape *s, uint64_t n) {
  return n ? rh_divide_up(n, s->tile) : 1;
}

/* The longest parts that still are enough for the device. */
static void choose_parts(shape *s, const rh_layout *layout, int64_t tiles) {
  uint64_t most = tiles_of(s, layout->longest), number = layout->segments;
  uint64_t enough = rh_divide_up(s->least, UINT64_C(1) << s->members_log);
  s->log = (uint32_t)rh_log2_up(most);
  if (s->is_by_offsets) number = 1;
  if (tiles) s->log = (uint32_t)rh_log2_up((uint64_t)tiles);
  while (!tiles && s->log > 0 && number * rh_divide_up(most, UINT64_C(1) << s->log) < enough)
    s->log--;
  if (s->width && s->log > rh_log2_up(TEAM)) s->log = (uint32_t)rh_log2_up(TEAM);
  s->parts = rh_divide_up(most, UINT64_C(1) << s->log);
}

/* Whole tiles are loaded where they begin at a vector, but not for an index: in those, a lane does
 * not know its own. */
static int goes_by_tiles(const rh_problem *problem, const shape *s, const rh_layout *layout,
                         int64_t members) {
  uint64_t bytes = layout->length * problem->op->element_size;
  if (members || s->is_columns || s->is_by_offsets || s->is_in_order) return 0;
  if (problem->op->flags & RH_OP_INDEXED) return 0;
  if (s->is_alone) return layout->longest > s->row;
  return layout->longest >= s->tile && (layout->segments == 1 || bytes % PACK_BYTES == 0) &&
         s->group % TEAM == 0;
}

/* Bytes of local memory that a work-item needs. */
static uint64_t local_per_item(const rh_problem *problem, const shape *s) {
  uint64_t size = problem->op->value_size;
  return s->width && !s->is_alone && !s->shuffles ? size * s->width : size;
}

static rh_status plan(const rh_problem *problem, const rh_layout *layout, const int64_t *values,
                      shape *s, rh_answer *answer) {
  const rh_op *op = problem->op;
  const rh_device *device = problem->device;
  int is_cpu = device->kind == RH_DEVICE_CPU;
  *s = (shape){.row = ROW_BYTES / op->element_size,
               .is_columns = layout->kind == RH_LAYOUT_AXIS && layout->inner > 1,
               .is_by_offsets = layout->kind == RH_LAYOUT_OFFSETS,
               .is_in_order = !(op->flags & RH_OP_COMMUTATIVE),
               .is_alone = values[MEMBERS] == 1 || (!values[MEMBERS] && is_cpu)};
  s->tile = ROWS * s->row;
  RH_TRY(rh_fit_group(problem, "group", values[GROUP], is_cpu ? CPU_GROUP : GPU_GROUP,
                      op->value_size, &s->group, answer));
  s->shuffles = has_shuffles(problem) && s->group % TEAM == 0;
  if (goes_by_tiles(problem, s, layout, values[MEMBERS])) {
    s->width = s->is_alone ? CPU_WIDTH : PACK_BYTES / op->element_size;
    if (s->group * local_per_item(problem, s) > device->local_bytes) s->width = 0;
  }
  s->members_log = s->width ? (uint32_t)rh_log2_up(s->is_alone ? 1 : TEAM)
                            : members_for(s, layout->longest, layout->inner);
  if (values[MEMBERS]) s->members_log = (uint32_t)rh_log2_up((uint64_t)values[MEMBERS]);
  if (s->members_log > rh_log2_up(s->group))
    return rh_decline(answer, RH_WHY_PARAM, "members=%lld: a group has %llu work-items",
                      (long long)values[MEMBERS], (unsigned long long)s->group);
  s->least = device->compute_units * (is_cpu ? CPU_GROUP : (uint64_t)ITEMS_PER_UNIT);
  choose_parts(s, layout, values[TILES]);
  answer->score = is_cpu ? 100 : 400;
  answer->launches = s->parts > 1 ? 2 : 1;
  answer->local_bytes = s->group * local_per_item(problem, s);
  answer->scratch_bytes =
      s->parts > 1 ? (s->is_by_offsets ? 1 : layout->segments) * s->parts * op->value_size : 0;
  answer->depth = rh_log2_up(s->tile) + rh_log2_up(tiles_of(s, layout->longest));
  return rh_fit_scratch(problem, answer);
}

/* Rows of one element are one row; all elements are one segment where there is no layout. */
static rh_layout layout_of(const rh_layout *given, uint64_t n) {
  rh_layout layout = {.kind = RH_LAYOUT_AXIS, .segments = 1, .longest = n, .length = n, .inner = 1};
  if (given) layout = *given;
  if (layout.kind == RH_LAYOUT_AXIS && layout.length < 2) layout.inner = 1;
  return layout;
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  rh_layout layout = layout_of(rh_problem_layout(problem), problem->max_n);
  shape unused;
  if (layout.kind != RH_LAYOUT_AXIS && layout.kind != RH_LAYOUT_OFFSETS)
    return rh_decline(answer, RH_WHY_SIZE, "a layout of kind %u is unknown", layout.kind);
  return plan(problem, &layout, values, &unused, answer);
}

/* ---- Setting up ---- */

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  segments *self = host->alloc(host, sizeof *self);
  rh_layout layout = layout_of(rh_problem_layout(problem), problem->max_n);
  struct _cl_program *program;
  rh_answer answer = {0};
  char options[256];
  if (!self) return RH_E_NOMEM;
  *instance = self;
  self->host = host;
  self->value_size = problem->op->value_size;
  self->asked = values[MEMBERS];
  RH_TRY(plan(problem, &layout, values, &self->shape, &answer));
  self->local_bytes = answer.local_bytes;
  const shape *s = &self->shape;
  int used = snprintf(
      options, sizeof options, "-DRH_CANONICAL -DRH_GROUP=%u -DRH_TEAM=%u -DRH_SHUFFLES=%d%s%s%s%s",
      (unsigned)s->group, s->is_alone ? 1 : TEAM, s->shuffles, s->is_alone ? " -DRH_ALONE" : "",
      s->is_columns ? " -DRH_COLUMNS" : "", s->is_by_offsets ? " -DRH_OFFSETS" : "",
      s->is_in_order ? " -DRH_IN_ORDER" : "");
  if (s->width)
    snprintf(options + used, sizeof options - (size_t)used, " -DRH_BY_TILES%s -DRH_WIDTH=%u",
             s->shuffles ? " -DRH_PACKS" : "", (unsigned)s->width);
  RH_TRY(host->build(host, "segments.cl", segments_cl, options, &program));
  RH_TRY(rh_group_kernel(host, program, "segments", s->group, &self->kernel));
  if (s->is_by_offsets)
    RH_TRY(rh_group_kernel(host, program, "segments_by_offsets", s->group, &self->offsets));
  if (s->parts == 1) return RH_OK;
  RH_TRY(rh_group_kernel(host, program, "segments_join", s->group, &self->join));
  return host->scratch(host, answer.scratch_bytes, &self->nodes);
}

/* ---- Running ---- */

/* Segments of one length, from element `first` of the run on. */
static rh_status run_axis(const segments *self, const rh_run *run, const rh_layout *layout,
                          uint64_t first, uint64_t at) {
  const shape *s = &self->shape;
  const rh_host *host = self->host;
  uint64_t number = layout->segments, beside = s->group >> s->members_log;
  uint64_t parts = rh_divide_up(tiles_of(s, layout->length), UINT64_C(1) << s->log);
  uint64_t groups =
      s->width ? rh_divide_up(number * parts, beside) : rh_divide_up(number, beside) * parts;
  struct _cl_mem *to = parts > 1 ? self->nodes : run->result;
  if (number == 0) return RH_OK;
  RH_TRY(rh_launch(host, self->kernel, "segments", groups * s->group, s->group, RH_OPERANDS_OF(run),
                   RH_U64(first), RH_U64(number), RH_U64(layout->length), RH_U64(layout->inner),
                   RH_U64(parts), RH_U32(s->log), RH_U32(s->members_log),
                   RH_LOCAL(self->local_bytes), RH_BUFFER(to), RH_U64(parts > 1 ? 0 : at)));
  if (parts == 1) return RH_OK;
  uint64_t log = smaller(rh_log2_up(parts), rh_log2_up(s->group));
  uint64_t each = UINT64_C(1) << (rh_log2_up(parts) - log);
  uint64_t joining = rh_divide_up(number, s->group >> log) * s->group;
  return rh_launch(host, self->join, "parts", joining, s->group, RH_BUFFER(self->nodes),
                   RH_U64(number), RH_U64(parts), RH_U64(each), RH_U32((uint32_t)log),
                   RH_LOCAL(s->group * self->value_size), RH_BUFFER(run->result), RH_U64(at));
}

static uint64_t longer_than(const rh_layout *layout, uint64_t n) {
  uint64_t count = 0;
  for (uint64_t s = 0; s < layout->segments; s++) count += rh_layout_length(layout, s) > n;
  return count;
}

/* One launch for all but the longest, which are cut into parts. */
static rh_status run_offsets(const segments *self, const rh_run *run, const rh_layout *layout) {
  const shape *s = &self->shape;
  uint64_t most = LONG_TILES * s->tile, number = layout->segments;
  if (number == 0) return RH_OK;
  while (layout->longest > most && longer_than(layout, most) > MOST_LONG) most *= 2;
  uint32_t log = members_for(s, run->n / number, 1);
  if (self->asked) log = s->members_log;
  uint64_t groups = rh_divide_up(number, s->group >> log);
  RH_TRY(rh_launch(self->host, self->offsets, "segments", groups * s->group, s->group,
                   RH_OPERANDS_OF(run), RH_U64(run->first), RH_U64(number),
                   RH_BUFFER(layout->device_starts), RH_BUFFER(layout->device_stops), RH_U64(most),
                   RH_U32(log), RH_LOCAL(self->local_bytes), RH_BUFFER(run->result),
                   RH_U64(run->result_index)));
  for (uint64_t k = 0; layout->longest > most && k < number; k++) {
    uint64_t n = rh_layout_length(layout, k);
    const rh_layout one = {.segments = 1, .length = n, .inner = 1};
    if (n > most)
      RH_TRY(run_axis(self, run, &one, run->first + layout->starts[k], run->result_index + k));
  }
  return RH_OK;
}

static rh_status run(void *instance, const rh_run *run) {
  const segments *self = instance;
  rh_layout layout = layout_of(rh_run_layout(run), run->n);
  if (self->shape.is_by_offsets) return run_offsets(self, run, &layout);
  return run_axis(self, run, &layout, run->first, run->result_index);
}

static const rh_strategy strategy = {
    RH_STRATEGY_SIZE,
    .name = "segments",
    .summary = "rows, columns and segments between offsets, all in one launch",
    .about = about,
    .version = "1.0",
    .author = "the redhost authors",
    .license = "MIT",
    .device_kinds = RH_DEVICE_ANY_CL,
    .promises = RH_KEEPS_ORDER | RH_CANONICAL_ORDER | RH_SERVES_LAYOUTS,
    .determinism = RH_BITS_SAME_EVERYWHERE,
    RH_PARAMS(params),
    .query = query,
    .setup = setup,
    .run = run,
    .extension = rh_serves_any_once,
};
RH_PLUGIN(&strategy);
