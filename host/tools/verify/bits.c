/* V50, V52, V65: in which order a strategy combines the elements. */
#include "internal.h"

#include <redhost/canonical.h>

/* ---- Operators that show it ---- */

enum {
  GROUPED, /* practically no other tree gives the same value */
  SIDED,   /* the same, and combine(a, b) differs from combine(b, a) */
  DEPTH,   /* 1 and the number of combinations that the deepest element went through */
  ROUNDED  /* a served operator that rounds */
};

/* A value is a 32-bit word, and 0 the identity, with which combining does not count, because adding
 * the identity does not round.  An element's highest bit makes loading it slow, and is not part of
 * its value.  kernels/prelude/operators.cl has the device's version. */
static const uint32_t identity = 0, slow = 0x80000000u, mixer = 0x2c1b3c6du;
enum { SPIN = 20000 }; /* as in operators.cl */

static void load(void *value, const void *input, uint64_t index) {
  uint32_t element = ((const uint32_t *)input)[index];
  if (element & slow)
    for (volatile uint32_t k = 0; k < SPIN;) k = k + 1;
  *(uint32_t *)value = element & ~slow;
}

/* Combines b, which is not the identity, into *a, and folds elements. */
#define OPERATOR(name, combined)                                                                   \
  static void name(void *accumulator, const void *value) {                                         \
    uint32_t *to = accumulator, a = *to, b = *(const uint32_t *)value;                             \
    *to = a == 0 ? b : b == 0 ? a : (combined);                                                    \
  }                                                                                                \
  static void fold_##name(void *accumulator, const void *input, uint64_t first, uint64_t n) {      \
    for (uint64_t k = first; k < first + n; k++) {                                                 \
      uint32_t value;                                                                              \
      load(&value, input, k);                                                                      \
      name(accumulator, &value);                                                                   \
    }                                                                                              \
  }
OPERATOR(grouping, ((a + b) * mixer) ^ (a * b))
OPERATOR(order, ((3 * a + b) * mixer) ^ (a * b))
OPERATOR(depth, (a > b ? a : b) + 1)

static const struct {
  const char *name; /* in the prelude */
  void (*combine)(void *, const void *);
  void (*fold)(void *, const void *, uint64_t, uint64_t);
} trees[] = {
    [GROUPED] = {"grouping", grouping, fold_grouping},
    [SIDED] = {"order", order, fold_order},
    [DEPTH] = {"depth", depth, fold_depth},
};

/* An operator, and how an instance is set up for it: all null, 0 or "": as usual. */
typedef struct subject {
  int kind;
  rh_pair pair; /* of ROUNDED */
  uint64_t n;
  int briefly; /* compare runs only: our own operator covers the rest better */
  const int64_t *params;
  const rh_device *device; /* as described */
  uint64_t first, more;    /* the start of the range; additional elements announced to setup */
  uint64_t round;          /* the first one */
  const char *where;       /* what is not as before, but for parameters: ": 126976 elements on" */
} subject;

/* RH_DECLINED if the strategy does not take user-defined operators.  Declared as a commutative,
 * inexact operator on u32, like a sum of floats. */
static rh_status open_rig(rh_rig *rig, rh_trial *trial, const subject *s) {
  rh_rig_with with = {.params = s->params, .device = s->device};
  const uint64_t most = s->n + s->more;
  if (s->kind == ROUNDED) return rh_rig_open(rig, trial, s->pair, most, &with);
  RH_FREED(char) prelude = rh_op_prelude(trees[s->kind].name, RH_TYPE_u32);
  const rh_op row = {.struct_size = sizeof(rh_op),
                     .id = 0x10001 + (uint32_t)s->kind,
                     .flags = RH_OP_COMMUTATIVE,
                     .element_size = sizeof(uint32_t),
                     .value_size = sizeof(uint32_t),
                     .name = trees[s->kind].name,
                     .prelude = prelude,
                     .identity = &identity,
                     .load = load,
                     .combine = trees[s->kind].combine,
                     .fold = trees[s->kind].fold};
  with.row = &row;
  return rh_rig_open(rig, trial, (rh_pair){RH_OP_or, RH_TYPE_u32}, most, &with);
}

/* Our own operator's elements always have the same values, but each `round` makes others slow to
 * load, so that groups of work-items finish in another order. */
