/* V49, V54, V56, V57: promises about order, bits, parameters and run. */
#include "internal.h"

/* ---- V49 ---- */

static rh_status in_order(rh_rig *rig, uint64_t seed) {
  return rh_rig_cases(rig, seed, RH_KINDS("hash"),
                      RH_SIZES(1, 2, 3, 17, 64, 65, 255, 257, 1003, 4097, 65537), 3, 5);
}

RH_TEST(49, "keeps the order as promised", RH_RUN_TEST(0.2, 0.1)) {
  if (!(trial->strategy->promises & RH_KEEPS_ORDER))
    return rh_trial_skip(trial,
                         "does not promise it, so the host declines operators that do not commute");
  rh_status status =
      rh_try_pair(trial, (rh_pair){RH_OP_affine, RH_TYPE_u64}, 65537, NULL, in_order);
  if (rh_unless_declined(status) == RH_OK) return status;
  return rh_error_prefix(&trial->error, status, "promises to keep the order");
}

/* ---- V54 ---- */

static rh_status some_sizes(rh_rig *rig, uint64_t seed) {
  return rh_rig_cases(rig, seed, RH_KINDS("hash"), RH_SIZES(1, 257, 1003, 20011), 1, 1);
}

/* RH_OK or RH_DECLINED, or a failure. */
static rh_status try_params(rh_trial *trial, rh_pair pair, uint32_t point) {
  int64_t params[RH_MAX_PARAMS];
  RH_FINISHED(rh_text) words = {0};
  rh_point(trial, point, params);
  rh_status status = rh_try_pair(trial, pair, 20011, &(rh_rig_with){.params = params}, some_sizes);
  if (rh_unless_declined(status) == RH_OK) return status;
  rh_point_words(trial->strategy, params, &words);
  return rh_error_prefix(&trial->error, status, "%s%s", words.length ? "with" : "by default",
                         rh_text_get(&words));
}

/* Each parameter at its least, initial and greatest value, for each kind of problem, or for the
 * first one if quick; then random points for all kinds, until enough were accepted. */
RH_TEST(54, "parameters at their ends and at random points", RH_RUN_TEST(6, 1)) {
  rh_pairs kinds;
  uint32_t ends = rh_n_points(trial->strategy, 0), wanted = trial->quick ? 3 : 20;
  if (trial->strategy->n_params == 0) return rh_trial_skip(trial, "has no parameters");
  RH_TRY(rh_pair_kinds(trial, 20011, &kinds));
  for (uint32_t k = 0; k < ends; k++)
    for (uint32_t kind = 0; kind < (trial->quick ? 1 : kinds.n); kind++)
      RH_TRY(rh_unless_declined(try_params(trial, kinds.list[kind], k)));
  for (uint32_t k = 0; k < 20 * wanted && wanted > 0; k++) {
    rh_status status = try_params(trial, kinds.list[k % kinds.n], ends + k);
    RH_TRY(rh_unless_declined(status));
    wanted -= status == RH_OK;
  }
  return RH_OK;
}

RH_RIG_TEST(56, "run only enqueues", 5003, RH_RUN_TEST(0.2, 0.1)) {
  RH_TRY(rh_rig_fill(rig, "hash", seed, 5003, 0));
  rh_imports_watch(rig->trial->path);
  RH_TRY(rh_rig_run(rig));
  rh_imports_seen seen = rh_imports_take();
  if (seen.memory) return rh_trial_fail(rig->trial, "run allocates memory: %s", seen.last);
  if (!(rig->reads || seen.waits) || rig->answer.finishes_on_host || !rig->session) return RH_OK;
  return rh_trial_fail(rig->trial,
                       "run waits (%s), although it is declared to finish on the device",
                       rig->reads ? "read()" : seen.last);
}

RH_TEST(57, "a build error is reported with its location", RH_RUN_TEST(1, 0.1)) {
  const rh_rig_with with = {.in_front = "#error injected by redhost --verify\n"};
  rh_pairs pairs;
  RH_FINISHED(rh_rig) rig = {.trial = NULL};
  if (!trial->session) return rh_trial_skip(trial, "builds nothing");
  RH_TRY(rh_served_pairs(trial, 1003, 1, &pairs));
  rh_status status = rh_rig_open(&rig, trial, pairs.list[0], 1003, &with);
  if (status == RH_OK && rig.code == 0)
    return rh_trial_skip(trial, "builds nothing with the host's build()");
  if (status == RH_OK)
    return rh_trial_fail(trial, "a kernel did not build, but setup reported no error");
  if (strstr(trial->error.message, ".cl")) return RH_OK;
  return rh_trial_fail(trial, "a kernel did not build, but the error has no location: %s",
                       trial->error.message);
}
