#include "cl.h"

#include <stdatomic.h>

/* Older devices answer newer queries with an error, which means "no" unless OpenCL requires the
 * query.  Any other failure leaves a query without an answer: the first one is recorded, and the
 * device is not used. */
static void judge_answer(rh_cl_device *device, cl_int code, int is_required) {
  if (code == CL_SUCCESS || device->failed != CL_SUCCESS) return;
  if (is_required || code != CL_INVALID_VALUE) device->failed = code;
}

static const struct {
  size_t at; /* in the device */
  cl_uint what;
  int is_of_platform;
} strings[] = {{offsetof(rh_cl_device, name), CL_DEVICE_NAME, 0},
               {offsetof(rh_cl_device, vendor), CL_DEVICE_VENDOR, 0},
               {offsetof(rh_cl_device, driver), CL_DRIVER_VERSION, 0},
               {offsetof(rh_cl_device, version), CL_DEVICE_VERSION, 0},
               {offsetof(rh_cl_device, c_version), CL_DEVICE_OPENCL_C_VERSION, 0},
               {offsetof(rh_cl_device, extensions), CL_DEVICE_EXTENSIONS, 0},
               {offsetof(rh_cl_device, platform_name), CL_PLATFORM_NAME, 1},
               {offsetof(rh_cl_device, platform_version), CL_PLATFORM_VERSION, 1}};
enum { N_STRINGS = sizeof strings / sizeof *strings };

static char **string_of(rh_cl_device *device, int k) {
  return (char **)(void *)((char *)device + strings[k].at);
}

static cl_int ask_bytes(const rh_cl_device *device, int k, size_t bytes, void *to, size_t *size) {
  return strings[k].is_of_platform
             ? rh_cl.GetPlatformInfo(device->platform, strings[k].what, bytes, to, size)
             : rh_cl.GetDeviceInfo(device->id, strings[k].what, bytes, to, size);
}

/* Null if out of memory. */
static char *ask_string(rh_cl_device *device, int k) {
  size_t size = 0;
  cl_int code = ask_bytes(device, k, 0, NULL, &size);
  char *s = calloc(size + 1, 1);
  if (s && code == CL_SUCCESS && size) code = ask_bytes(device, k, size, s, NULL);
  judge_answer(device, code, 1);
  return s;
}

/* A number of at most 64 bits; 0 if the device does not have it. */
static uint64_t ask_number(rh_cl_device *device, cl_device_info what, int is_required) {
  uint64_t number = 0; /* little endian: a narrower number fills the low bytes */
  cl_int code = rh_cl.GetDeviceInfo(device->id, what, sizeof number, &number, NULL);
  judge_answer(device, code, is_required);
  return code == CL_SUCCESS ? number : 0;
}

static uint64_t optional_number(rh_cl_device *device, cl_device_info what) {
  return ask_number(device, what, 0);
}

static uint64_t device_number(rh_cl_device *device, cl_device_info what) {
  return ask_number(device, what, 1);
}

static uint32_t kind_of(rh_cl_device *device) {
  uint64_t type = device_number(device, CL_DEVICE_TYPE);
  if (type & CL_DEVICE_TYPE_GPU) return RH_DEVICE_GPU;
  return type & CL_DEVICE_TYPE_CPU ? RH_DEVICE_CPU : RH_DEVICE_ACCELERATOR;
}

static int has_extension(const rh_cl_device *device, const char *name) {
  size_t length = strlen(name);
  for (const char *p = device->extensions; (p = strstr(p, name)); p += length)
    if ((p == device->extensions || p[-1] == ' ') && (p[length] == 0 || p[length] == ' ')) return 1;
  return 0;
}

/* "OpenCL C 1.2 PoCL" is 120. */
static uint32_t c_version_number(const char *c_version) {
  unsigned major = 1, minor = 0;
  sscanf(c_version, "OpenCL C %u.%u", &major, &minor);
  return major * 100 + minor * 10;
}

