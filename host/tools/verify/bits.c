/* V50: the same bits from run to run, for all parameters, on every device, as far as promised. */
#include "../../choose/known.h"
#include "../../core/base/error.h"
#include "../../core/base/vocabulary.h"
#include "../../core/plug/plugin.h"
#include "../../core/run/instance.h"
#include "load.h"
#include "order.h"
#include "points.h"
#include "problems.h"

#include <stdio.h>
#include <string.h>

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

/* For quick runs, which cannot try everything. */
static int is_representative(const subject *s) {
  return s->kind != ROUNDED && s->n == TELLING_N;
}

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
  if (s->kind != ROUNDED) return rh_order_fill(rig, s->n, s->first, round);
  if (rig->array.n == s->n) return RH_OK; /* filled in the first round */
  return rh_rig_fill(rig, "loguniform", rig->trial->seed, s->n, s->first);
}

static rh_status set_up(rh_rig *rig, rh_trial *trial, const subject *s, const int64_t *params,
                        const rh_device *device) {
  uint64_t max_n = s->n + s->more;
  if (s->kind != ROUNDED)
    return rh_order_setup(rig, trial, max_n, params, device, s->kind == SIDED);
  RH_TRY(rh_rig_init(rig, trial, s->pair.op, s->pair.type, max_n));
  if (params) memcpy(rig->params, params, sizeof rig->params);
  if (device) rig->device = device;
  return rh_rig_setup(rig);
}

/* One setup and `times` runs, from that round on: all must equal the first result. */
static rh_status repeat(rh_trial *trial, const subject *s, const int64_t *params,
                        const rh_device *device, uint64_t round, int times, bits *b) {
  _Alignas(16) unsigned char value[16];
  rh_rig rig = {0};
  rh_status status = set_up(&rig, trial, s, params, device);
  for (int k = 0; k < times && status == RH_OK && !b->differ; k++) {
    status = fill(&rig, s, round + (uint64_t)k);
    if (status == RH_OK) status = rh_rig_run(&rig, value);
    if (status != RH_OK) break;
    if (!b->known) memcpy(b->first, value, 16);
    b->known = 1;
    b->differ = !rh_rig_same(&rig, b->first, value);
  }
  trial->error = rig.error;
  rh_rig_finish(&rig);
  return status;
}

/* ---- From run to run ---- */

enum { LIVES = 2, RUNS = 25, RUNS_BRIEFLY = 5, RUNS_AT_POINTS = 6, RUNS_AT_POINTS_QUICK = 3 };

static rh_outcome judge_runs(rh_trial *trial, const subject *s, const int64_t *params,
                             rh_status status, const bits *b) {
  char what[96];
  rh_text where = {0};
  name_subject(s, what);
  if (status == RH_DECLINED) return RH_PASS;
  if (status != RH_OK) return rh_trial_fail(trial, "%s", trial->error.message);
  if (!b->differ) return RH_PASS;
  rh_point_words(trial->strategy, params, &where);
  rh_trial_fail(trial, "promises the same bits from run to run, but %s varies%s%s", what,
                where.length ? " with" : "", rh_text_get(&where));
  rh_text_finish(&where);
  return RH_FAIL;
}

/* The default parameters on two instances, while other threads keep the machine busy. */
static rh_outcome same_by_default(rh_trial *trial, const subject *s) {
  int64_t params[RH_MAX_PARAMS];
  bits b = {0};
  rh_status status = RH_OK;
  int runs = s->briefly ? RUNS_BRIEFLY : RUNS;
  rh_load *load = rh_load_start();
  rh_point(trial, 0, params);
  for (int k = 0; k < LIVES && status == RH_OK && !b.differ; k++)
    status = repeat(trial, s, params, NULL, (uint64_t)(k * runs), runs, &b);
  rh_load_stop(load);
  return judge_runs(trial, s, params, status, &b);
}

