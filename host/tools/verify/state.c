/* V58: a strategy's lives leave the process as they found it. */
#include "../../core/plug/rank.h"
#include "../../core/reduce/instance.h"
#include "control.h"
#include "imports.h"
#include "problems.h"

#include <string.h>
#include <time.h>

typedef struct life {
  rh_pair pair;
  uint64_t max_n;
  uint32_t runs, fail_at; /* fail_at: the service that is made to fail, from 1; 0: none */
  int injected;           /* it came to that */
} life;

/* RH_PASS, or why there was no life; what it changed is in the footprint. */
static rh_outcome run_life(rh_trial *trial, life *l, rh_footprint *footprint) {
  _Alignas(16) unsigned char value[16];
  rh_rig rig;
  rh_status status = rh_rig_init(&rig, trial, l->pair.op, l->pair.type, l->max_n);
  rig.footprint = footprint;
  rig.fail_at = l->fail_at;
  if (status == RH_OK) status = rh_rig_setup(&rig);
  for (uint32_t k = 0; k < l->runs && status == RH_OK && !footprint->said[0]; k++) {
    /* The whole, a part of it, and nothing. */
    uint64_t n = k % 3 == 0 ? l->max_n : k % 3 == 1 ? l->max_n / 3 : 0;
    status = rh_rig_fill(&rig, "hash", trial->seed + k, n, k % 2);
    if (status == RH_OK) status = rh_rig_run(&rig, value);
  }
  rh_rig_teardown(&rig);
  l->injected = rig.injected;
  rh_outcome outcome = rig.injected ? RH_PASS : rh_rig_outcome(trial, &rig, status);
  rh_rig_finish(&rig);
  return outcome == RH_FAIL ? RH_SKIP : outcome;
}

/* What a life of a strategy that does no harm changes is not judged in the plugin's: by part of the
 * picture, after a first one in which drivers do what they do once. */
static void learn_unsteady(const rh_trial *trial, rh_footprint *footprint) {
  enum { LIVES = 3 };
  rh_trial own = *trial;
  own.strategy = rh_control_strategy(rh_strategy_is_host(trial->strategy));
  own.text = (rh_text){0};
  life l = {.pair = {RH_OP_sum, RH_TYPE_u32}, .max_n = 1003, .runs = 2};
  for (int k = 0; k < LIVES; k++) {
    run_life(&own, &l, footprint);
    if (k && footprint->said[0]) footprint->unsteady |= 1u << footprint->part;
    footprint->said[0] = 0;
  }
  rh_text_finish(&own.text);
}

static rh_outcome say_footprint(rh_trial *trial, const rh_footprint *footprint,
                                rh_outcome outcome) {
  return footprint->said[0] ? rh_trial_fail(trial, "%s", footprint->said) : outcome;
}

/* Memory that is mapped and not malloc's has no name by which a picture could tell whose it is.
 * What a plugin maps by its own calls is counted; and where each of several lives leaves more of
 * it, that is not a driver's warm-up. */
static rh_outcome check_memory(rh_trial *trial, rh_pair pair, rh_footprint *footprint) {
  enum { LIVES = 6 };
  uint64_t before = 0, grown = 0;
  int grows = 1;
  for (int k = 0; k < LIVES; k++) {
    life l = {.pair = pair, .max_n = 5003, .runs = 1};
    rh_outcome outcome = run_life(trial, &l, footprint);
    if (outcome != RH_PASS || footprint->said[0]) return outcome;
    uint64_t now = rh_picture_other_memory();
    if (rh_imports_mapped() > 0)
      return rh_trial_fail(trial, "maps memory and leaves it mapped after teardown");
    if (k && now <= before) grows = 0;
    if (k && now > before) grown += now - before;
    before = now;
  }
  if (!grows) return RH_PASS;
  return rh_trial_fail(trial, "each life leaves memory mapped: %llu bytes after %d",
                       (unsigned long long)grown, LIVES);
}

/* A setup or a run that fails leaves nothing, either. */
static rh_outcome check_failures(rh_trial *trial, rh_pair pair, rh_footprint *footprint) {
  uint32_t most = trial->quick ? 4 : 16;
  for (uint32_t k = 1; k <= most && !footprint->said[0]; k++) {
    life l = {.pair = pair, .max_n = 5003, .runs = 1, .fail_at = k};
    rh_outcome outcome = run_life(trial, &l, footprint);
    if (outcome != RH_PASS || !l.injected) return outcome;
  }
  return RH_PASS;
}

/* What comes only after many runs.  Lists of mappings take longest to read, and are compared in the
 * other lives. */
static rh_outcome check_long_life(rh_trial *trial, rh_pair pair, rh_footprint *footprint) {
  uint32_t unsteady = footprint->unsteady;
  life l = {.pair = pair, .max_n = 1003, .runs = trial->quick ? 100 : 300};
  footprint->unsteady |=
      1u << RH_PICTURE_CODE | 1u << RH_PICTURE_FILES | 1u << RH_PICTURE_LIBRARIES;
  rh_outcome outcome = run_life(trial, &l, footprint);
  footprint->unsteady = unsteady;
  return outcome;
}

static rh_outcome check_lives(rh_trial *trial, rh_footprint *footprint) {
  rh_pair pairs[RH_MOST_PAIRS];
  life first = {.max_n = 5003, .runs = trial->quick ? 4 : 16};
  uint32_t n = rh_some_pairs(trial, first.max_n, 2, pairs);
  if (n == 0) return RH_SKIP;
  first.pair = pairs[0];
  rh_outcome outcome = run_life(trial, &first, footprint);
  for (uint32_t k = 1; k < n && k < 4 && outcome == RH_PASS && !footprint->said[0]; k++) {
    life l = {.pair = pairs[k], .max_n = 100003, .runs = 2};
    run_life(trial, &l, footprint); /* declining this many is allowed */
  }
  if (outcome == RH_PASS && !footprint->said[0]) outcome = check_memory(trial, pairs[0], footprint);
  if (outcome == RH_PASS && !footprint->said[0])
    outcome = check_failures(trial, pairs[0], footprint);
  if (outcome == RH_PASS && !footprint->said[0])
    outcome = check_long_life(trial, pairs[0], footprint);
  return outcome;
}

rh_outcome rh_v58_footprint(rh_trial *trial) {
  /* Drivers load what they compile as libraries. */
  rh_footprint footprint = {.unsteady = 1u << RH_PICTURE_LIBRARIES};
  if (rh_is_foreign(trial->path))
    return rh_trial_skip(trial, "what another library does to the process is not the plugin's");
  tzset(); /* before a driver does */
  learn_unsteady(trial, &footprint);
  rh_imports_watch(trial->path);
  rh_outcome outcome = check_lives(trial, &footprint);
  trial->watches_end = !(footprint.unsteady >> RH_PICTURE_STREAMS & 1);
  outcome = say_footprint(trial, &footprint, outcome);
  rh_footprint_finish(&footprint);
  return outcome;
}