static rh_status fill(rh_rig *rig, const subject *s, uint64_t round) {
  if (s->kind == ROUNDED && rig->n == s->n) return RH_OK; /* filled in the first round */
  const char *kind = s->kind == ROUNDED ? "loguniform" : "zeros";
  RH_TRY(rh_rig_fill(rig, kind, rig->trial->seed, s->n, s->first));
  if (s->kind == ROUNDED) return RH_OK;
  uint32_t *elements = (uint32_t *)(void *)rig->place->memory + s->first;
  uint64_t state = round;
  for (uint64_t k = 0; k < s->n; k++)
    elements[k] = s->kind == DEPTH ? 1 : (uint32_t)rh_random_mix(k + 1) & ~slow;
  for (uint64_t k = rh_random_next(&state) % 16; round && s->n && k < 16; k++)
    elements[rh_random_next(&state) % s->n] |= slow;
  return rh_fixture_write(rig->place, rig->error);
}

/* ---- V52: no element exceeds the declared depth, with every parameter ---- */

/* The operator counts combinations, as the error bound does.  Rounding errors could only estimate
 * the depth; a counter is exact. */
static rh_status measure(rh_trial *trial, uint64_t n, uint32_t point, const rh_device *device,
                         const char *how, double *run_s) {
  int64_t params[RH_MAX_PARAMS];
  const subject s = {.kind = DEPTH, .n = n, .params = params, .device = device};
  uint32_t deepest = 0;
  RH_FINISHED(rh_rig) rig;
  RH_FINISHED(rh_text) where = {0};
  rh_point(trial, point, params);
  rh_status status = open_rig(&rig, trial, &s);
  if (status == RH_OK) status = fill(&rig, &s, 0);
  double start = rh_now();
  if (status == RH_OK) status = rh_rig_run(&rig);
  *run_s = rh_now() - start;
  memcpy(&deepest, rig.value, sizeof deepest);
  deepest -= deepest > 0;
  uint64_t declared = rig.answer.depth;
  /* A strategy may decline some parameters or devices and accept others. */
  if (device || point) status = device ? RH_OK : rh_unless_declined(status);
  if (status != RH_OK || !declared || deepest <= declared) return status;
  rh_point_words(trial->strategy, params, &where);
  return rh_trial_fail(
      trial, "n = %llu%s%s: an element passes through %u combinations, but query declared %llu",
      (unsigned long long)n, rh_text_get(&where), how, deepest, (unsigned long long)declared);
}

/* Under contention for one address, time grows faster than the number of elements. */
#define MOST_RUN_S 0.2

RH_TEST(52, "no element exceeds the declared depth", RH_RUN_TEST(4, 0.4)) {
  static const uint64_t at[] = {1, 2, 3, 33, 257, 1003, 4097, 65537, 1000003, 1u << 22};
  static const uint64_t at_points[] = {20011, 1003, 3, 300007};
  enum { N = RH_COUNT(at) };
  uint32_t points = rh_n_points(trial->strategy, trial->quick ? 0 : 15);
  double run_s = 0;
  rh_device device;
  char how[160], where[200];
  for (size_t k = 0; k < N - (trial->quick ? 1 : 0); k++) {
    if (at[k] > 65537 && run_s > MOST_RUN_S) break;
    RH_TRY(measure(trial, at[k], 0, NULL, "", &run_s));
  }
  for (uint32_t k = 1; k < points; k++)
    for (size_t j = 0; j < (trial->quick ? 1u : 4u); j++)
      RH_TRY(measure(trial, at_points[j], k, NULL, "", &run_s));
  for (uint32_t k = 0; rh_other_device(trial->device, k, &device, how); k++) {
    if (trial->quick && k % 7 != 0) continue; /* one of each kind */
    snprintf(where, sizeof where, " on a device with %s", how);
    RH_TRY(measure(trial, 20011, 0, &device, where, &run_s));
  }
  return RH_OK;
}

/* ---- V50: the same bits from run to run, for all parameters, on every device, as promised ---- */

enum { TELLING_N = 100003 };

/* The first result, which all later ones must equal. */
typedef struct bits {
  _Alignas(16) unsigned char first[16];
  int known, differ;
} bits;