/* Features that OpenCL 3 made optional.  Every OpenCL 3 device answers these queries; 0 before. */
static uint64_t number_of_3(rh_cl_device *device, cl_device_info what) {
  unsigned major = 1;
  sscanf(device->version, "OpenCL %u", &major);
  return ask_number(device, what, major >= 3);
}

static uint64_t features_of(rh_cl_device *device) {
  const uint64_t atomics = CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_SCOPE_DEVICE;
  uint64_t features = 0;
  if (optional_number(device, CL_DEVICE_DOUBLE_FP_CONFIG)) features |= RH_FP64;
  if (has_extension(device, "cl_khr_int64_base_atomics") &&
      has_extension(device, "cl_khr_int64_extended_atomics"))
    features |= RH_INT64_ATOMICS;
  if (has_extension(device, "cl_khr_subgroups") || has_extension(device, "cl_intel_subgroups") ||
      number_of_3(device, CL_DEVICE_MAX_NUM_SUB_GROUPS))
    features |= RH_SUBGROUPS;
  /* A block read's shape is the sub-group's, so its size must be the program's choice. */
  if (has_extension(device, "cl_intel_subgroups") &&
      has_extension(device, "cl_intel_required_subgroup_size"))
    features |= RH_INTEL_SUBGROUP_BLOCKS;
  /* Parts of OpenCL 2; optional in 3, which answers these queries. */
  unsigned version = c_version_number(device->c_version);
  int is_2 = version >= 200 && version < 300;
  if (is_2 || number_of_3(device, CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT))
    features |= RH_WORK_GROUP_COLLECTIVES;
  if (is_2 || (number_of_3(device, CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES) & atomics) == atomics)
    features |= RH_DEVICE_SCOPE_ATOMICS;
  return features;
}

/* OpenCL reports it for kernels only; two vendors have a query for devices. */
static void find_subgroup_sizes(rh_cl_device *device) {
  enum { SUB_GROUP_SIZES_INTEL = 0x4108, WARP_SIZE_NV = 0x4003 };
  rh_device *about = &device->about;
  size_t sizes[16], bytes = 0;
  about->subgroup_min = about->subgroup_max = (uint32_t)optional_number(device, WARP_SIZE_NV);
  if (!has_extension(device, "cl_intel_required_subgroup_size")) return;
  cl_int code = rh_cl.GetDeviceInfo(device->id, SUB_GROUP_SIZES_INTEL, sizeof sizes, sizes, &bytes);
  judge_answer(device, code, 1);
  if (code != CL_SUCCESS) return;
  for (size_t k = 0; k < bytes / sizeof *sizes; k++) {
    uint32_t size = (uint32_t)sizes[k];
    if (k == 0 || size < about->subgroup_min) about->subgroup_min = size;
    if (k == 0 || size > about->subgroup_max) about->subgroup_max = size;
  }
}

/* A CPU has no local memory of its own, and PoCL names the size of its cache.  At a barrier PoCL
 * keeps what each work-item holds on the stack of a thread, up to nine times what the group has in
 * local memory (PoCL 3.1, a user's operator of 128 bytes), and a stack has 8 MiB. */
static uint64_t local_bytes_of(rh_cl_device *device) {
  const uint64_t most_on_a_cpu = 512 << 10;
  uint64_t bytes = device_number(device, CL_DEVICE_LOCAL_MEM_SIZE);
  return kind_of(device) == RH_DEVICE_CPU && bytes > most_on_a_cpu ? most_on_a_cpu : bytes;
}

