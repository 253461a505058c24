/* V64 and V84.  Oclgrind, an OpenCL interpreter, checks every access of every work-item.  Only an
 * interpreter sees accesses to local memory and to a device's own memory, and what two work-items
 * do to one place without a barrier between them. */
#include "internal.h"

#include <sys/mman.h>

#include "../../choose/choose.h"

/* ---- What it found ---- */

/* 1 and the beginning of Oclgrind's words, on one line, if there was an access out of bounds, or a
 * race: "Invalid read of size 4 at ... Kernel: right ... At line 7 ...". */
static int found_access(int log, char *what, size_t bytes) {
  char text[4096];
  ssize_t length = pread(log, text, sizeof text - 1, 0);
  text[length > 0 ? length : 0] = 0;
  const char *access = strstr(text, "Invalid "), *race = strstr(text, " data race at ");
  while (race && race > text && race[-1] != '\n') race--;
  const char *at = !race || (access && access < race) ? access : race;
  if (!at) return 0;
  size_t written = 0;
  for (; *at && written + 1 < bytes; at++) {
    int is_blank = *at == '\n' || *at == '\t' || *at == ' ';
    if (!is_blank || (written && what[written - 1] != ' ')) what[written++] = is_blank ? ' ' : *at;
  }
  what[written] = 0;
  return 1;
}

/* ---- Cases ---- */

enum { MOST_N = 4099, MOST_N_AT_LENGTH = 65537 };
static const double enough_s = 8, enough_quick_s = 0.6;

/* The range ends at the end of the input, and the result buffer holds one value. */
static rh_status try_range(rh_rig *rig, uint64_t n, uint64_t first) {
  RH_TRY(rh_fixture_make(&rig->own, rig->session, &rig->row, NULL, first + n, 1, rig->error));
  return rh_rig_reduce(rig, "hash", 1 + n, n, first);
}

/* Only memory accesses are checked: other tests check results, on real devices. */
static rh_status try_ranges(rh_rig *rig, int log, double until) {
  static const uint64_t at[] = {1003, 1, 65, MOST_N, MOST_N_AT_LENGTH, 1024, 17, 256, 257, 2047, 3};
  char what[256];
  for (size_t k = 0; k < RH_COUNT(at); k++) {
    if (k > 2 && rh_now() > until) break;
    if (at[k] > rig->max_n) continue;
    rh_status status = try_range(rig, at[k], k % 4);
    if (found_access(log, what, sizeof what))
      return rh_trial_fail(rig->trial, "%s of %s, n = %llu, first = %d: %s", rh_op_name(rig->op),
                           rh_type_name(rig->type), (unsigned long long)at[k], (int)(k % 4), what);
    RH_TRY(status);
  }
  return RH_OK;
}

/* small: one unit and small groups: a group's loops run more often, and what two of their turns do
 * to local memory without a barrier between them is a race. */
static rh_status in_groups(rh_trial *trial, rh_pair pair, int log, int is_small, double until) {
  RH_FINISHED(rh_rig) rig;
  rh_device small = *trial->device;
  small.compute_units = 1;
  if (small.max_group > 16) small.max_group = 16;
  rh_status status = rh_rig_open(&rig, trial, pair, trial->quick ? MOST_N : MOST_N_AT_LENGTH,
                                 &(rh_rig_with){.device = is_small ? &small : NULL});
  if (status == RH_OK) status = try_ranges(&rig, log, until);
  if (status == RH_OK || status == RH_E_WRONG) return status;
  return is_small ? RH_OK : rh_trial_skip(trial, "Oclgrind: %s", trial->error.message);
}

static rh_status try_pairs_in(rh_trial *trial, int log) {
  rh_pairs pairs;
  double until = rh_now() + (trial->quick ? enough_quick_s : enough_s);
  RH_TRY(rh_served_pairs(trial, MOST_N, 1, &pairs));
  for (uint32_t k = 0; k < pairs.n && (k == 0 || rh_now() < until); k++) {
    RH_TRY(in_groups(trial, pairs.list[k], log, 0, until));
    if (k == 0) RH_TRY(in_groups(trial, pairs.list[k], log, 1, until));
  }
  return RH_OK;
}

/* Opens Oclgrind's devices, in place of every other OpenCL of this process; those of the trial
 * belong to other drivers.  The findings go to a file in memory. */
static rh_status in_oclgrind(rh_trial *trial, const char *library, int log) {
  rh_trial other;
  rh_options options = trial->context->options;
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", log);
  setenv("OCL_ICD_VENDORS", library, 1);   /* for one loader, */
  setenv("OCL_ICD_FILENAMES", library, 1); /* and for another */
  setenv("OCLGRIND_LOG", path, 1);
  setenv("OCLGRIND_DATA_RACES", "1", 1);
  /* Oclgrind 21.10 does not know an intrinsic that optimised code contains. */
  setenv("OCLGRIND_BUILD_OPTIONS", "-cl-opt-disable", 1);
  options.device = "Oclgrind";
  options.no_cache = 1;
  if (rh_trial_copy(&other, trial, &options) != RH_OK)
    return rh_trial_skip(trial, "%s", trial->error.message);
  rh_status status = try_pairs_in(&other, log);
  trial->error = other.error;
  rh_context_close(other.context);
  return status;
}

RH_TEST(64, "no access out of bounds and no data race, by Oclgrind", RH_NEEDS_INTERPRETER,
        RH_OF_STRATEGY, 1, 120, 5, 0.7) {
  /* Where its own launcher finds it: beside a directory of programs. */
  RH_FREED(char) library = rh_path_search("../lib/oclgrind/liboclgrind-rt-icd.so", R_OK);
  if (rh_strategy_is_host(trial->strategy)) return rh_trial_skip(trial, "runs on the host");
  if (!library)
    return rh_trial_skip(trial, "Oclgrind is not installed (Debian's package oclgrind)");
  if (!trial->channel)
    return rh_trial_skip(trial, "needs a process in which no other OpenCL is loaded");
  int log = memfd_create("redhost-oclgrind", MFD_CLOEXEC);
  if (log < 0) return rh_trial_skip(trial, "no memory for what Oclgrind finds");
  rh_status status = in_oclgrind(trial, library, log);
  close(log);
  return status;
}

/* ---- V84 ---- */

/* A device that runs the items of a group one after the other, between two barriers, hides a
 * missing barrier where the first item is the one that has to be first.  Nothing says which item
 * has which number, so a kernel may find the last one first: then whatever one item left for
 * another, without a barrier, comes too late.  So it is with groups. */

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

/* Twice each, for what one launch leaves to the next. */
static rh_status in_another_order(rh_rig *rig, uint64_t seed) {
  for (int again = 0; again < 2; again++)
    RH_TRY(rh_rig_cases(rig, seed, RH_KINDS("hash"),
                        RH_SIZES(65537, 1, 2, 33, 64, 257, 1003, 4099, 20011, 65536), 1, 3));
  return RH_OK;
}

/* On a GPU the items of a group run together, and shuffles between them, as between those of a
 * sub-group, go by the device's own numbers. */
RH_TEST(84, "work-items and groups in any order", RH_RUN_TEST(4, 0.3)) {
  const rh_rig_with with = {.in_front = turned};
  if (!trial->session) return rh_trial_skip(trial, "runs on the host");
  if (trial->device->kind != RH_DEVICE_CPU || trial->device->features & RH_SUBGROUPS)
    return rh_trial_skip(trial, "this device runs several work-items at a time, by its own order");
  return rh_try_pairs(trial, 65537, 3, NULL, &with, in_another_order);
}