static rh_status repeat(rh_trial *trial, const subject *s, uint64_t times, bits *b) {
  RH_FINISHED(rh_rig) rig;
  RH_TRY(open_rig(&rig, trial, s));
  for (uint64_t k = 0; k < times && !b->differ; k++) {
    RH_TRY(fill(&rig, s, s->round + k));
    RH_TRY(rh_rig_run(&rig));
    if (!b->known) memcpy(b->first, rig.value, 16);
    b->known = 1;
    b->differ = !rh_rig_gave(&rig, b->first);
  }
  return RH_OK;
}

/* A verdict on them.  Elsewhere than by default, a strategy may decline, and promises nothing then;
 * and a plan made for another device may not work here, which proves nothing.  `promise`: "from run
 * to run". */
static rh_status try(rh_trial *trial, const subject *s, uint64_t times, bits *b,
                     const char *promise) {
  char what[96] = "an operator of a user's own";
  RH_FINISHED(rh_text) with = {0};
  rh_status status = repeat(trial, s, times, b);
  if (!b->differ) return s->device ? RH_OK : rh_unless_declined(status);
  if (s->kind == ROUNDED)
    snprintf(what, sizeof what, "%s of %s", rh_op_name(s->pair.op), rh_type_name(s->pair.type));
  if (s->params) rh_point_words(trial->strategy, s->params, &with);
  return rh_trial_fail(trial, "promises the same bits %s, but %s over %llu elements varies%s%s%s",
                       promise, what, (unsigned long long)s->n, with.length ? " with" : "",
                       rh_text_get(&with), s->where ? s->where : "");
}

/* ---- From run to run ---- */

enum { LIVES = 2, RUNS = 25, RUNS_BRIEFLY = 5, RUNS_AT_POINTS = 6, RUNS_AT_POINTS_QUICK = 3 };
static const char from_run[] = "from run to run";

/* The default parameters on two instances, while other threads keep the machine busy.  Then the
 * bounds of the parameters and some random points. */
static rh_status same_run(rh_trial *trial, subject s) {
  int64_t params[RH_MAX_PARAMS];
  bits b = {0};
  rh_status status = RH_OK;
  uint64_t runs = s.briefly ? RUNS_BRIEFLY : RUNS;
  rh_load_start();
  for (; s.round < LIVES * runs && status == RH_OK; s.round += runs)
    status = try(trial, &s, runs, &b, from_run);
  rh_load_stop();
  RH_TRY(status);
  uint32_t points = rh_n_points(trial->strategy, trial->quick ? 0 : 10);
  int is_telling = !trial->quick || (s.kind != ROUNDED && s.n == TELLING_N);
  if (!is_telling) return RH_OK;
  s.params = params;
  s.round = 0;
  for (uint32_t k = 1; k < points; k++) {
    b = (bits){0};
    rh_point(trial, k, params);
    RH_TRY(try(trial, &s, trial->quick ? RUNS_AT_POINTS_QUICK : RUNS_AT_POINTS, &b, from_run));
  }
  return RH_OK;
}

/* Reduces the same elements with a setup for more, and at another offset.  FAR sets every bit above
 * those of the alignment. */
static rh_status same_elsewhere(rh_trial *trial, subject s) {
  enum { FAR = (1 << 17) - (1 << 12) };
  bits b = {0};
  RH_TRY(try(trial, &s, 1, &b, "for the same elements"));
  if (!b.known) return RH_OK;
  s.more = FAR;
  s.where = ": set up for more elements than it is given";
  RH_TRY(try(trial, &s, 1, &b, "for the same elements"));
  s.first = FAR;
  s.where = ": 126976 elements further on";
  return try(trial, &s, 1, &b, "for the same elements");
}

/* ---- Whatever the parameters, and on every device ---- */

static rh_status same_launch(rh_trial *trial, subject s) {
  int64_t params[RH_MAX_PARAMS];
  bits b = {0};
  uint32_t points = rh_n_points(trial->strategy, trial->quick ? 3 : 20);
  s.params = params;
  for (uint32_t k = 0; k < points; k++) {
    rh_point(trial, k, params);
    RH_TRY(try(trial, &s, 1, &b, "for all parameters"));
  }
  return RH_OK;
}

static const char everywhere[] = "on every device";

/* The real device, described as another one. */
static rh_status same_as_described(rh_trial *trial, subject s, bits *b) {
  rh_device device;
  char how[160], where[200];
  s.device = &device;
  s.where = where;
  for (uint32_t k = 0; rh_other_device(trial->device, k, &device, how); k++) {
    if (memcmp(&device, trial->device, sizeof device) == 0)
      continue; /* it is described like that */
    snprintf(where, sizeof where, " on one with %s", how);
    RH_TRY(try(trial, &s, 1, b, everywhere));
  }
  return RH_OK;
}

