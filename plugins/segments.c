/* segments: many reductions in one launch. */
#define RH_PLUGIN_MIN_HOST_MINOR 2 /* RH_SERVES_LAYOUTS, RH_OPERANDS_PARAMETERS */
#include "segments.cl.h"
#include "segments_columns.cl.h"
#include "segments_warps.cl.h"
#include <redhost/kit.h>

#include <stdarg.h>
#include <string.h>

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
  ITEMS_PER_UNIT = 2048, /* that fill a compute unit of a GPU */
  /* By warps */
  MOST_VALUE_BYTES = 24, /* more would take too many registers */
  AT_ONCE = 16,          /* elements that a member loads at once, at most */
  IN_FLIGHT = 8,         /* and at least, where it has rows enough */
  PACKS_AT_ONCE = 4,     /* and of packs */
  OF_PAIR = 2, /* halves in a word, which take the place of packs where sums have an order */
  WORDS_AT_ONCE = 8,
  MOST_WORDS = 4,      /* of a row, for a member that has few */
  LEAST_INNER = 64,    /* columns for groups that share them */
  LEAST_SHARING = 4,   /* members of a column */
  LEAST_BESIDE = 8,    /* packs side by side */
  MOST_OF_GROUP = 288, /* work-items */
  OF_COLUMNS = 4,      /* in a pack, of values that have an order */
  FEW_WARPS = 16,      /* a share of those that fill the device */
  ROWS_AT_ONCE = 4,
  REGISTERS = 16,     /* bytes of the values that a work-item keeps of a tile, of which two fit */
  FEW_ROWS = 16,      /* of a column, all of which a work-item reads at once */
  MORE_ROWS = 128,    /* the same of built-in operators, */
  MORE_BYTES = 512,   /* of so much */
  FEW_BYTES = 256,    /* and of several columns */
  COLUMN_LOG = 3,     /* 2^COLUMN_LOG tiles of a column are a part, at most */
  MOST_PIECES = 8192, /* of a segment between offsets */
  LEAST_OWN = 5,      /* elements of a member, between offsets */
  MOST_OWN = 8,
  LEAST_PACKS = 3, /* or packs */
  MOST_PACKS = 5,
  HEAVY = 16,                  /* times the average: what is longer has most of the elements */
  MOST_BATCH = 4,              /* segments between offsets of a work-item */
  OF_WARP = 4096,              /* elements that make a warp's segments enough */
  LEAST_OF_WARPS = 4,          /* of those that would fill the device: so many run at once */
  ALONE = 2,                   /* 2^ALONE tiles take a warp less than another launch */
  ENTRY_BYTES = 32,            /* of a longer one on the list */
  ROOM_BYTES = 16 * MOST_BATCH /* of local memory, for a work-item */
};

enum { BY_ITEMS, BY_ROWS, BY_PIECES, BY_OFFSETS, BY_COLUMNS };

/* What is launched: every number that the kernels are built for or called with. */
typedef struct shape {
  uint64_t row, tile;   /* elements */
  uint64_t group;       /* work-items */
  uint32_t members_log; /* 2^members_log work-items share a part */
  uint32_t log;         /* 2^log tiles are a part */
  uint64_t width;       /* elements that a member loads at once, by tiles; 0: by lanes */
  uint64_t parts;       /* of a segment, at most */
  uint64_t least;       /* parts in all that fill the device, of one member */
  /* By warps */
  uint32_t way;             /* BY_* */
  uint32_t of_pack;         /* elements of a pack, by which members read; 0: by elements */
  uint32_t each, together;  /* elements of a member; rows or columns that it has in turn */
  uint32_t own, highest;    /* between offsets: elements or packs of a member; RH_HIGHEST */
  uint32_t columns, beside; /* of a work-item; work-items side by side */
  uint32_t at_once;         /* tiles that a warp reads together */
  uint32_t block, share;    /* columns of a group, and work-items that share them; 0: by warps */
  uint32_t threads;         /* work-items of such a group */
  uint32_t alone;           /* 2^alone tiles of a segment are read by one warp, at most */
  uint64_t entries, pieces; /* room for segments that are too long for a warp */
  uint64_t warps;           /* that fill the device */
  int is_alone, is_columns, is_by_offsets, is_in_order, shuffles, is_any_order, is_brief,
      is_anywhere;
  int is_built_in;
} shape;

typedef struct segments {
  const rh_host *host;
  shape shape;
  uint64_t value_size, local_bytes;
  int64_t asked; /* members; 0: by the length */
  struct _cl_kernel *kernel, *offsets, *join;
  struct _cl_kernel *anywhere;    /* of columns that do not begin at a pack */
  struct _cl_mem *nodes;          /* null: a segment is one part */
  struct _cl_mem *counter, *list; /* of long segments */
  int is_listed;                  /* the list is that of the next run, too */
} segments;

/* ---- How the work is divided ---- */