/* Then the bounds of the parameters and some random points. */
static rh_outcome same_run(rh_trial *trial, const subject *s) {
  int64_t params[RH_MAX_PARAMS];
  uint32_t points = rh_n_points(trial->strategy) + (trial->quick ? 0 : 10);
  int runs = trial->quick ? RUNS_AT_POINTS_QUICK : RUNS_AT_POINTS;
  rh_outcome outcome = same_by_default(trial, s);
  if (trial->strategy->n_params == 0 || (trial->quick && !is_representative(s))) return outcome;
  for (uint32_t k = 1; k < points && outcome == RH_PASS; k++) {
    bits b = {0};
    rh_point(trial, k, params);
    rh_status status = repeat(trial, s, params, NULL, 0, runs, &b);
    outcome = judge_runs(trial, s, params, status, &b);
  }
  return outcome;
}

/* Reduces the same elements with a setup for more, and at another offset.  FAR sets every bit above
 * those of the alignment. */
static rh_outcome same_elsewhere(rh_trial *trial, subject s) {
  enum { FAR = (1 << 17) - (1 << 12) };
  static const struct {
    uint64_t first, more;
    const char *what;
  } places[] = {{0, 0, ""},
                {0, FAR, "set up for more elements than it is given"},
                {FAR, FAR, "126976 elements further on"}};
  char what[96];
  bits b = {0};
  name_subject(&s, what);
  for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
    s.first = places[k].first;
    s.more = places[k].more;
    rh_status status = repeat(trial, &s, NULL, NULL, 0, 1, &b);
    if (status == RH_DECLINED) return RH_PASS;
    if (status != RH_OK) return rh_trial_fail(trial, "%s", trial->error.message);
    if (b.differ)
      return rh_trial_fail(trial, "promises the same bits for the same elements, but %s varies: %s",
                           what, places[k].what);
  }
  return RH_PASS;
}

/* ---- Whatever the parameters ---- */

static rh_outcome same_launch(rh_trial *trial, const subject *s) {
  int64_t params[RH_MAX_PARAMS];
  char what[96];
  bits b = {0};
  uint32_t points = rh_n_points(trial->strategy) + (trial->quick ? 3 : 20);
  for (uint32_t k = 0; k < points; k++) {
    if (k > 0 && trial->strategy->n_params == 0) break;
    rh_point(trial, k, params);
    rh_status status = repeat(trial, s, params, NULL, 0, 1, &b);
    if (status != RH_OK && status != RH_DECLINED)
      return rh_trial_fail(trial, "%s", trial->error.message);
    if (!b.differ) continue;
    rh_text where = {0};
    rh_point_words(trial->strategy, params, &where);
    name_subject(s, what);
    rh_trial_fail(trial, "promises the same bits for all parameters, but with%s %s has others",
                  rh_text_get(&where), what);
    rh_text_finish(&where);
    return RH_FAIL;
  }
  return RH_PASS;
}

/* ---- On every device ---- */

/* The real device, described as another one.  A plan made for that description may not work here;
 * such a failure proves nothing. */
static rh_outcome same_as_described(rh_trial *trial, const subject *s, const rh_device *real,
                                    bits *b) {
  rh_device device;
  char how[160], what[96];
  for (uint32_t k = 0; rh_other_device(real, k, &device, how); k++) {
    if (memcmp(&device, real, sizeof device) == 0) continue; /* it is already described like that */
    repeat(trial, s, NULL, &device, 0, 1, b);
    name_subject(s, what);
    if (b->differ)
      return rh_trial_fail(
          trial, "promises the same bits on every device, but on one with %s %s has others", how,
          what);
  }
  return RH_PASS;
}

/* On another device, in a separate context. */
static rh_status repeat_on(const rh_trial *trial, const rh_cl_device *device, const subject *s,
                           bits *b, rh_error *error) {
  rh_trial other = *trial;
  rh_options options = trial->context->options;
  options.device = device->label;
  other.text = (rh_text){0};
  rh_status status = rh_context_open(&other.context, &options, &rh_choosing, error);
  if (status != RH_OK) return status;
  status = repeat(&other, s, NULL, NULL, 0, 1, b);
  *error = other.error;
  rh_context_close(other.context);
  return status;
}

/* Every device of this machine on which the strategy accepts the problem; elsewhere it promises
 * nothing. */
