/* V49, V54, V56, V57: promises about order, bits, parameters and run. */
#include "../../core/base/error.h"
#include "../../core/run/instance.h"
#include "imports.h"
#include "problems.h"

#include <string.h>

#define COUNT(array) (sizeof array / sizeof *array)

/* ---- V49 ---- */

rh_outcome rh_v49_order(rh_trial *trial) {
  static const uint64_t at[] = {1, 2, 3, 17, 64, 65, 255, 257, 1003, 4097, 65537};
  rh_rig rig;
  if (!(trial->strategy->promises & RH_KEEPS_ORDER))
    return rh_trial_skip(trial,
                         "does not promise it, so the host declines operators that do not commute");
  rh_status status = rh_rig_open(&rig, trial, (rh_pair){RH_OP_affine, RH_TYPE_u64}, 65537, NULL);
  for (size_t k = 0; k < 3 * COUNT(at) && status == RH_OK; k++)
    status = rh_rig_case(&rig, "hash", trial->seed + k % 3, at[k / 3], k / 3 % 5);
  if (status != RH_OK && status != RH_DECLINED)
    rh_error_prefix(&rig.error, "promises to keep the order");
  return rh_rig_close(&rig, status);
}

/* ---- V54 ---- */

static rh_outcome try_params(rh_trial *trial, rh_pair pair, const int64_t *params, int *accepted) {
  static const uint64_t at[] = {1, 257, 1003, 20011};
  rh_rig rig;
  rh_status status = rh_rig_open(&rig, trial, pair, 20011, &(rh_rig_with){.params = params});
  *accepted = status == RH_OK;
  for (size_t k = 0; k < sizeof at / sizeof *at && status == RH_OK; k++)
    status = rh_rig_case(&rig, "hash", trial->seed + k, at[k], 0);
  rh_outcome outcome = status == RH_DECLINED ? RH_PASS : rh_rig_outcome(trial, &rig, status);
  if (outcome == RH_FAIL) {
    rh_text words = {0};
    rh_point_words(trial->strategy, params, &words);
    outcome = rh_trial_fail(trial, "%s%s: %s", words.length ? "with" : "by default",
                            rh_text_get(&words), rig.error.message);
    rh_text_finish(&words);
  }
  rh_rig_finish(&rig);
  return outcome;
}

/* Each parameter at its least, initial and greatest value, for each kind of problem, or for the
 * first one if quick; then random points for all kinds, until enough were accepted. */
rh_outcome rh_v54_params(rh_trial *trial) {
  rh_pair kinds[RH_MOST_KINDS];
  int64_t params[RH_MAX_PARAMS] = {0};
  uint32_t ends = rh_n_points(trial->strategy), wanted = trial->quick ? 3 : 20;
  int accepted;
  if (trial->strategy->n_params == 0) return rh_trial_skip(trial, "has no parameters");
  uint32_t n_kinds = rh_pair_kinds(trial, 20011, kinds);
  if (n_kinds == 0) return RH_SKIP;
  rh_outcome outcome = RH_PASS;
  for (uint32_t k = 0; k < ends; k++) {
    rh_point(trial, k, params);
    for (uint32_t kind = 0; kind < (trial->quick ? 1 : n_kinds) && outcome == RH_PASS; kind++)
      outcome = try_params(trial, kinds[kind], params, &accepted);
  }
  for (uint32_t k = 0; k < 20 * wanted && wanted > 0 && outcome == RH_PASS; k++) {
    rh_point(trial, ends + k, params);
    outcome = try_params(trial, kinds[k % n_kinds], params, &accepted);
    wanted -= (uint32_t)accepted;
  }
  return outcome;
}

/* ---- V56, V57 ---- */

RH_RIG_TEST(rh_v56_enqueues, 5003) {
  _Alignas(16) unsigned char value[16];
  RH_TRY(rh_rig_fill(rig, "hash", rig->trial->seed, 5003, 0));
  rh_imports_watch(rig->trial->path);
  RH_TRY(rh_rig_run(rig, value));
  rh_imports_seen seen = rh_imports_take();
  if (seen.memory) return rh_fail(&rig->error, RH_E_WRONG, "run allocates memory: %s", seen.last);
  if (!(rig->reads || seen.waits) || rig->answer.finishes_on_host || !rig->session) return RH_OK;
  return rh_fail(&rig->error, RH_E_WRONG,
                 "run waits (%s), although it is declared to finish on the device",
                 rig->reads ? "read()" : seen.last);
}

rh_outcome rh_v57_build_error(rh_trial *trial) {
  rh_pair pairs[RH_MOST_PAIRS];
  rh_rig rig;
  rh_outcome outcome = RH_PASS;
  if (rh_strategy_is_host(trial->strategy)) return rh_trial_skip(trial, "builds nothing");
  if (rh_served_pairs(trial, 1003, pairs) == 0) return RH_SKIP;
  rh_status status =
      rh_rig_open(&rig, trial, pairs[0], 1003,
                  &(rh_rig_with){.broken_line = "#error injected by redhost --verify"});
  if (status == RH_OK)
    outcome = rig.code ? rh_trial_fail(trial, "a kernel did not build, but setup reported no error")
                       : rh_trial_skip(trial, "builds nothing with the host's build()");
  else if (!strstr(rig.error.message, ".cl"))
    outcome = rh_trial_fail(trial, "a kernel did not build, but the error has no location: %s",
                            rig.error.message);
  rh_rig_finish(&rig);
  return outcome;
}