/* On another device, in a separate context. */
static rh_status same_on(rh_trial *trial, const rh_cl_device *device, subject s, bits *b) {
  rh_trial other;
  rh_options options = trial->context->options;
  char where[200];
  options.device = device->label;
  RH_TRY(rh_unless_declined(rh_trial_copy(&other, trial, &options)));
  snprintf(where, sizeof where, " on %s", device->name);
  s.where = where;
  rh_status status = try(&other, &s, 1, b, everywhere);
  trial->error = other.error;
  rh_context_close(other.context);
  return status;
}

/* Every device of this machine on which the strategy accepts the problem; elsewhere it promises
 * nothing. */
static rh_status same_everywhere(rh_trial *trial, const subject *s) {
  const rh_cl_devices *devices;
  bits b = {0};
  RH_TRY(try(trial, s, 1, &b, everywhere));
  if (!b.known) return RH_OK;
  RH_TRY(same_as_described(trial, *s, &b));
  if (!trial->session || rh_context_devices(trial->context, &devices, &trial->error) != RH_OK)
    return RH_OK;
  for (uint32_t k = 0; k < devices->n; k++)
    if (&devices->list[k] != trial->context->device)
      RH_TRY(same_on(trial, &devices->list[k], *s, &b));
  return RH_OK;
}

/* Sizes with few groups and with many. */
static rh_status try_sizes(rh_trial *trial, subject s) {
  static const uint64_t at[] = {TELLING_N, 3001, 1000003};
  size_t sizes = !trial->quick ? 3 : s.kind == SIDED ? 2 : 1;
  uint32_t promised = trial->strategy->determinism;
  for (size_t k = 0; k < sizes; k++) {
    s.n = at[k];
    if (s.kind != GROUPED) RH_TRY(same_run(trial, s));
    if (s.kind == SIDED) { /* operands may swap with the launch: a + b is b + a */
      RH_TRY(same_elsewhere(trial, s));
      continue;
    }
    if (promised >= RH_BITS_SAME_LAUNCH && !s.briefly) RH_TRY(same_launch(trial, s));
    if (promised == RH_BITS_SAME_EVERYWHERE && !s.briefly) RH_TRY(same_everywhere(trial, &s));
  }
  return RH_OK;
}

static int takes_ours(rh_trial *trial) {
  RH_FINISHED(rh_rig) rig;
  return open_rig(&rig, trial, &(subject){.kind = GROUPED, .n = 1003}) == RH_OK;
}

RH_TEST(50, "the same bits as promised", RH_RUN_TEST(8, 1)) {
  rh_pairs pairs;
  uint32_t tried = 0;
  RH_TRY(rh_served_pairs(trial, 1000003, RH_MOST_PAIRS, &pairs));
  if (trial->strategy->determinism == RH_BITS_VARY)
    return rh_trial_skip(trial, "promises nothing about bits");
  RH_TRY(try_sizes(trial, (subject){.kind = SIDED}));
  if (trial->strategy->determinism > RH_BITS_SAME_RUN)
    RH_TRY(try_sizes(trial, (subject){.kind = GROUPED}));
  for (uint32_t k = 0; k < pairs.n && tried < 2; k++) {
    rh_pair pair = pairs.list[k];
    if (rh_op_flags(pair.op, pair.type) & RH_OP_EXACT || pair.op == RH_OP_prod) continue;
    tried++;
    RH_TRY(try_sizes(
        trial,
        (subject){.kind = ROUNDED, .pair = pair, .briefly = trial->quick && takes_ours(trial)}));
  }
  return tried ? RH_OK : rh_trial_skip(trial, "serves nothing that rounds");
}

/* ---- V65: the bits of docs/inside/bits.md ---- */

/* Sizes in rows of 512 bytes and elements: around a lane, rows, tiles, and trees of tiles that are
 * whole, lack one tile, and have one more. */