static rh_outcome same_on_others(rh_trial *trial, const subject *s, bits *b) {
  const rh_cl_devices *devices;
  if (rh_context_devices(trial->context, &devices, &trial->error) != RH_OK) return RH_PASS;
  for (uint32_t k = 0; k < devices->n; k++) {
    const rh_cl_device *device = &devices->list[k];
    if (device == trial->context->device) continue;
    rh_status status = repeat_on(trial, device, s, b, &trial->error);
    if (status != RH_OK && status != RH_DECLINED)
      return rh_trial_fail(trial, "on %s: %s", device->name, trial->error.message);
    if (b->differ)
      return rh_trial_fail(trial, "promises the same bits on every device, but they differ on %s",
                           device->name);
  }
  return RH_PASS;
}

static rh_outcome same_everywhere(rh_trial *trial, const subject *s) {
  bits b = {0};
  rh_cl_session *session;
  const rh_device *real = rh_host_device();
  rh_status status = repeat(trial, s, NULL, NULL, 0, 1, &b);
  if (status == RH_DECLINED) return RH_PASS;
  if (status != RH_OK) return rh_trial_fail(trial, "%s", trial->error.message);
  int on_host = rh_strategy_is_host(trial->strategy);
  if (!on_host && rh_context_session(trial->context, &session, &trial->error) == RH_OK)
    real = &session->device->about;
  rh_outcome outcome = same_as_described(trial, s, real, &b);
  return outcome == RH_PASS && !on_host ? same_on_others(trial, s, &b) : outcome;
}

/* ---- V50 ---- */

static rh_outcome try_subject(rh_trial *trial, const subject *s) {
  uint32_t promised = trial->strategy->determinism;
  rh_outcome outcome = RH_PASS;
  if (s->kind != GROUPED) outcome = same_run(trial, s);
  if (outcome == RH_PASS && s->kind == SIDED) outcome = same_elsewhere(trial, *s);
  if (s->briefly) return outcome;
  if (s->kind == SIDED) return outcome; /* operands may swap with the launch: a + b is b + a */
  if (outcome == RH_PASS && promised >= RH_BITS_SAME_LAUNCH) outcome = same_launch(trial, s);
  if (outcome == RH_PASS && promised == RH_BITS_SAME_EVERYWHERE)
    outcome = same_everywhere(trial, s);
  return outcome;
}

/* Sizes with few groups and with many. */
static rh_outcome try_sizes(rh_trial *trial, subject s) {
  static const uint64_t at[] = {TELLING_N, 3001, 1000003};
  rh_outcome outcome = RH_PASS;
  size_t sizes = !trial->quick ? 3 : s.kind == SIDED ? 2 : 1;
  for (size_t k = 0; k < sizes && outcome == RH_PASS; k++) {
    s.n = at[k];
    outcome = try_subject(trial, &s);
  }
  return outcome;
}

static int takes_ours(rh_trial *trial) {
  rh_rig rig = {0};
  int takes = rh_order_setup(&rig, trial, 1003, NULL, NULL, 0) == RH_OK;
  rh_rig_finish(&rig);
  return takes;
}

static rh_outcome try_all(rh_trial *trial, const rh_pair *pairs, uint32_t n) {
  uint32_t tried = 0;
  rh_outcome outcome = try_sizes(trial, (subject){.kind = SIDED});
  if (outcome == RH_PASS && trial->strategy->determinism > RH_BITS_SAME_RUN)
    outcome = try_sizes(trial, (subject){.kind = GROUPED});
  for (uint32_t k = 0; k < n && outcome == RH_PASS; k++) {
    if (rh_op_flags(pairs[k].op, pairs[k].type) & RH_OP_EXACT || pairs[k].op == RH_OP_prod)
      continue;
    if (tried++ == 2) break;
    outcome = try_sizes(
        trial,
        (subject){.kind = ROUNDED, .pair = pairs[k], .briefly = trial->quick && takes_ours(trial)});
  }
  return tried || outcome != RH_PASS ? outcome : rh_trial_skip(trial, "serves nothing that rounds");
}

rh_outcome rh_v50_determinism(rh_trial *trial) {
  rh_pair pairs[RH_MOST_PAIRS];
  uint32_t n = rh_served_pairs(trial, 1000003, pairs);
  if (n == 0) return RH_SKIP;
  if (trial->strategy->determinism == RH_BITS_VARY)
    return rh_trial_skip(trial, "promises nothing about bits");
  return try_all(trial, pairs, n);
}