static int has_shuffles(const rh_problem *problem) { return rh_takes_ptx(problem->device); }

static uint64_t smaller(uint64_t a, uint64_t b) { return a < b ? a : b; }

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

static uint64_t tiles_of(const shape *s, uint64_t n) { return n ? rh_divide_up(n, s->tile) : 1; }

/* The longest parts that still are enough for the device; of columns, single tiles only where
 * pairs would be far too few. */
static void choose_parts(shape *s, const rh_layout *layout, int64_t tiles) {
  uint64_t most = tiles_of(s, layout->longest), number = layout->segments;
  uint64_t enough = rh_divide_up(s->least, UINT64_C(1) << s->members_log);
  s->log = (uint32_t)rh_log2_up(most);
  if (s->is_by_offsets && !s->way) number = 1;
  if (s->columns > 1) number /= s->columns;
  if (tiles) s->log = (uint32_t)rh_log2_up((uint64_t)tiles);
  for (; !tiles && s->log > 0; s->log--) {
    int are_pairs = s->way == BY_COLUMNS && s->log == 1;
    if (number * rh_divide_up(most, UINT64_C(1) << s->log) >= enough / (are_pairs ? 4 : 1)) break;
  }
  if (s->way == BY_COLUMNS && s->log > COLUMN_LOG) s->log = COLUMN_LOG;
  if ((s->width || s->way) && s->log > rh_log2_up(TEAM)) s->log = (uint32_t)rh_log2_up(TEAM);
  s->parts = layout->segments ? rh_divide_up(most, UINT64_C(1) << s->log) : 1;
}

static int has_any_order(const rh_op *op) {
  return op->flags & RH_OP_EXACT && op->id < RH_FIRST_USER_OP;
}

static int has_pairs(const rh_problem *problem, const rh_layout *layout) {
  uint32_t op = problem->op->id;
  if (problem->type != RH_TYPE_f16 || (op != RH_OP_sum && op != RH_OP_asum)) return 0;
  return layout->kind != RH_LAYOUT_AXIS ||
         (layout->inner == 1 && layout->length < WORDS_AT_ONCE * TEAM * OF_PAIR);
}

/* Elements of 16 bytes where no order changes the bits.  Rows of 4-byte elements are read as fast
 * one by one, but for an index, and so are the shortest. */
static uint32_t packs_for(const rh_problem *problem, const rh_layout *layout) {
  const rh_op *op = problem->op;
  uint32_t size = op->element_size;
  if (has_pairs(problem, layout)) return OF_PAIR;
  if (!has_any_order(op) || op->id == RH_OP_prod || size > 4) return 0;
  if (layout->kind == RH_LAYOUT_AXIS) {
    int is_indexed = (op->flags & RH_OP_INDEXED) != 0;
    if (layout->inner > 1 || (size == 4 && !is_indexed)) return 0;
    if (layout->length < PACK_BYTES / size && !is_indexed) return 0;
  }
  return PACK_BYTES / size;
}

/* Whole tiles are loaded where they begin at a vector, but not for an index: in those, a lane does
 * not know its own. */
static int goes_by_tiles(const rh_problem *problem, const shape *s, const rh_layout *layout,
                         int64_t members) {
  uint64_t bytes = layout->length * problem->op->element_size;
  if (members || s->is_columns || s->is_by_offsets || s->is_in_order) return 0;
  if (s->shuffles && problem->op->element_size == 1 && packs_for(problem, layout)) return 0;
  if (problem->op->flags & RH_OP_INDEXED) return 0;
  if (s->is_alone) return layout->longest > s->row;
  if (s->shuffles && problem->op->value_size > 8 && layout->length % s->tile != 0) return 0;
  return layout->longest >= s->tile && (layout->segments == 1 || bytes % PACK_BYTES == 0) &&
         s->group % TEAM == 0;
}

/* ---- By warps ---- */

static int goes_by_warps(const rh_problem *problem, const shape *s, int64_t members) {
  const rh_layout *layout = rh_problem_layout(problem);
  return s->shuffles && !members && !s->is_in_order && layout && layout->longest > 0 &&
         problem->op->value_size <= MOST_VALUE_BYTES;
}

/* Packs in which n elements lie, wherever they begin. */
static uint64_t packs_of(const shape *s, uint64_t n) {
  return (n + 2 * s->of_pack - 2) / s->of_pack;
}

static int is_in_pairs(const shape *s) { return s->of_pack == OF_PAIR; }

static uint64_t packs_at_once(const shape *s) {
  return is_in_pairs(s) ? WORDS_AT_ONCE : PACKS_AT_ONCE;
}

/* Elements of a segment that a warp reads at once, `each` or its packs by a member. */
static uint64_t most_at_once(const shape *s, uint64_t each) {
  if (s->of_pack) return (packs_at_once(s) * TEAM - 1) * s->of_pack + 1;
  return smaller(s->tile, each * TEAM);
}

