/* V84: work-items and groups in another order.  A device that runs the items of a group one after
 * the other, between two barriers, hides a missing barrier where the first item is the one that has
 * to be first.  Nothing says which item has which number, so a kernel may find the last one first:
 * then whatever one item left for another, without a barrier, comes too late.  So it is with
 * groups. */
#include "../../core/base/error.h"
#include "../../core/plug/plugin.h"
#include "../../core/run/instance.h"
#include "problems.h"

#include <stdlib.h>
#include <string.h>

/* Groups keep their order if the last one is smaller. */
static const char turned[] =
    "static inline size_t rh_turned_local(uint d) { return get_local_size(d) - 1 -\n"
    "  get_local_id(d); }\n"
    "static inline size_t rh_turned_group(uint d) {\n"
    "  int whole = get_num_groups(d) * get_local_size(d) == get_global_size(d);\n"
    "  return whole ? get_num_groups(d) - 1 - get_group_id(d) : get_group_id(d);\n"
    "}\n"
    "static inline size_t rh_turned_global(uint d) {\n"
    "  return get_global_id(d) + (rh_turned_group(d) - get_group_id(d)) * get_local_size(d) +\n"
    "    rh_turned_local(d) - get_local_id(d);\n"
    "}\n"
    "#define get_local_id rh_turned_local\n"
    "#define get_group_id rh_turned_group\n"
    "#define get_global_id rh_turned_global\n"
    "#define get_local_linear_id() ((get_local_id(2) * get_local_size(1) + get_local_id(1)) * \\\n"
    "  get_local_size(0) + get_local_id(0))\n"
    "#define get_global_linear_id() (((get_global_id(2) - get_global_offset(2)) * \\\n"
    "  get_global_size(1) + get_global_id(1) - get_global_offset(1)) * get_global_size(0) + \\\n"
    "  get_global_id(0) - get_global_offset(0))\n";

static rh_status turn(rh_rig *rig) {
  size_t bytes = sizeof turned + strlen(rig->prelude);
  char *all = malloc(bytes);
  if (!all) return rh_fail(&rig->error, RH_E_NOMEM, "no memory for a program's source");
  memcpy(all, turned, sizeof turned);
  memcpy(all + sizeof turned - 1, rig->prelude, strlen(rig->prelude) + 1);
  free(rig->prelude);
  rig->prelude = all;
  rig->row.prelude = all;
  return RH_OK;
}

/* Twice each, for what one launch leaves to the next. */
static rh_status in_another_order(rh_rig *rig, uint64_t seed) {
  static const uint64_t at[] = {65537, 1, 2, 33, 64, 257, 1003, 4099, 20011, 65536};
  for (uint64_t again = 0; again < 2; again++)
    for (size_t k = 0; k < sizeof at / sizeof *at; k++)
      RH_TRY(rh_rig_case(rig, "hash", seed + k, at[k], k % 3));
  return RH_OK;
}

static rh_outcome try_pair(rh_trial *trial, rh_pair pair, uint64_t max_n) {
  rh_rig rig;
  rh_status status = rh_rig_init(&rig, trial, pair.op, pair.type, max_n);
  if (status == RH_OK) status = turn(&rig);
  if (status == RH_OK) status = rh_rig_setup(&rig);
  if (status == RH_OK) status = in_another_order(&rig, trial->seed);
  rh_outcome outcome = rh_rig_outcome(trial, &rig, status);
  if (status == RH_E_WRONG)
    outcome =
        rh_trial_fail(trial, "with the last work-item and group first: %s", rig.error.message);
  rh_rig_finish(&rig);
  return outcome;
}

/* On a GPU the items of a group run together, and shuffles between them, as between those of a
 * sub-group, go by the device's own numbers. */
static rh_outcome has_own_numbers(rh_trial *trial) {
  rh_cl_session *session = NULL;
  if (rh_strategy_is_host(trial->strategy)) return rh_trial_skip(trial, "runs on the host");
  if (rh_context_session(trial->context, &session, &trial->error) != RH_OK)
    return rh_trial_skip(trial, "%s", trial->error.message);
  const rh_device *device = &session->device->about;
  if (device->kind != RH_DEVICE_CPU || device->features & RH_SUBGROUPS)
    return rh_trial_skip(trial, "this device runs several work-items at a time, by its own order");
  return RH_PASS;
}

rh_outcome rh_v84_schedule(rh_trial *trial) {
  enum { MAX_N = 65537, QUICK_PAIRS = 3 };
  rh_pair pairs[RH_MOST_PAIRS];
  rh_outcome outcome = has_own_numbers(trial);
  if (outcome != RH_PASS) return outcome;
  uint32_t n = rh_some_pairs(trial, MAX_N, QUICK_PAIRS, pairs);
  if (n == 0) return RH_SKIP;
  for (uint32_t k = 0; k < n && outcome == RH_PASS; k++) outcome = try_pair(trial, pairs[k], MAX_N);
  return outcome;
}
