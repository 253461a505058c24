/* V58: a strategy's instances leave the process unchanged. */
#include "../../core/plug/rank.h"
#include "../../core/run/instance.h"
#include "control.h"
#include "imports.h"
#include "problems.h"

#include <string.h>
#include <time.h>

typedef struct instance_case {
  rh_pair pair;
  uint64_t max_n;
  uint32_t runs, fail_at; /* fail_at: the service that is made to fail, from 1; 0: none */
  int injected;           /* the fault was injected */
} instance_case;

/* Runs one instance.  RH_PASS, or why there was none; changes are recorded in the footprint. */
static rh_outcome run_instance(rh_trial *trial, instance_case *l, rh_footprint *footprint) {
  _Alignas(16) unsigned char value[16];
  rh_rig rig;
  rh_status status = rh_rig_init(&rig, trial, l->pair.op, l->pair.type, l->max_n);
  rig.footprint = footprint;
  rig.fail_at = l->fail_at;
  if (status == RH_OK) status = rh_rig_setup(&rig);
  for (uint32_t k = 0; k < l->runs && status == RH_OK && !footprint->said[0]; k++) {
    /* All elements, a part, and none. */
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

/* Parts of the snapshot that change even under a control strategy are not compared for the
 * plugin.  The first instance does not count, because drivers do their one-time work in it. */
static void learn_unsteady(const rh_trial *trial, rh_footprint *footprint) {
  enum { LIVES = 3 };
  rh_trial own = *trial;
  own.strategy = rh_control_strategy(rh_strategy_is_host(trial->strategy));
  own.text = (rh_text){0};
  instance_case l = {.pair = {RH_OP_sum, RH_TYPE_u32}, .max_n = 1003, .runs = 2};
  for (int k = 0; k < LIVES; k++) {
    run_instance(&own, &l, footprint);
    if (k && footprint->said[0]) footprint->unsteady |= 1u << footprint->part;
    footprint->said[0] = 0;
  }
  rh_text_finish(&own.text);
}

static rh_outcome say_footprint(rh_trial *trial, const rh_footprint *footprint,
                                rh_outcome outcome) {
  return footprint->said[0] ? rh_trial_fail(trial, "%s", footprint->said) : outcome;
}

/* A snapshot cannot tell who owns anonymous mapped memory that is not malloc's.  The plugin's own
 * calls of mmap are counted; and if each of several instances leaves more such memory, that is
 * not a driver's warm-up. */
static rh_outcome check_memory(rh_trial *trial, rh_pair pair, rh_footprint *footprint) {
  enum { LIVES = 6 };
  uint64_t before = 0, grown = 0;
  int grows = 1;
  for (int k = 0; k < LIVES; k++) {
    instance_case l = {.pair = pair, .max_n = 5003, .runs = 1};
    rh_outcome outcome = run_instance(trial, &l, footprint);
    if (outcome != RH_PASS || footprint->said[0]) return outcome;
    uint64_t now = rh_snapshot_other_memory();
    if (rh_imports_mapped() > 0) return rh_trial_fail(trial, "leaves memory mapped after teardown");
    if (k && now <= before) grows = 0;
    if (k && now > before) grown += now - before;
    before = now;
  }
  if (!grows) return RH_PASS;
  return rh_trial_fail(trial, "each instance leaves memory mapped: %llu bytes after %d",
                       (unsigned long long)grown, LIVES);
}

/* A failed setup or run must not leave anything, either. */
static rh_outcome check_failures(rh_trial *trial, rh_pair pair, rh_footprint *footprint) {
  uint32_t most = trial->quick ? 4 : 16;
  for (uint32_t k = 1; k <= most && !footprint->said[0]; k++) {
    instance_case l = {.pair = pair, .max_n = 5003, .runs = 1, .fail_at = k};
    rh_outcome outcome = run_instance(trial, &l, footprint);
    if (outcome != RH_PASS || !l.injected) return outcome;
  }
  return RH_PASS;
}

/* Changes that appear only after many runs.  Mappings take longest to read, and are compared for
 * the other instances. */
static rh_outcome check_many_runs(rh_trial *trial, rh_pair pair, rh_footprint *footprint) {
  uint32_t unsteady = footprint->unsteady;
  instance_case l = {.pair = pair, .max_n = 1003, .runs = trial->quick ? 100 : 300};
  footprint->unsteady |=
      1u << RH_SNAPSHOT_CODE | 1u << RH_SNAPSHOT_FILES | 1u << RH_SNAPSHOT_LIBRARIES;
  rh_outcome outcome = run_instance(trial, &l, footprint);
  footprint->unsteady = unsteady;
  return outcome;
}

static rh_outcome check_instances(rh_trial *trial, rh_footprint *footprint) {
  rh_pair pairs[RH_MOST_PAIRS];
  instance_case first = {.max_n = 5003, .runs = trial->quick ? 4 : 16};
  uint32_t n = rh_some_pairs(trial, first.max_n, 2, pairs);
  if (n == 0) return RH_SKIP;
  first.pair = pairs[0];
  rh_outcome outcome = run_instance(trial, &first, footprint);
  for (uint32_t k = 1; k < n && k < 4 && outcome == RH_PASS && !footprint->said[0]; k++) {
    instance_case l = {.pair = pairs[k], .max_n = 100003, .runs = 2};
    run_instance(trial, &l, footprint); /* declining this many is allowed */
  }
  if (outcome == RH_PASS && !footprint->said[0]) outcome = check_memory(trial, pairs[0], footprint);
  if (outcome == RH_PASS && !footprint->said[0])
    outcome = check_failures(trial, pairs[0], footprint);
  if (outcome == RH_PASS && !footprint->said[0])
    outcome = check_many_runs(trial, pairs[0], footprint);
  return outcome;
}

rh_outcome rh_v58_footprint(rh_trial *trial) {
  /* Drivers load what they compile as libraries. */
  rh_footprint footprint = {.unsteady = 1u << RH_SNAPSHOT_LIBRARIES};
  if (rh_is_foreign(trial->path))
    return rh_trial_skip(trial, "changes that a foreign library makes to the process are not "
                                "the plugin's");
  tzset(); /* before a driver does it */
  learn_unsteady(trial, &footprint);
  rh_imports_watch(trial->path);
  rh_outcome outcome = check_instances(trial, &footprint);
  trial->watches_end = !(footprint.unsteady >> RH_SNAPSHOT_STREAMS & 1);
  outcome = say_footprint(trial, &footprint, outcome);
  rh_footprint_finish(&footprint);
  return outcome;
}
