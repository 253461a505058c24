/* V52: no element exceeds the declared depth, with every parameter. */
#include "../../core/base/error.h"
#include "../../core/run/instance.h"
#include "depth.h"
#include "points.h"
#include "problems.h"

#include <stdio.h>

/* The operator counts combinations, as the error bound does.  Rounding errors could only estimate
 * the depth; a counter is exact. */
static rh_outcome measure(rh_trial *trial, uint64_t n, uint32_t point, const rh_device *device,
                          const char *how, double *run_s) {
  int64_t params[RH_MAX_PARAMS];
  uint32_t deepest = 0;
  uint64_t declared = 0;
  rh_error *error = &trial->error;
  rh_point(trial, point, params);
  rh_status status = rh_depth_measure(trial, n, params, device, &deepest, &declared, run_s, error);
  /* A strategy may decline some parameters or devices and accept others. */
  if (device && status != RH_OK) return RH_PASS;
  if (status == RH_DECLINED) return point ? RH_PASS : rh_trial_skip(trial, "%s", error->message);
  if (status != RH_OK) return rh_trial_fail(trial, "%s", error->message);
  if (!declared || deepest <= declared) return RH_PASS;
  rh_text where = {0};
  rh_point_words(trial->strategy, params, &where);
  rh_trial_fail(trial,
                "n = %llu%s%s: an element passes through %u combinations, but query "
                "declared %llu",
                (unsigned long long)n, rh_text_get(&where), how, deepest,
                (unsigned long long)declared);
  rh_text_finish(&where);
  return RH_FAIL;
}

static rh_outcome at_points(rh_trial *trial) {
  static const uint64_t at[] = {20011, 1003, 3, 300007};
  uint32_t points = rh_n_points(trial->strategy) + (trial->quick ? 0 : 15);
  rh_outcome outcome = RH_PASS;
  double run_s;
  if (trial->strategy->n_params == 0) return RH_PASS;
  for (uint32_t k = 1; k < points && outcome == RH_PASS; k++)
    for (size_t j = 0; j < (trial->quick ? 1u : 4u) && outcome == RH_PASS; j++)
      outcome = measure(trial, at[j], k, NULL, "", &run_s);
  return outcome;
}

static rh_outcome on_other_devices(rh_trial *trial) {
  rh_cl_session *session;
  rh_device device;
  char how[160], where[200];
  double run_s;
  const rh_device *real = rh_host_device();
  rh_outcome outcome = RH_PASS;
  if (!rh_strategy_is_host(trial->strategy)) {
    if (rh_context_session(trial->context, &session, &trial->error) != RH_OK) return RH_PASS;
    real = &session->device->about;
  }
  for (uint32_t k = 0; rh_other_device(real, k, &device, how) && outcome == RH_PASS; k++) {
    if (trial->quick && k % 7 != 0) continue; /* one of each kind */
    snprintf(where, sizeof where, " on a device with %s", how);
    outcome = measure(trial, 20011, 0, &device, where, &run_s);
  }
  return outcome;
}

/* Under contention for one address, time grows faster than the number of elements. */
#define MOST_RUN_S 0.2

rh_outcome rh_v52_depth(rh_trial *trial) {
  static const uint64_t at[] = {1, 2, 3, 33, 257, 1003, 4097, 65537, 1000003, 1u << 22};
  enum { N = sizeof at / sizeof *at };
  rh_outcome outcome = RH_PASS;
  double run_s = 0;
  for (size_t k = 0; k < N - (trial->quick ? 1 : 0) && outcome == RH_PASS; k++) {
    if (at[k] > 65537 && run_s > MOST_RUN_S) break;
    outcome = measure(trial, at[k], 0, NULL, "", &run_s);
  }
  if (outcome == RH_PASS) outcome = at_points(trial);
  return outcome == RH_PASS ? on_other_devices(trial) : outcome;
}
