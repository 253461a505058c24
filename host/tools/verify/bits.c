/* V50: the same bits from run to run, for all parameters, on every device, as far as promised. */
#include "internal.h"

/* The operator that is reduced repeatedly: our own, which exposes every change of order, or a
 * served one that rounds, on data of all magnitudes. */
typedef struct subject {
  enum { SIDED, GROUPED, ROUNDED } kind;
  rh_pair pair; /* of ROUNDED */
  uint64_t n;
  uint64_t first, more; /* the start of the range; additional elements announced to setup */
  int briefly;          /* compare runs only: our own operator covers the rest better */
} subject;

enum { TELLING_N = 100003 };

/* The first result, which all later ones must equal. */
typedef struct bits {
  _Alignas(16) unsigned char first[16];
  int known, differ;
} bits;

static void name_subject(const subject *s, char text[96]) {
  if (s->kind == ROUNDED)
    snprintf(text, 96, "%s of %s over %llu elements", rh_op_name(s->pair.op),
             rh_type_name(s->pair.type), (unsigned long long)s->n);
  else
    snprintf(text, 96, "an operator of a user's own over %llu elements", (unsigned long long)s->n);
}

static rh_status fill(rh_rig *rig, const subject *s, uint64_t round) {
  if (s->kind != ROUNDED) return rh_tree_fill(rig, s->n, s->first, round);
  if (rig->array.n == s->n) return RH_OK; /* filled in the first round */
  return rh_rig_fill(rig, "loguniform", rig->trial->seed, s->n, s->first);
}

static rh_status open_rig(rh_rig *rig, rh_trial *trial, const subject *s, const int64_t *params,
                          const rh_device *device) {
  const rh_rig_with with = {.params = params, .device = device};
  uint64_t max_n = s->n + s->more;
  if (s->kind == ROUNDED) return rh_rig_open(rig, trial, s->pair, max_n, &with);
  return rh_tree_open(rig, trial, s->kind == SIDED ? RH_TREE_SIDED : RH_TREE_GROUPED, max_n, params,
                      device);
}

/* How an instance is set up, in addition to its subject. */
typedef struct way {
  const int64_t *params;   /* null: the defaults */
  const rh_device *device; /* null: the real one */
  uint64_t round;          /* the first one, of `times` runs */
  int times;
} way;

/* One setup and some runs: all must equal the first result. */
static rh_status repeat(rh_trial *trial, const subject *s, way w, bits *b) {
  _Alignas(16) unsigned char value[16];
  rh_rig rig;
  rh_status status = open_rig(&rig, trial, s, w.params, w.device);
  for (int k = 0; k < w.times && status == RH_OK && !b->differ; k++) {
    status = fill(&rig, s, w.round + (uint64_t)k);
    if (status == RH_OK) status = rh_rig_run(&rig, value);
    if (status != RH_OK) break;
    if (!b->known) memcpy(b->first, value, 16);
    b->known = 1;
    b->differ = !rh_rig_same(&rig, b->first, value);
  }
  return rh_rig_close(&rig, status);
}

/* A verdict on them.  Elsewhere than by default, a strategy may decline, and promises nothing then.
 * `promise`: "from run to run"; `where`: what was not as before, or "". */
static rh_status judge_bits(rh_trial *trial, const subject *s, rh_status status, const bits *b,
                            const char *promise, const char *where) {
  char what[96];
  name_subject(s, what);
  if (b->differ)
    return rh_trial_fail(trial, "promises the same bits %s, but %s varies%s", promise, what, where);
  return rh_unless_declined(status);
}

/* Judges a point where parameters differ. */
static rh_status judge_point(rh_trial *trial, const subject *s, const int64_t *params,
                             rh_status status, const bits *b, const char *promise) {
  rh_text words = {0}, where = {0};
  rh_point_words(trial->strategy, params, &words);
  if (words.length) rh_text_add(&where, " with%s", rh_text_get(&words));
  status = judge_bits(trial, s, status, b, promise, rh_text_get(&where));
  rh_text_finish(&words);
  rh_text_finish(&where);
  return status;
}

/* ---- From run to run ---- */

enum { LIVES = 2, RUNS = 25, RUNS_BRIEFLY = 5, RUNS_AT_POINTS = 6, RUNS_AT_POINTS_QUICK = 3 };
static const char from_run[] = "from run to run";

/* The default parameters on two instances, while other threads keep the machine busy.  Then the
 * bounds of the parameters and some random points. */
static rh_status same_run(rh_trial *trial, const subject *s) {
  int64_t params[RH_MAX_PARAMS];
  bits b = {0};
  rh_status status = RH_OK;
  int runs = s->briefly ? RUNS_BRIEFLY : RUNS;
  rh_load *load = rh_load_start();
  for (int k = 0; k < LIVES && status == RH_OK && !b.differ; k++)
    status = repeat(trial, s, (way){.round = (uint64_t)(k * runs), .times = runs}, &b);
  rh_load_stop(load);
  RH_TRY(judge_bits(trial, s, status, &b, from_run, ""));
  uint32_t points = rh_n_points(trial->strategy) + (trial->quick ? 0 : 10);
  int is_telling = !trial->quick || (s->kind != ROUNDED && s->n == TELLING_N);
  if (trial->strategy->n_params == 0 || !is_telling) return RH_OK;
  for (uint32_t k = 1; k < points; k++) {
    way w = {.params = params, .times = trial->quick ? RUNS_AT_POINTS_QUICK : RUNS_AT_POINTS};
    b = (bits){0};
    rh_point(trial, k, params);
    status = repeat(trial, s, w, &b);
    RH_TRY(judge_point(trial, s, params, status, &b, from_run));
  }
  return RH_OK;
}

