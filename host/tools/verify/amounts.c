/* V29: a run uses the resources that query declared, with every parameter. */
#include "../../core/base/error.h"
#include "../../core/plug/plugin.h"
#include "imports.h"
#include "points.h"
#include "problems.h"
#include "raw.h"

/* Counted by the host's services and by watching direct OpenCL calls. */
typedef struct amounts {
  uint32_t launches;
  uint64_t scratch_bytes, local_bytes;
} amounts;

static rh_outcome compare(rh_trial *trial, const rh_rig *rig, const amounts *used,
                          const char *where) {
  const rh_answer *said = &rig->answer;
  unsigned long long n = rig->max_n;
  if (used->launches != said->launches)
    return rh_trial_fail(trial, "n = %llu%s: %u launches, but query said %u", n, where,
                         used->launches, said->launches);
  if (!rig->session && !said->finishes_on_host)
    return rh_trial_fail(trial, "runs on the host, but declares that it finishes on the device");
  if (used->scratch_bytes > said->scratch_bytes)
    return rh_trial_fail(trial, "n = %llu%s: %llu B of device memory, but query said %llu", n,
                         where, (unsigned long long)used->scratch_bytes,
                         (unsigned long long)said->scratch_bytes);
  if (used->local_bytes > said->local_bytes)
    return rh_trial_fail(trial, "n = %llu%s: %llu B of local memory, but query said %llu", n, where,
                         (unsigned long long)used->local_bytes,
                         (unsigned long long)said->local_bytes);
  return RH_PASS;
}

/* A full run, then one over fewer elements, which may take fewer launches but uses the same
 * resources. */
static rh_status use_rig(rh_rig *rig, amounts *used, uint64_t seed) {
  rh_raw_take();
  rh_raw_forget_kernels();
  RH_TRY(rh_rig_setup(rig));
  rh_raw_seen in_setup = rh_raw_take();
  RH_TRY(rh_rig_case(rig, "hash", seed, rig->max_n, 0));
  rh_raw_seen in_run = rh_raw_take();
  used->launches = rig->launches + in_run.launches;
  RH_TRY(rh_rig_case(rig, "hash", seed, rig->max_n / 3, 0));
  rh_raw_seen in_smaller = rh_raw_take();
  used->scratch_bytes = rig->services.scratch_bytes + in_setup.buffer_bytes + in_run.buffer_bytes +
                        in_smaller.buffer_bytes;
  uint64_t raw_local =
      in_run.local_bytes > in_smaller.local_bytes ? in_run.local_bytes : in_smaller.local_bytes;
  used->local_bytes = rig->local_bytes > raw_local ? rig->local_bytes : raw_local;
  return RH_OK;
}

static rh_outcome forecast(rh_trial *trial, rh_pair pair, uint64_t n, uint32_t point,
                           int *accepted) {
  rh_rig rig;
  amounts used = {0};
  rh_text where = {0};
  rh_status status = rh_rig_init(&rig, trial, pair.op, pair.type, n);
  rh_point(trial, point, rig.params);
  if (status == RH_OK) status = use_rig(&rig, &used, trial->seed);
  *accepted = status != RH_DECLINED;
  rh_outcome outcome = status == RH_DECLINED ? RH_PASS : rh_rig_outcome(trial, &rig, status);
  rh_point_words(trial->strategy, rig.params, &where);
  if (outcome == RH_PASS && *accepted) outcome = compare(trial, &rig, &used, rh_text_get(&where));
  rh_text_finish(&where);
  rh_rig_finish(&rig);
  return outcome;
}

rh_outcome rh_v29_forecast(rh_trial *trial) {
  static const uint64_t at[] = {1003, 65537, 1, 1000003};
  rh_pair pairs[RH_MOST_PAIRS];
  uint32_t n = rh_served_pairs(trial, 1000003, pairs), points = rh_n_points(trial->strategy);
  rh_outcome outcome = n ? RH_PASS : RH_SKIP;
  int accepted;
  rh_raw_watch(trial->path);
  for (uint32_t k = 0; k < points + (trial->quick ? 0 : 10) && outcome == RH_PASS; k++) {
    if (k > 0 && trial->strategy->n_params == 0) break;
    for (size_t j = 0; j < (k == 0 ? 4u : trial->quick ? 1u : 3u) && outcome == RH_PASS; j++)
      outcome = forecast(trial, pairs[0], at[j], k, &accepted);
  }
  rh_imports_restore();
  return outcome;
}
