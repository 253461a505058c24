#include "devices.h"
#include "../base/error.h"
#include "status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *device_string(cl_device_id id, cl_device_info what) {
  size_t size = 0;
  if (clGetDeviceInfo(id, what, 0, NULL, &size) != CL_SUCCESS) size = 0;
  char *s = calloc(size + 1, 1);
  if (s && size) clGetDeviceInfo(id, what, size, s, NULL);
  return s;
}

static char *platform_string(cl_platform_id id, cl_platform_info what) {
  size_t size = 0;
  if (clGetPlatformInfo(id, what, 0, NULL, &size) != CL_SUCCESS) size = 0;
  char *s = calloc(size + 1, 1);
  if (s && size) clGetPlatformInfo(id, what, size, s, NULL);
  return s;
}

/* A number of whatever width OpenCL gives it; 0 where the device does not say. */
static uint64_t device_number(cl_device_id id, cl_device_info what) {
  uint64_t number = 0;
  size_t size = 0;
  if (clGetDeviceInfo(id, what, 0, NULL, &size) != CL_SUCCESS || size > sizeof number) return 0;
  clGetDeviceInfo(id, what, size, &number,
                  NULL); /* little endian: a narrow number stands in front */
  return number;
}

static uint32_t kind_of(cl_device_id id) {
  uint64_t type = device_number(id, CL_DEVICE_TYPE);
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

/* OpenCL 2 has them by rule; OpenCL 3 answers this query. */
static int has_device_scope_atomics(const rh_cl_device *device) {
  unsigned version = c_version_number(device->c_version);
  uint64_t wanted = CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_SCOPE_DEVICE;
  if (version >= 200 && version < 300) return 1;
  return (device_number(device->id, CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES) & wanted) == wanted;
}

static uint64_t features_of(const rh_cl_device *device) {
  uint64_t features = 0;
  if (device_number(device->id, CL_DEVICE_DOUBLE_FP_CONFIG)) features |= RH_FP64;
  if (has_extension(device, "cl_khr_int64_base_atomics") &&
      has_extension(device, "cl_khr_int64_extended_atomics"))
    features |= RH_INT64_ATOMICS;
  if (has_extension(device, "cl_khr_subgroups") || has_extension(device, "cl_intel_subgroups") ||
      device_number(device->id, CL_DEVICE_MAX_NUM_SUB_GROUPS))
    features |= RH_SUBGROUPS;
  /* A block read's shape is the sub-group's, so its size must be the program's choice. */
  if (has_extension(device, "cl_intel_subgroups") &&
      has_extension(device, "cl_intel_required_subgroup_size"))
    features |= RH_INTEL_SUBGROUP_BLOCKS;
  /* Part of OpenCL 2; optional in 3, which answers this query. */
  unsigned version = c_version_number(device->c_version);
  if ((version >= 200 && version < 300) ||
      device_number(device->id, CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT))
    features |= RH_WORK_GROUP_COLLECTIVES;
  if (has_device_scope_atomics(device)) features |= RH_DEVICE_SCOPE_ATOMICS;
  return features;
}

/* No query of OpenCL's own tells it without a kernel; two vendors' do. */
static void find_subgroup_sizes(rh_cl_device *device) {
  enum { SUB_GROUP_SIZES_INTEL = 0x4108, WARP_SIZE_NV = 0x4003 };
  rh_device *about = &device->about;
  size_t sizes[16], bytes = 0;
  about->subgroup_min = about->subgroup_max = (uint32_t)device_number(device->id, WARP_SIZE_NV);
  if (!has_extension(device, "cl_intel_required_subgroup_size") ||
      clGetDeviceInfo(device->id, SUB_GROUP_SIZES_INTEL, sizeof sizes, sizes, &bytes) != CL_SUCCESS)
    return;
  for (size_t k = 0; k < bytes / sizeof *sizes; k++) {
    uint32_t size = (uint32_t)sizes[k];
    if (k == 0 || size < about->subgroup_min) about->subgroup_min = size;
    if (k == 0 || size > about->subgroup_max) about->subgroup_max = size;
  }
}

/* As cl_nv_device_attribute_query numbers them. */
static uint32_t nvidia_sm_of(cl_device_id id) {
  enum { COMPUTE_CAPABILITY_MAJOR_NV = 0x4000, COMPUTE_CAPABILITY_MINOR_NV = 0x4001 };
  return (uint32_t)(10 * device_number(id, COMPUTE_CAPABILITY_MAJOR_NV) +
                    device_number(id, COMPUTE_CAPABILITY_MINOR_NV));
}

static void describe(rh_cl_device *device) {
  cl_device_id id = device->id;
  device->about = (rh_device){
      .struct_size = sizeof device->about,
      .kind = kind_of(id),
      .cl_version = c_version_number(device->c_version),
      .vendor_id = (uint32_t)device_number(id, CL_DEVICE_VENDOR_ID),
      .compute_units = (uint32_t)device_number(id, CL_DEVICE_MAX_COMPUTE_UNITS),
      .max_group = (uint32_t)device_number(id, CL_DEVICE_MAX_WORK_GROUP_SIZE),
      .local_bytes = device_number(id, CL_DEVICE_LOCAL_MEM_SIZE),
      .global_bytes = device_number(id, CL_DEVICE_GLOBAL_MEM_SIZE),
      .max_alloc_bytes = device_number(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE),
      .features = features_of(device),
      .name = device->name,
      .driver = device->driver,
      .extensions = device->extensions,
  };
  if (device->about.compute_units == 0) device->about.compute_units = 1;
  if (device->about.max_group == 0) device->about.max_group = 1;
  find_subgroup_sizes(device);
  if (has_extension(device, "cl_nv_device_attribute_query"))
    device->nvidia_sm = nvidia_sm_of(device->id);
  device->clock_hz = device_number(id, CL_DEVICE_MAX_CLOCK_FREQUENCY) * 1000000;
  device->cache_bytes = device_number(id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
  device->shares_memory = device_number(id, CL_DEVICE_HOST_UNIFIED_MEMORY) != 0;
  device->flushes_f32 = !(device_number(id, CL_DEVICE_SINGLE_FP_CONFIG) & CL_FP_DENORM);
  device->flushes_f64 = !(device_number(id, CL_DEVICE_DOUBLE_FP_CONFIG) & CL_FP_DENORM);
}

static rh_status add_device(rh_cl_devices *devices, cl_platform_id platform, cl_device_id id,
                            uint32_t platform_index, uint32_t index, rh_error *error) {
  rh_cl_device *list = realloc(devices->list, (devices->n + 1) * sizeof *list);
  if (!list) return rh_fail(error, RH_E_NOMEM, "no memory for the list of devices");
  devices->list = list;
  rh_cl_device *device = &list[devices->n++];
  *device = (rh_cl_device){.platform = platform, .id = id};
  snprintf(device->label, sizeof device->label, "%u:%u", platform_index, index);
  device->name = device_string(id, CL_DEVICE_NAME);
  device->vendor = device_string(id, CL_DEVICE_VENDOR);
  device->driver = device_string(id, CL_DRIVER_VERSION);
  device->version = device_string(id, CL_DEVICE_VERSION);
  device->c_version = device_string(id, CL_DEVICE_OPENCL_C_VERSION);
  device->extensions = device_string(id, CL_DEVICE_EXTENSIONS);
  device->platform_name = platform_string(platform, CL_PLATFORM_NAME);
  device->platform_version = platform_string(platform, CL_PLATFORM_VERSION);
  if (!device->name || !device->vendor || !device->driver || !device->version ||
      !device->c_version || !device->extensions || !device->platform_name ||
      !device->platform_version)
    return rh_fail(error, RH_E_NOMEM, "no memory for the list of devices");
  describe(device);
  return RH_OK;
}

static rh_status add_platform(rh_cl_devices *devices, cl_platform_id platform, uint32_t index,
                              rh_error *error) {
  cl_device_id ids[64];
  cl_uint n = 0;
  cl_int code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 64, ids, &n);
  if (code != CL_SUCCESS) return RH_OK; /* a driver without its device: the others still serve */
  if (n > 64) n = 64;
  for (cl_uint k = 0; k < n; k++) RH_TRY(add_device(devices, platform, ids[k], index, k, error));
  return RH_OK;
}

rh_status rh_cl_devices_find(rh_cl_devices *devices, rh_error *error) {
  cl_platform_id platforms[64];
  cl_uint n = 0;
  *devices = (rh_cl_devices){0};
  if (clGetPlatformIDs(64, platforms, &n) != CL_SUCCESS) n = 0; /* none is an error code, too */
  if (n > 64) n = 64;
  devices->n_platforms = n;
  for (cl_uint k = 0; k < n; k++) {
    rh_status status = add_platform(devices, platforms[k], k, error);
    if (status == RH_OK) continue;
    rh_cl_devices_finish(devices);
    return status;
  }
  return RH_OK;
}

void rh_cl_devices_finish(rh_cl_devices *devices) {
  for (uint32_t k = 0; k < devices->n; k++) {
    rh_cl_device *device = &devices->list[k];
    free(device->name);
    free(device->vendor);
    free(device->driver);
    free(device->version);
    free(device->c_version);
    free(device->extensions);
    free(device->platform_name);
    free(device->platform_version);
  }
  free(devices->list);
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