typedef struct rows_and {
  uint32_t rows;
  int more; /* elements */
} rows_and;
static const rows_and sizes[] = {
    {0, 1},  {0, 2},  {0, 33},  {1, -1},  {1, 0},    {1, 1},    {2, 0},     {2, 1},  {3, -1},
    {3, 0},  {3, 1},  {4, -1},  {4, 0},   {4, 1},    {5, 17},   {7, 3},     {8, 0},  {8, 1},
    {12, 0}, {12, 1}, {14, -3}, {20, 0},  {24, -1},  {28, 1},   {44, 0},    {60, 5}, {64, 0},
    {68, 1}, {84, 0}, {127, 9}, {252, 1}, {1020, 1}, {1028, 7}, {4095, 31},
};
enum { SIZES = RH_COUNT(sizes), SIZES_QUICK = SIZES - 2, MOST_ROWS = 4096 };

static uint64_t elements_of(rows_and s, uint32_t element_size) {
  return (uint64_t)((int64_t)s.rows * (RH_CANONICAL_ROW_BYTES / element_size) + s.more);
}

static uint32_t n_sizes(const rh_trial *trial) { return trial->quick ? SIZES_QUICK : SIZES; }

/* An operator that no other tree of combinations gives the same value. */
static rh_status try_grouping(rh_trial *trial) {
  rh_canonical_value expected;
  subject s = {.kind = GROUPED, .n = elements_of((rows_and){MOST_ROWS, 0}, sizeof(uint32_t))};
  RH_FINISHED(rh_rig) rig;
  RH_TRY(open_rig(&rig, trial, &s));
  for (uint32_t k = 0; k < n_sizes(trial); k++) {
    s.n = elements_of(sizes[k], sizeof(uint32_t));
    s.first = k % 5;
    RH_TRY(fill(&rig, &s, 0));
    RH_TRY(rh_rig_run(&rig));
    rh_canonical_fold(&rig.row, rig.place->memory, rig.first, s.n, &expected);
    if (memcmp(rig.value, &expected, rig.row.value_size) != 0)
      return rh_trial_fail(
          trial,
          "promises the canonical order (docs/inside/bits.md), and combines %llu elements of "
          "%u bytes, by an operator of a user's own, in another one",
          (unsigned long long)s.n, rig.row.element_size);
  }
  return RH_OK;
}

/* Data of which every combination rounds; or of -0 alone, whose sum is -0, but +0 where +0 stands
 * for what is missing. */
static rh_status try_data(rh_rig *rig, uint64_t n, uint64_t first, uint64_t seed, int minus_zeros) {
  const uint32_t size = rig->row.element_size;
  unsigned char *range = rig->place->memory + first * size;
  rh_result expected, got;
  RH_TRY(rh_rig_fill(rig, "zeros", 1, n, first));
  if (minus_zeros) memset(range, 0, n * size);
  else rh_canonical_data(rig->op, rig->type, seed, range, n);
  for (uint64_t k = 1; minus_zeros && k <= n; k++) range[k * size - 1] = 0x80;
  RH_TRY(rh_fixture_write(rig->place, rig->error));
  RH_TRY(rh_rig_run(rig));
  rh_canonical_result(rig->op, rig->type, range, n, &expected);
  rh_op_result(rig->op, rig->type, rig->value, &got);
  if (rh_canonical_same(&expected, &got)) return RH_OK;
  return rh_trial_fail(
      rig->trial,
      "promises the canonical order (docs/inside/bits.md), and %s of %s over %llu elements%s is "
      "%a instead of %a",
      rh_op_name(rig->op), rh_type_name(rig->type), (unsigned long long)n,
      minus_zeros ? ", all of them -0," : "", got.value.f, expected.value.f);
}

static int rounds(rh_pair pair) { return rh_op_rounds(pair.op, pair.type); }

static rh_status try_floats(rh_rig *rig, uint64_t seed) {
  for (uint32_t k = 0; k < n_sizes(rig->trial); k++) {
    uint64_t n = elements_of(sizes[k], rig->row.element_size);
    RH_TRY(try_data(rig, n, k % 5, seed + k, 0));
    if (sizes[k].rows < 100) RH_TRY(try_data(rig, n, k % 5, 0, 1));
  }
  return RH_OK;
}

RH_TEST(65, "the canonical order as promised", RH_RUN_TEST(2, 0.5)) {
  if (!(trial->strategy->promises & RH_CANONICAL_ORDER))
    return rh_trial_skip(trial, "does not promise it");
  RH_TRY(rh_unless_declined(try_grouping(trial)));
  return rh_try_pairs(trial, elements_of((rows_and){MOST_ROWS, 0}, 1), 9, rounds, NULL, try_floats);
}