static uint32_t power_of_two_up(uint64_t n) { return UINT32_C(1) << rh_log2_up(n); }

/* Of `least` to `most` elements or packs for a member the number that leaves as few as can be
 * without any, where `count` are shared by a power of two; the largest of those. */
static uint32_t own_for(uint64_t count, uint32_t least, uint32_t most) {
  uint32_t best = most;
  for (uint32_t own = most; own >= least; own--)
    if (own * power_of_two_up(rh_divide_up(count, own)) <
        best * power_of_two_up(rh_divide_up(count, best)))
      best = own;
  return best;
}

/* Four elements for each member, and as many rows as bring enough loads in flight. */
static void plan_rows(shape *s, uint64_t length, uint64_t value_size) {
  uint32_t most = is_in_pairs(s) ? MOST_WORDS : value_size > 8 ? MOST_PACKS : LEAST_PACKS;
  uint64_t packs = s->of_pack ? packs_of(s, length) : 0;
  uint32_t own = own_for(packs, 2, most), members = power_of_two_up(rh_divide_up(packs, own));
  uint64_t in_flight = value_size > 8 ? IN_FLIGHT / 2 : IN_FLIGHT;
  s->way = BY_ROWS;
  s->parts = 1;
  /* Words that stay empty cost more than halves one by one. */
  if (is_in_pairs(s) && 2 * OF_PAIR * own * members >= 3 * length) s->of_pack = 0;
  if (s->of_pack) {
    s->members_log = (uint32_t)smaller(rh_log2_up(members), rh_log2_up(TEAM));
    s->each = (uint32_t)rh_divide_up(packs, UINT64_C(1) << s->members_log);
    s->together = power_of_two_up(rh_divide_up(packs_at_once(s), s->each));
    return;
  }
  s->members_log = (uint32_t)rh_log2_up(length);
  s->members_log = s->members_log > 2 ? (uint32_t)smaller(s->members_log - 2, rh_log2_up(TEAM)) : 0;
  s->each = (uint32_t)rh_divide_up(length, UINT64_C(1) << s->members_log);
  s->together = power_of_two_up(rh_divide_up(in_flight, s->each));
  if (s->members_log == 3 && s->together < 4) s->together = 4; /* the best of them on an H200 */
}

/* As class_of() of the kernel, in which larger ones than that of the longest are left out. */
static uint32_t class_of(const shape *s, uint64_t longest) {
  uint64_t tiny = s->of_pack ? (s->own - 1) * s->of_pack + 1 : s->own, highest = 1;
  uint64_t count = s->of_pack ? packs_of(s, longest) : longest;
  if (longest > most_at_once(s, AT_ONCE)) return 9;
  if (longest > tiny) highest = 1 + rh_log2_up(rh_divide_up(count, s->own));
  return (uint32_t)smaller(highest, 7);
}

/* A warp has segments of OF_WARP elements in all, but each warp has some. */
static void plan_offsets(shape *s, const rh_layout *layout) {
  uint64_t n = layout->elements;
  uint64_t tiles = tiles_of(s, n), average = rh_divide_up(n + 1, layout->segments + 1);
  uint64_t of_warp = OF_WARP * (s->of_pack > 4 ? s->of_pack / 4 : 1);
  uint64_t least_warps = s->warps / LEAST_OF_WARPS;
  int are_alike = layout->longest <= 2 * average;
  s->way = BY_OFFSETS;
  s->parts = 1;
  s->log = 0;
  if (is_in_pairs(s) &&
      (2 * layout->longest > 3 * average || layout->longest > most_at_once(s, AT_ONCE)))
    s->of_pack = 0;
  if (are_alike && layout->longest < (s->of_pack > 4 ? s->of_pack / 2 : s->of_pack)) s->of_pack = 0;
  if (s->of_pack)
    s->own = are_alike ? own_for(packs_of(s, layout->longest), 2, MOST_PACKS) : LEAST_PACKS;
  else s->own = are_alike ? own_for(layout->longest, LEAST_OWN, MOST_OWN) : MOST_OWN;
  s->highest = class_of(s, layout->longest);
  /* Few that are long have most of the elements, which others take. */
  if (layout->longest > HEAVY * average) of_warp *= 8;
  for (s->each = MOST_BATCH * TEAM; s->each > 1; s->each /= 2)
    if (s->each * average <= of_warp && layout->segments >= s->each * least_warps) break;
  while (s->log < rh_log2_up(TEAM) && tiles >> (s->log + 1) >= s->warps) s->log++;
  uint64_t most_alike = s->tile << (s->log + 2);
  /* Halves that a warp does not read at once are read faster by packs. */
  if (s->row == ROW_BYTES / 2 && !s->of_pack) most_alike = most_at_once(s, AT_ONCE);
  if (are_alike && layout->longest > most_alike) {
    s->way = BY_PIECES;
    s->members_log = (uint32_t)rh_log2_up(TEAM);
    choose_parts(s, layout, 0);
    return;
  }
  /* Segments of one length end together, but what is much longer than others would end last. */
  s->alone = are_alike ? s->log + 2 : s->log > 0;
  if (s->alone < ALONE && layout->longest <= s->tile << ALONE) s->alone = ALONE;
  uint64_t most = s->tile << s->alone;
  s->entries = layout->longest > most ? n / most + 1 : 0;
  s->pieces = s->entries ? (tiles >> s->log) + s->entries + 1 : 0;
}