/* Reduces the same elements with a setup for more, and at another offset.  FAR sets every bit above
 * those of the alignment. */
static rh_status same_elsewhere(rh_trial *trial, subject s) {
  enum { FAR = (1 << 17) - (1 << 12) };
  static const struct {
    uint64_t first, more;
    const char *where;
  } places[] = {{0, 0, ""},
                {0, FAR, ": set up for more elements than it is given"},
                {FAR, FAR, ": 126976 elements further on"}};
  bits b = {0};
  rh_status status = RH_OK;
  for (size_t k = 0; k < 3 && status == RH_OK; k++) {
    s.first = places[k].first;
    s.more = places[k].more;
    status = repeat(trial, &s, (way){.times = 1}, &b);
    RH_TRY(judge_bits(trial, &s, status, &b, "for the same elements", places[k].where));
  }
  return RH_OK;
}

/* ---- Whatever the parameters, and on every device ---- */

static rh_status same_launch(rh_trial *trial, const subject *s) {
  int64_t params[RH_MAX_PARAMS];
  bits b = {0};
  uint32_t points = rh_n_points(trial->strategy) + (trial->quick ? 3 : 20);
  if (trial->strategy->n_params == 0) points = 1;
  for (uint32_t k = 0; k < points; k++) {
    rh_point(trial, k, params);
    rh_status status = repeat(trial, s, (way){.params = params, .times = 1}, &b);
    RH_TRY(judge_point(trial, s, params, status, &b, "for all parameters"));
  }
  return RH_OK;
}

/* The real device, described as another one.  A plan made for that description may not work here;
 * such a failure proves nothing. */
static rh_status same_as_described(rh_trial *trial, const subject *s, bits *b) {
  rh_device device;
  char how[160], where[200];
  for (uint32_t k = 0; rh_other_device(trial->device, k, &device, how); k++) {
    if (memcmp(&device, trial->device, sizeof device) == 0)
      continue; /* it is described like that */
    repeat(trial, s, (way){.device = &device, .times = 1}, b);
    snprintf(where, sizeof where, " on one with %s", how);
    RH_TRY(judge_bits(trial, s, RH_OK, b, "on every device", where));
  }
  return RH_OK;
}

/* On another device, in a separate context. */
static rh_status repeat_on(rh_trial *trial, const rh_cl_device *device, const subject *s, bits *b) {
  rh_trial other;
  rh_options options = trial->context->options;
  options.device = device->label;
  RH_TRY(rh_trial_copy(&other, trial, &options));
  rh_status status = repeat(&other, s, (way){.times = 1}, b);
  trial->error = other.error;
  rh_context_close(other.context);
  return status;
}

/* Every device of this machine on which the strategy accepts the problem; elsewhere it promises
 * nothing. */
static rh_status same_on_others(rh_trial *trial, const subject *s, bits *b) {
  const rh_cl_devices *devices;
  char where[200];
  if (rh_context_devices(trial->context, &devices, &trial->error) != RH_OK) return RH_OK;
  for (uint32_t k = 0; k < devices->n; k++) {
    const rh_cl_device *device = &devices->list[k];
    if (device == trial->context->device) continue;
    rh_status status = repeat_on(trial, device, s, b);
    snprintf(where, sizeof where, " on %s", device->name);
    RH_TRY(judge_bits(trial, s, status, b, "on every device", where));
  }
  return RH_OK;
}

static rh_status same_everywhere(rh_trial *trial, const subject *s) {
  bits b = {0};
  rh_status status = repeat(trial, s, (way){.times = 1}, &b);
  RH_TRY(judge_bits(trial, s, status, &b, "on every device", ""));
  if (status != RH_OK) return RH_OK;
  RH_TRY(same_as_described(trial, s, &b));
  return trial->session ? same_on_others(trial, s, &b) : RH_OK;
}

/* ---- V50 ---- */

static rh_status try_subject(rh_trial *trial, const subject *s) {
  uint32_t promised = trial->strategy->determinism;
  if (s->kind != GROUPED) RH_TRY(same_run(trial, s));
  if (s->kind == SIDED) /* operands may swap with the launch: a + b is b + a */
    return same_elsewhere(trial, *s);
  if (s->briefly) return RH_OK;
  if (promised >= RH_BITS_SAME_LAUNCH) RH_TRY(same_launch(trial, s));
  return promised == RH_BITS_SAME_EVERYWHERE ? same_everywhere(trial, s) : RH_OK;
}

/* Sizes with few groups and with many. */
static rh_status try_sizes(rh_trial *trial, subject s) {
  static const uint64_t at[] = {TELLING_N, 3001, 1000003};
  size_t sizes = !trial->quick ? 3 : s.kind == SIDED ? 2 : 1;
  for (size_t k = 0; k < sizes; k++) {
    s.n = at[k];
    RH_TRY(try_subject(trial, &s));
  }
  return RH_OK;
}

static int takes_ours(rh_trial *trial) {
  rh_rig rig;
  return rh_rig_close(&rig, rh_tree_open(&rig, trial, RH_TREE_GROUPED, 1003, NULL, NULL)) == RH_OK;
}

rh_status rh_v50_determinism(rh_trial *trial) {
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
