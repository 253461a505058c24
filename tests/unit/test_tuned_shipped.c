/* host/choose/tunedb: the defaults that come with redhost, and for which devices they are. */
#include "../../host/choose/tunedb/internal.h"
#include "tuned_nvidia.json.h"
#include "tuned_pocl_amd.json.h"
#include "tuned_pocl_intel.json.h"
#include "tuned_support.h"

static char pocl[] = "Portable Computing Language", nvidia[] = "NVIDIA CUDA";

CASES(all, .set_up = set_up, .tear_down = tear_down)

TEST(shipped_defaults) {
  static const char *const texts[] = {tuned_nvidia_json, tuned_pocl_amd_json,
                                      tuned_pocl_intel_json};
  for (size_t n = 0; n < sizeof texts / sizeof *texts; n++) {
    json_t *document = json_loads(texts[n], JSON_REJECT_DUPLICATES, NULL);
    ck_assert_ptr_nonnull(json_object_get(document, "name"));
    ck_assert_ptr_nonnull(json_object_get(document, "family"));
    ck_assert_uint_gt(json_array_size(json_object_get(document, "strategies")), 0);
    const json_t *entries = json_object_get(document, "entries");
    for (size_t k = 0; k < json_array_size(entries); k++) {
      rh_tunedb_entry entry;
      must(rh_tunedb_entry_take(json_array_get(entries, k), &entry, &error));
      ck_assert(entry.op && entry.plugin == 0 && !entry.failed && entry.time_s > 0);
    }
    json_decref(document);
  }
}

static const rh_tunedb_entry *used(uint64_t n) {
  return rh_tunedb_find(tuned, asked("two_stage_float4", 7, RH_OP_sum, RH_TYPE_f32, 0, n));
}

/* What was measured here comes first where it says something about the parameters, for this
 * operator and type, at sizes within a factor of 2 or as near. */
static void check_measured_and_shipped(void) {
  rh_tunedb_entry entry = entry_of("two_stage_float4", RH_OP_sum, RH_TYPE_f32, 1 << 24, 5);
  must(rh_tunedb_put(tuned, &entry, &error));
  ck_assert_uint_eq(used(1 << 24)->origin, RH_TUNED_SHIPPED); /* merely measured */
  entry.op = rh_operator_builtin(RH_OP_max, RH_TYPE_f32);
  entry.searched = 1;
  must(rh_tunedb_put(tuned, &entry, &error));
  ck_assert_uint_eq(used(1 << 24)->origin, RH_TUNED_SHIPPED); /* of another operator */
  entry.op = rh_operator_builtin(RH_OP_sum, RH_TYPE_f32);
  must(rh_tunedb_put(tuned, &entry, &error));
  ck_assert(used(1 << 24)->time_s == 5 && used(1 << 23)->time_s == 5);
  ck_assert(used(1 << 25)->time_s == 5);
  ck_assert_uint_eq(used(1 << 16)->origin, RH_TUNED_SHIPPED); /* a nearer size */
}

TEST(shipped_for_whom) {
  rh_cl_device gpu = device, cpu = device;
  gpu.about.kind = RH_DEVICE_GPU;
  gpu.about.vendor_id = 4318;
  gpu.platform_name = nvidia;
  strcpy(gpu.family, "compute capability 9");
  cpu.about.kind = RH_DEVICE_CPU;
  cpu.platform_name = pocl;
  reopen(&gpu);
  const rh_tunedb_entry *found =
      rh_tunedb_find(tuned, asked("two_stage_float4", 99, RH_OP_sum, RH_TYPE_f32, 0, 1 << 24));
  ck_assert(found && found->origin == RH_TUNED_SHIPPED && rh_tunedb_count(tuned) == 0);
  ck_assert_str_eq(rh_tunedb_shipped_name(tuned), "NVIDIA GPUs");
  const rh_tunedb_timed measured = {
      RH_TUNED_HERE, RH_TUNED_HERE, RH_TUNED_OTHER_SIZE, 0, UINT64_MAX, 0};
  const rh_tunedb_timed shipped = {
      RH_TUNED_SHIPPED, RH_TUNED_SHIPPED, RH_TUNED_SAME, 0, UINT64_MAX, 0};
  ck_assert(!rh_tunedb_find_timed(tuned, &measured,
                                  asked("two_stage_float4", 9, RH_OP_sum, RH_TYPE_f32, 0, 1)));
  check_measured_and_shipped();
  found = rh_tunedb_find_timed(tuned, &shipped,
                               asked("two_stage_float4", 7, RH_OP_sum, RH_TYPE_f32, 0, 1 << 24));
  ck_assert(found && found->origin == RH_TUNED_SHIPPED);
  gpu.about.vendor_id = 4098;
  const rh_cl_device *others[] = {&cpu, &gpu, &device};
  static const char *const names[] = {"PoCL on AMD CPUs", "", ""};
  for (int k = 0; k < 3; k++) {
    reopen(others[k]);
    ck_assert_str_eq(rh_tunedb_shipped_name(tuned), names[k]);
  }
}