/* Sums of bytes and shorts fit 4 bytes in a part, and so does an index in most columns. */
static int is_brief(const rh_problem *problem, uint64_t length) {
  const rh_op *op = problem->op;
  if (!has_any_order(op) || op->element_size > 4) return 0;
  if (op->flags & RH_OP_INDEXED) return length < UINT32_MAX;
  return op->id == RH_OP_sum && op->element_size < 4;
}

/* Neighbouring columns that fit a load of 16 bytes: of values that cost few registers, and where
 * an element has no formula of its own, which may ask for its index. */
static uint32_t columns_for(const shape *s, const rh_op *op, const rh_layout *layout) {
  int is_narrow = has_any_order(op) && (op->value_size == 4 || s->is_brief);
  uint32_t most = PACK_BYTES / op->element_size;
  if (op->id >= RH_FIRST_USER_OP) return 1;
  if (op->element_size == 1 || op->flags & RH_OP_INDEXED || !is_narrow)
    most = (uint32_t)smaller(most, 4);
  while (layout->inner % most != 0) most /= 2;
  return most;
}

static int is_few(const rh_op *op, const rh_layout *layout) {
  uint64_t bytes = layout->length * op->element_size;
  return layout->length <= FEW_ROWS ||
         (layout->length <= MORE_ROWS && bytes <= MORE_BYTES && op->id < RH_FIRST_USER_OP);
}

/* As many columns as a work-item has registers for all of their elements. */
static void plan_few(shape *s, const rh_op *op, const rh_layout *layout) {
  uint64_t bytes = layout->length * op->element_size;
  s->parts = 1;
  s->each = (uint32_t)layout->length;
  while (s->columns > 1 && s->columns * bytes > FEW_BYTES) s->columns /= 2;
  s->together = power_of_two_up(rh_divide_up(IN_FLIGHT, s->each));
}

/* A load of up to 16 bytes: what was best on an H200. */
static uint32_t columns_of_group(const shape *s, const rh_op *op, uint64_t inner) {
  uint32_t most = PACK_BYTES / op->element_size;
  int is_small = op->element_size == 1 || (op->element_size == 2 && !s->is_any_order);
  if (op->id >= RH_FIRST_USER_OP) return 1;
  if (op->flags & RH_OP_INDEXED || (is_small && inner % OF_COLUMNS == 0))
    most = (uint32_t)smaller(most, OF_COLUMNS);
  else if (op->element_size == 2 && !s->is_any_order) most = 2;
  return most;
}

/* Members of a column, at least: a multiple of a pack's elements. */
static uint32_t sharing_for(const shape *s, const rh_op *op) {
  uint32_t least = LEAST_SHARING;
  if (s->is_anywhere ? (op->flags & RH_OP_INDEXED) != 0 : !s->is_any_order) least *= 2;
  return least < s->columns ? s->columns : least;
}

/* Of as many columns as leave enough groups. */
static void plan_groups(shape *s, const rh_problem *problem, const rh_layout *layout,
                        int64_t tiles) {
  const rh_op *op = problem->op;
  uint64_t enough = 2 * (uint64_t)problem->device->compute_units, groups;
  s->columns = columns_of_group(s, op, layout->inner);
  s->is_anywhere = layout->inner % s->columns != 0;
  if (op->element_size == 1) s->at_once *= 2;
  uint32_t least = sharing_for(s, op), before = s->is_anywhere ? s->columns - 1 : 0;
  uint64_t packs = (s->is_anywhere ? MOST_OF_GROUP : GPU_GROUP) / least;
  while (!s->is_anywhere && packs / 2 * s->columns >= layout->inner) packs /= 2;
  for (;; packs /= 2) {
    uint64_t block = packs * s->columns - before, number = rh_divide_up(layout->inner, block);
    if (s->is_anywhere) block = rh_divide_up(layout->inner, number);
    s->block = (uint32_t)block;
    s->beside = (uint32_t)rh_divide_up(block + before, s->columns);
    s->share = least;
    while (2 * s->share * s->beside <= MOST_OF_GROUP && 4 * s->share <= s->row) s->share *= 2;
    s->members_log = (uint32_t)rh_log2_up(s->share);
    choose_parts(s, layout, tiles);
    groups = layout->segments / layout->inner * number * s->parts;
    if (groups >= enough || packs <= 2 * LEAST_BESIDE || op->id >= RH_FIRST_USER_OP) break;
  }
  s->threads = (uint32_t)rh_divide_up(s->share * s->beside, TEAM) * TEAM;
}