static void describe(rh_cl_device *device) {
  enum { COMPUTE_CAPABILITY_MAJOR_NV = 0x4000, COMPUTE_CAPABILITY_MINOR_NV = 0x4001 };
  device->about = (rh_device){
      .struct_size = sizeof device->about,
      .kind = kind_of(device),
      .cl_version = c_version_number(device->c_version),
      .vendor_id = (uint32_t)device_number(device, CL_DEVICE_VENDOR_ID),
      .compute_units = (uint32_t)device_number(device, CL_DEVICE_MAX_COMPUTE_UNITS),
      .max_group = (uint32_t)device_number(device, CL_DEVICE_MAX_WORK_GROUP_SIZE),
      .local_bytes = local_bytes_of(device),
      .global_bytes = device_number(device, CL_DEVICE_GLOBAL_MEM_SIZE),
      .max_alloc_bytes = device_number(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE),
      .features = features_of(device),
      .name = device->name,
      .driver = device->driver,
      .extensions = device->extensions,
  };
  if (device->about.compute_units == 0) device->about.compute_units = 1;
  if (device->about.max_group == 0) device->about.max_group = 1;
  find_subgroup_sizes(device);
  if (has_extension(device, "cl_nv_device_attribute_query"))
    device->nvidia_sm = (uint32_t)(10 * device_number(device, COMPUTE_CAPABILITY_MAJOR_NV) +
                                   device_number(device, COMPUTE_CAPABILITY_MINOR_NV));
  if (device->nvidia_sm)
    snprintf(device->family, sizeof device->family, "compute capability %u",
             device->nvidia_sm / 10);
  else if (device->about.kind == RH_DEVICE_CPU) rh_processor_family(device->family);
  device->clock_hz = optional_number(device, CL_DEVICE_MAX_CLOCK_FREQUENCY) * 1000000;
  device->cache_bytes = optional_number(device, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
  device->alignment = optional_number(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
  device->timer_step_s =
      1e-9 * (double)optional_number(device, CL_DEVICE_PROFILING_TIMER_RESOLUTION);
  device->shares_memory = optional_number(device, CL_DEVICE_HOST_UNIFIED_MEMORY) != 0;
  uint64_t of_f32 = device_number(device, CL_DEVICE_SINGLE_FP_CONFIG);
  device->flushes_f32 = !(of_f32 & CL_FP_DENORM);
  device->divides_exactly = (of_f32 & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
  device->flushes_f64 = !(optional_number(device, CL_DEVICE_DOUBLE_FP_CONFIG) & CL_FP_DENORM);
}

static void release_device(rh_cl_device *device) {
  for (int k = 0; k < N_STRINGS; k++) free(*string_of(device, k));
}

static rh_status no_memory(rh_error *error) {
  return rh_fail(error, RH_E_NOMEM, "no memory for the list of devices");
}

/* Queries the strings first, because features depend on the version and extensions. -1: out of
 * memory. */
static int ask_all(rh_cl_device *device) {
  for (int k = 0; k < N_STRINGS; k++)
    if (!(*string_of(device, k) = ask_string(device, k))) return -1;
  describe(device);
  return 0;
}

static rh_status add_fault(rh_cl_devices *devices, const char *what, cl_int code, rh_error *error) {
  if (rh_strings_add(&devices->faults, &devices->n_faults, "%s: %s (%d)", what,
                     rh_cl_status_name(code), code) == 0)
    return RH_OK;
  return no_memory(error);
}

static rh_status add_device(rh_cl_devices *devices, cl_platform_id platform, cl_device_id id,
                            uint32_t platform_index, uint32_t index, rh_error *error) {
  RH_TRY(RH_ROOM(&devices->list, devices->n, "the list of devices", error));
  rh_cl_device *device = &devices->list[devices->n];
  *device = (rh_cl_device){.platform = platform, .id = id, .index = devices->n_seen++};
  snprintf(device->label, sizeof device->label, "%u:%u", platform_index, index);
  rh_status status = ask_all(device) == 0 ? RH_OK : no_memory(error);
  if (status == RH_OK && device->failed == CL_SUCCESS) {
    devices->n++;
    return RH_OK;
  }
  char what[160];
  snprintf(what, sizeof what, "device %s does not answer queries%s%.100s", device->label,
           device->name && *device->name ? ", " : "", device->name ? device->name : "");
  if (status == RH_OK) status = add_fault(devices, what, device->failed, error);
  release_device(device);
  return status;
}

static rh_status add_platform(rh_cl_devices *devices, cl_platform_id platform, uint32_t index,
                              rh_error *error) {
  cl_device_id ids[64];
  cl_uint n = 0;
  cl_int code = rh_cl.GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 64, ids, &n);
  if (code == CL_DEVICE_NOT_FOUND) return RH_OK; /* a driver without a device */
  if (code != CL_SUCCESS) {
    char what[64];
    snprintf(what, sizeof what, "OpenCL platform %u does not list its devices", index);
    return add_fault(devices, what, code, error);
  }
  if (n > 64) n = 64;
  for (cl_uint k = 0; k < n; k++) RH_TRY(add_device(devices, platform, ids[k], index, k, error));
  return RH_OK;
}

static rh_status find_devices(rh_cl_devices *devices, rh_error *error) {
  enum { PLATFORM_NOT_FOUND = -1001 }; /* from the loader (cl_khr_icd): there is no platform */
  cl_platform_id platforms[64];
  *devices = (rh_cl_devices){0};
  rh_error why = {0};
  if (rh_opencl_open(&why) != RH_OK)
    return rh_copy(&devices->no_opencl, why.message, "the list of devices", error);
  rh_status status = RH_OK;
  cl_int code = rh_cl.GetPlatformIDs(64, platforms, &devices->n_platforms);
  if (code != CL_SUCCESS) devices->n_platforms = 0;
  if (code != CL_SUCCESS && code != PLATFORM_NOT_FOUND)
    status = add_fault(devices, "OpenCL does not list its platforms", code, error);
  if (devices->n_platforms > 64) devices->n_platforms = 64;
  for (cl_uint k = 0; k < devices->n_platforms && status == RH_OK; k++)
    status = add_platform(devices, platforms[k], k, error);
  if (status != RH_OK) rh_cl_devices_finish(devices);
  return status;
}

/* One thread of the process at a time: PoCL 3.1 crashes where two ask it first at once.  Drivers
 * start threads, which a process that is forked later lacks: it would wait for them without end. */
rh_status rh_cl_devices_find(rh_cl_devices *devices, rh_error *error) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static _Atomic(pid_t) in_use_by;
  pid_t before = 0, here = getpid();
  if (rh_is_privileged())
    return rh_fail(error, RH_E_DEVICE,
                   "no device is used, because the program runs with raised privileges: drivers "
                   "load and start what the environment names");
  if (!atomic_compare_exchange_strong(&in_use_by, &before, here) && before != here)
    return rh_fail(error, RH_E_DEVICE,
                   "OpenCL was in use before this process was forked, and drivers do not survive "
                   "fork(); call fork() before any use of a device, or start a program by exec()");
  pthread_mutex_lock(&lock);
  rh_fpstate saved = rh_fpstate_save();
  rh_status status = find_devices(devices, error);
  rh_fpstate_restore(&saved);
  pthread_mutex_unlock(&lock);
  return status;
}

void rh_cl_devices_finish(rh_cl_devices *devices) {
  for (uint32_t k = 0; k < devices->n; k++) release_device(&devices->list[k]);
  for (uint32_t k = 0; k < devices->n_faults; k++) free(devices->faults[k]);
  free(devices->list);
  free(devices->faults);
  free(devices->no_opencl);
  *devices = (rh_cl_devices){0};
}

const char *rh_device_kind_name(uint32_t kind) {
  switch (kind) {
  case RH_DEVICE_HOST: return "host";
  case RH_DEVICE_CPU: return "cpu";
  case RH_DEVICE_GPU: return "gpu";
  default: return "accelerator";
  }
}