/* The family decides, then the maker; a processor of neither gets one page at a time. */
TEST_LOOP(shipped_by_family, 0, 7) {
  static const struct {
    const char *family, *name;
    int timed;
  } processors[] = {{"AuthenticAMD 25 17", "PoCL on AMD CPUs", 1},
                    {"AuthenticAMD 26 2", "PoCL on AMD CPUs", 0},
                    {"GenuineIntel 6 143", "PoCL on Intel CPUs", 1},
                    {"GenuineIntel 6 85", "PoCL on Intel CPUs", 0},
                    {"Genuine 6 143", "PoCL on AMD CPUs", 0},
                    {"ARM 0x41 0xd0c", "PoCL on AMD CPUs", 0},
                    {"", "PoCL on AMD CPUs", 0}};
  rh_cl_device cpu = device;
  cpu.about.kind = RH_DEVICE_CPU;
  cpu.platform_name = pocl;
  strcpy(cpu.family, processors[_i].family);
  reopen(&cpu);
  ck_assert_str_eq(rh_tunedb_shipped_name(tuned), processors[_i].name);
  const rh_tunedb_entry *found =
      rh_tunedb_find(tuned, asked("cpu_serial_float4", 99, RH_OP_min, RH_TYPE_f32, 0, 1 << 22));
  ck_assert(found && found->origin == RH_TUNED_SHIPPED && found->settings.n > 0);
  ck_assert_int_eq(found->time_s > 0, processors[_i].timed);
  for (uint32_t k = 0; k < found->settings.n; k++)
    if (strcmp(found->settings.list[k].key, "pages") == 0)
      ck_assert_str_eq(processors[_i].name, "PoCL on Intel CPUs");
}

/* Without a device, the processor of this machine decides. */
TEST(shipped_without_a_device) {
  rh_cl_device cpu = device;
  cpu.about.kind = RH_DEVICE_CPU;
  cpu.platform_name = pocl;
  rh_processor_family(cpu.family);
  OWNED(rh_tunedb) by_device = open_for(&cpu);
  OWNED(rh_tunedb) by_processor = open_for(NULL);
  ck_assert_str_ne(rh_tunedb_shipped_name(by_processor), "");
  ck_assert_str_eq(rh_tunedb_shipped_name(by_processor), rh_tunedb_shipped_name(by_device));
}

/* On a device of another family, or of none that is known, they serve as parameters only. */
TEST_LOOP(shipped_times_are_of_a_family, 0, 3) {
  static const char *const families[] = {"compute capability 9", "compute capability 8", ""};
  rh_cl_device gpu = device;
  gpu.about.kind = RH_DEVICE_GPU;
  gpu.about.vendor_id = 4318;
  gpu.platform_name = nvidia;
  strcpy(gpu.family, families[_i]);
  reopen(&gpu);
  const rh_tunedb_timed any = {RH_TUNED_HERE, RH_TUNED_SHIPPED, RH_TUNED_UNLIKE, 0, UINT64_MAX, 0};
  const rh_tunedb_entry *found =
      rh_tunedb_find(tuned, asked("onepass", 99, RH_OP_sum, RH_TYPE_f32, 0, 1 << 24));
  ck_assert(found && found->origin == RH_TUNED_SHIPPED && found->settings.n > 0);
  ck_assert_int_eq(found->time_s > 0, _i == 0);
  found =
      rh_tunedb_find_timed(tuned, &any, asked("onepass", 99, RH_OP_sum, RH_TYPE_f32, 0, 1 << 24));
  ck_assert_int_eq(found != NULL, _i == 0);
}