/* Many columns of values that cost few registers: where packs do not divide their number, where
 * tiles are too few for warps alone, and where no order counts.  And values of many registers. */
static int goes_by_groups(const shape *s, const rh_problem *problem, const rh_layout *layout) {
  const rh_op *op = problem->op;
  uint64_t warps =
      rh_divide_up(layout->segments, s->columns * (TEAM / 2)) * tiles_of(s, layout->length);
  if (s->group != GPU_GROUP || layout->inner < LEAST_INNER || is_few(op, layout)) return 0;
  if (op->id >= RH_FIRST_USER_OP) return op->value_size > 16;
  if (op->element_size > 4 || (op->value_size > 8 && !s->is_brief)) return 0;
  return s->is_any_order || op->element_size < 4 || layout->inner % OF_COLUMNS != 0 ||
         warps < s->warps / FEW_WARPS;
}

static void plan_columns(shape *s, const rh_problem *problem, const rh_layout *layout,
                         int64_t tiles) {
  uint64_t packs, width;
  s->way = BY_COLUMNS;
  s->is_brief = is_brief(problem, layout->length);
  s->columns = columns_for(s, problem->op, layout);
  s->at_once = ROWS_AT_ONCE;
  int is_by_groups = goes_by_groups(s, problem, layout);
  if (s->is_any_order && (is_by_groups || s->columns > 1 || s->is_brief)) {
    s->row = smaller(s->row, ROW_BYTES / 4);
    s->tile = ROWS * s->row;
  }
  if (is_by_groups) {
    plan_groups(s, problem, layout, tiles);
    return;
  }
  if (is_few(problem->op, layout)) {
    plan_few(s, problem->op, layout);
    return;
  }
  packs = layout->inner / s->columns;
  width = TEAM / 2;
  if (layout->length <= s->row || (problem->type == RH_TYPE_f64 && !s->is_any_order)) width = TEAM;
  while (width > 1 && width > packs) width /= 2;
  s->beside = (uint32_t)width;
  s->members_log = (uint32_t)rh_log2_up(TEAM / width);
  choose_parts(s, layout, tiles);
}

static void plan_warps(shape *s, const rh_problem *problem, const rh_layout *layout,
                       int64_t tiles) {
  s->warps = problem->device->compute_units * (uint64_t)ITEMS_PER_UNIT / TEAM;
  s->is_any_order = has_any_order(problem->op);
  s->is_built_in = problem->op->id < RH_FIRST_USER_OP;
  s->of_pack = packs_for(problem, layout);
  s->at_once = problem->op->value_size * (s->row / TEAM) <= REGISTERS ? 2 : 1;
  if (s->is_by_offsets) plan_offsets(s, layout);
  else if (s->is_columns) plan_columns(s, problem, layout, tiles);
  else if (layout->length <= most_at_once(s, s->row > ROW_BYTES / 4 ? 2 * AT_ONCE : AT_ONCE))
    plan_rows(s, layout->length, problem->op->value_size);
  else {
    s->way = BY_PIECES;
    s->members_log = (uint32_t)rh_log2_up(TEAM);
    choose_parts(s, layout, tiles);
  }
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
  uint64_t local = op->value_size;
  if (s->is_by_offsets && has_shuffles(problem) && local < ROOM_BYTES) local = ROOM_BYTES;
  RH_TRY(rh_fit_group(problem, "group", values[GROUP], is_cpu ? CPU_GROUP : GPU_GROUP, local,
                      &s->group, answer));
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
  if (!s->width && goes_by_warps(problem, s, values[MEMBERS]))
    plan_warps(s, problem, layout, values[TILES]);
  else choose_parts(s, layout, values[TILES]);
  answer->score = is_cpu ? 100 : 400;
  answer->launches = s->parts > 1 ? 2 : 1;
  answer->local_bytes = s->group * local_per_item(problem, s);
  answer->scratch_bytes = s->parts > 1 ? (s->is_by_offsets && !s->way ? 1 : layout->segments) *
                                             s->parts * op->value_size
                                       : 0;
  if (s->pieces) {
    answer->launches = 4; /* a fill among them */
    answer->scratch_bytes = s->entries * ENTRY_BYTES + s->pieces * op->value_size;
  }
  if (s->way == BY_OFFSETS && answer->local_bytes < s->group * ROOM_BYTES)
    answer->local_bytes = s->group * ROOM_BYTES;
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

enum { OPTIONS = 512 };

__attribute__((format(printf, 2, 3))) static void add(char *options, const char *format, ...) {
  size_t used = strlen(options);
  va_list rest;
  va_start(rest, format);
  vsnprintf(options + used, OPTIONS - used, format, rest);
  va_end(rest);
}

static void add_of_items(char *options, const shape *s) {
  if (s->is_alone) add(options, " -DRH_ALONE");
  if (s->is_columns) add(options, " -DRH_COLUMNS");
  if (s->is_by_offsets) add(options, " -DRH_OFFSETS");
  if (s->is_in_order) add(options, " -DRH_IN_ORDER");
  if (s->width) add(options, " -DRH_BY_TILES -DRH_WIDTH=%u", (unsigned)s->width);
  if (s->width && s->shuffles) add(options, " -DRH_PACKS");
}

static void add_of_columns(char *options, const shape *s, uint64_t longest) {
  add(options, " -DRH_COLUMNS=%u", s->columns);
  if (s->columns > 1) add(options, " -DRH_WIDTH=%u", s->columns);
  if (s->block) add(options, " -DRH_BLOCK=%u -DRH_SHARE=%u", s->block, s->share);
  if (s->is_anywhere) add(options, " -DRH_ANYWHERE");
  if (s->is_any_order) add(options, " -DRH_ANY_ORDER -DRH_AT_ONCE=%u", s->at_once);
  if (s->is_brief) add(options, " -DRH_BRIEF");
  if (s->each) add(options, " -DRH_FEW=%u -DRH_IN_TURN=%u", s->each, s->together);
  add(options, " -DRH_BESIDE=%u -DRH_ROWS=%u", s->beside,
      longest <= s->row       ? 1
      : longest <= 2 * s->row ? 2
                              : 4);
}

static const char *options_of(const shape *s, uint64_t longest, char options[OPTIONS]) {
  snprintf(options, OPTIONS, "-DRH_CANONICAL -DRH_GROUP=%u -DRH_TEAM=%u -DRH_SHUFFLES=%d",
           (unsigned)(s->threads ? s->threads : s->group), s->is_alone ? 1 : TEAM, s->shuffles);
  if (s->way && s->way != BY_COLUMNS && s->is_built_in)
    add(options, " -DRH_PACKS -DRH_WIDTH=%u -DRH_AT_ONCE=%u%s", (unsigned)(s->row / TEAM),
        s->at_once,
        is_in_pairs(s) ? " -DRH_PAIRS"
        : s->of_pack   ? " -DRH_ANY_ORDER"
                       : "");
  if (s->way == BY_PIECES && s->is_by_offsets) add(options, " -DRH_BETWEEN");
  if (s->way == BY_ROWS)
    add(options, " -DRH_MEMBERS=%u -DRH_EACH=%u -DRH_IN_TURN=%u", 1u << s->members_log, s->each,
        s->together);
  if ((s->way == BY_ROWS || s->way == BY_PIECES) && !s->is_by_offsets && !s->is_built_in &&
      s->row <= ROW_BYTES / 4)
    add(options, " -DRH_LENGTH=%lluu", (unsigned long long)longest);
  if (s->way == BY_OFFSETS)
    add(options,
        " -DRH_OFFSETS -DRH_OF_WARP=%u -DRH_BATCH=%u -DRH_OWN=%u -DRH_HIGHEST=%u"
        " -DRH_MOST_PIECES=%d",
        s->each, s->each > TEAM ? s->each / TEAM : 1, s->own, s->highest, MOST_PIECES);
  if (s->way == BY_COLUMNS) add_of_columns(options, s, longest);
  if (s->way == BY_ITEMS) add_of_items(options, s);
  return options;
}

static rh_status build(const segments *self, const char *options, struct _cl_program **program) {
  const rh_host *host = self->host;
  if (self->shape.way == BY_ITEMS)
    return host->build(host, "segments.cl", segments_cl, options, program);
  if (self->shape.way == BY_COLUMNS)
    return host->build(host, "segments_columns.cl", segments_columns_cl, options, program);
  return host->build(host, "segments_warps.cl", segments_warps_cl, options, program);
}

/* What a second launch needs: by offsets, of segments that are too long for a warp. */
static rh_status set_up_parts(segments *self, uint64_t scratch_bytes, struct _cl_program *program) {
  const shape *s = &self->shape;
  const rh_host *host = self->host;
  char options[OPTIONS];
  if (s->pieces) {
    RH_TRY(rh_group_kernel(host, program, "segments_meet", s->group, &self->join));
    RH_TRY(host->scratch(host, sizeof(uint64_t), &self->counter));
    RH_TRY(host->scratch(host, s->entries * ENTRY_BYTES, &self->list));
    return host->scratch(host, s->pieces * self->value_size, &self->nodes);
  }
  if (s->parts == 1) return RH_OK;
  if (s->way) { /* the kernel that joins parts is with the others */
    shape items = *s;
    items.way = BY_ITEMS;
    items.width = items.of_pack = items.threads = 0;
    RH_TRY(host->build(host, "segments.cl", segments_cl, options_of(&items, 0, options), &program));
  }
  RH_TRY(rh_group_kernel(host, program, "segments_join", s->group, &self->join));
  return host->scratch(host, scratch_bytes, &self->nodes);
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  static const char *const kernels[] = {"segments", "segments_rows", "segments_pieces",
                                        "segments_offsets", "segments_columns"};
  segments *self = host->alloc(host, sizeof *self);
  rh_layout layout = layout_of(rh_problem_layout(problem), problem->max_n);
  struct _cl_program *program;
  rh_answer answer = {0};
  char options[OPTIONS];
  if (!self) return RH_E_NOMEM;
  *instance = self;
  self->host = host;
  self->value_size = problem->op->value_size;
  self->asked = values[MEMBERS];
  RH_TRY(plan(problem, &layout, values, &self->shape, &answer));
  self->local_bytes = answer.local_bytes;
  const shape *s = &self->shape;
  RH_TRY(build(self, options_of(s, layout.longest, options), &program));
  if (s->is_by_offsets && s->way != BY_PIECES)
    RH_TRY(rh_group_kernel(host, program, s->way ? kernels[s->way] : "segments_by_offsets",
                           s->group, &self->offsets));
  if (s->way != BY_OFFSETS)
    RH_TRY(rh_group_kernel(host, program, kernels[s->way], s->threads ? s->threads : s->group,
                           &self->kernel));
  if (s->way == BY_COLUMNS && s->columns > 1 && !s->is_anywhere)
    RH_TRY(rh_group_kernel(host, program, "segments_columns_anywhere",
                           s->threads ? s->threads : s->group, &self->anywhere));
  return set_up_parts(self, answer.scratch_bytes, program);
}

/* ---- Running ---- */

static rh_status join_parts(const segments *self, const rh_run *run, uint64_t number,
                            uint64_t parts, uint64_t at) {
  const shape *s = &self->shape;
  uint64_t log = smaller(rh_log2_up(parts), rh_log2_up(s->group));
  uint64_t each = UINT64_C(1) << (rh_log2_up(parts) - log);
  uint64_t joining = rh_divide_up(number, s->group >> log) * s->group;
  return rh_launch(self->host, self->join, "parts", joining, s->group, RH_BUFFER(self->nodes),
                   RH_U64(number), RH_U64(parts), RH_U64(each), RH_U32((uint32_t)log),
                   RH_LOCAL(s->group * self->value_size), RH_BUFFER(run->result), RH_U64(at));
}

/* Segments of one length, from element `first` of the run on. */
static rh_status run_axis(const segments *self, const rh_run *run, const rh_layout *layout,
                          uint64_t first, uint64_t at) {
  const shape *s = &self->shape;
  uint64_t number = layout->segments, beside = s->group >> s->members_log;
  uint64_t parts = rh_divide_up(tiles_of(s, layout->length), UINT64_C(1) << s->log);
  uint64_t groups =
      s->width ? rh_divide_up(number * parts, beside) : rh_divide_up(number, beside) * parts;
  struct _cl_mem *to = parts > 1 ? self->nodes : run->result;
  if (number == 0) return RH_OK;
  RH_TRY(rh_launch(self->host, self->kernel, "segments", groups * s->group, s->group,
                   RH_OPERANDS_OF(run), RH_U64(first), RH_U64(number), RH_U64(layout->length),
                   RH_U64(layout->inner), RH_U64(parts), RH_U32(s->log), RH_U32(s->members_log),
                   RH_LOCAL(self->local_bytes), RH_BUFFER(to), RH_U64(parts > 1 ? 0 : at)));
  return parts > 1 ? join_parts(self, run, number, parts, at) : RH_OK;
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

/* ---- Running, by warps ---- */

static uint64_t groups_of(const shape *s, uint64_t warps) {
  return rh_divide_up(warps, s->group / TEAM) * s->group;
}

static rh_status run_rows(const segments *self, const rh_run *run, const rh_layout *layout) {
  const shape *s = &self->shape;
  uint64_t of_warp = (uint64_t)s->together * TEAM >> s->members_log;
  return rh_launch(
      self->host, self->kernel, "rows", groups_of(s, rh_divide_up(layout->segments, of_warp)),
      s->group, RH_OPERANDS_OF(run), RH_U64(run->first), RH_U64(layout->segments),
      RH_U32((uint32_t)layout->length), RH_BUFFER(run->result), RH_U64(run->result_index));
}

static rh_status run_pieces(const segments *self, const rh_run *run, const rh_layout *layout) {
  const shape *s = &self->shape;
  const rh_host *host = self->host;
  int is_last = s->parts == 1;
  uint64_t items = groups_of(s, layout->segments * s->parts);
  struct _cl_mem *stops = layout->is_back_to_back ? layout->device_starts : layout->device_stops;
  const rh_arg first = RH_U64(run->first), number = RH_U64(layout->segments),
               length = RH_U64(layout->length), parts = RH_U64(s->parts), log = RH_U32(s->log),
               to = RH_BUFFER(is_last ? run->result : self->nodes),
               at = RH_U64(is_last ? run->result_index : 0);
  if (s->is_by_offsets)
    RH_TRY(rh_launch(host, self->kernel, "pieces", items, s->group, RH_OPERANDS_OF(run), first,
                     number, length, parts, log, to, at, RH_BUFFER(layout->device_starts),
                     RH_BUFFER(stops), RH_U32(layout->is_back_to_back)));
  else
    RH_TRY(rh_launch(host, self->kernel, "pieces", items, s->group, RH_OPERANDS_OF(run), first,
                     number, length, parts, log, to, at));
  if (is_last) return RH_OK;
  return join_parts(self, run, layout->segments, s->parts, run->result_index);
}

static rh_status run_columns(const segments *self, const rh_run *run, const rh_layout *layout) {
  const shape *s = &self->shape;
  uint64_t each = s->block ? 1 : s->columns;
  uint64_t packs = layout->inner / each, number = layout->segments / each;
  uint64_t group = s->threads ? s->threads : s->group;
  int is_last = s->parts == 1;
  uint64_t items = groups_of(s, rh_divide_up(number, s->beside ? s->beside : 1) * s->parts);
  if (s->each) items = rh_divide_up(number, s->together * s->group) * s->group;
  if (s->block) items = number / packs * s->parts * rh_divide_up(packs, s->block) * group;
  int begins_at_a_pack = !self->anywhere || run->first % s->columns == 0;
  RH_TRY(rh_launch(self->host, begins_at_a_pack ? self->kernel : self->anywhere, "columns", items,
                   group, RH_OPERANDS_OF(run), RH_U64(run->first), RH_U64(number),
                   RH_U64(layout->length), RH_U64(packs), RH_U64(s->parts), RH_U32(s->log),
                   RH_BUFFER(is_last ? run->result : self->nodes),
                   RH_U64(is_last ? run->result_index : 0)));
  if (is_last) return RH_OK;
  return join_parts(self, run, layout->segments, s->parts, run->result_index);
}

/* `takers` groups for what is on the list, and `others` for all segments. */
static rh_status launch_offsets(const segments *self, const rh_run *run, const rh_layout *layout,
                                uint64_t takers, uint64_t others) {
  const shape *s = &self->shape;
  struct _cl_mem *unused = run->result;
  struct _cl_mem *stops = layout->is_back_to_back ? layout->device_starts : layout->device_stops;
  return rh_launch(self->host, self->offsets, "segments", (takers + others) * s->group, s->group,
                   RH_OPERANDS_OF(run), RH_U64(run->first), RH_U64(layout->segments),
                   RH_BUFFER(layout->device_starts), RH_BUFFER(stops),
                   RH_U32(layout->is_back_to_back), RH_U32(s->log), RH_U32(s->alone),
                   RH_U32((uint32_t)takers), RH_BUFFER(s->pieces ? self->counter : unused),
                   RH_BUFFER(s->pieces ? self->list : unused),
                   RH_BUFFER(s->pieces ? self->nodes : unused), RH_BUFFER(run->result),
                   RH_U64(run->result_index));
}

/* What is too long for a warp goes onto a list, which depends on offsets alone: where these stay,
 * one launch takes the list and all others together, from the second run on. */
static rh_status run_between_offsets(segments *self, const rh_run *run, const rh_layout *layout) {
  static const uint64_t zero;
  const shape *s = &self->shape;
  const rh_host *host = self->host;
  uint64_t takers = groups_of(s, smaller(s->pieces, s->warps)) / s->group;
  uint64_t others = groups_of(s, rh_divide_up(layout->segments, s->each)) / s->group;
  if (s->pieces && !self->is_listed) {
    RH_TRY(host->fill(host, self->counter, 0, &zero, sizeof zero, 1));
    RH_TRY(launch_offsets(self, run, layout, 0, others));
    others = 0;
  }
  RH_TRY(launch_offsets(self, run, layout, takers, others));
  if (!s->pieces) return RH_OK;
  RH_TRY(rh_launch(host, self->join, "parts", groups_of(s, smaller(s->entries * TEAM, s->warps)),
                   s->group, RH_BUFFER(self->counter), RH_BUFFER(self->list),
                   RH_BUFFER(self->nodes), RH_LOCAL(s->group * self->value_size),
                   RH_BUFFER(run->result), RH_U64(run->result_index)));
  self->is_listed = (int)layout->offsets_stay;
  return RH_OK;
}

static rh_status run(void *instance, const rh_run *run) {
  segments *self = instance;
  rh_layout layout = layout_of(rh_run_layout(run), run->n);
  if (layout.segments == 0) return RH_OK;
  switch (self->shape.way) {
  case BY_ROWS: return run_rows(self, run, &layout);
  case BY_PIECES: return run_pieces(self, run, &layout);
  case BY_COLUMNS: return run_columns(self, run, &layout);
  case BY_OFFSETS: return run_between_offsets(self, run, &layout);
  }
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
