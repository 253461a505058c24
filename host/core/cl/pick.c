/* Selecting the device that a specification names. */
#include "cl.h"

#include <strings.h>

static rh_status none_at_all(const rh_cl_devices *devices, rh_error *error) {
  const char *why = devices->n_faults ? devices->faults[0] : devices->no_opencl;
  if (why) return rh_fail(error, RH_E_DEVICE, "no OpenCL device can be used: %s", why);
  if (devices->n_platforms == 0)
    return rh_fail(error, RH_E_DEVICE,
                   "no OpenCL platform found. Install a driver (PoCL runs on any CPU: package "
                   "pocl-opencl-icd) or check OCL_ICD_VENDORS");
  return rh_fail(
      error, RH_E_DEVICE,
      "%u OpenCL platform%s, but no device. Check the driver (PoCL has no device where it "
      "cannot write its cache, in XDG_CACHE_HOME or ~/.cache), or install PoCL, which "
      "runs on any CPU (package pocl-opencl-icd)",
      devices->n_platforms, devices->n_platforms == 1 ? "" : "s");
}

static rh_status no_match(const rh_cl_devices *devices, const char *spec, const char *origin,
                          rh_error *error) {
  RH_FINISHED(rh_text) list = {0};
  for (uint32_t k = 0; k < devices->n; k++)
    rh_text_add(&list, "%s%s %s", k ? ", " : "", devices->list[k].label, devices->list[k].name);
  return rh_fail(error, RH_E_DEVICE, "no device matches '%s'%s. Devices: %s", spec, origin,
                 rh_text_get(&list));
}

/* The first device of a kind; null. */
static const rh_cl_device *first_of(const rh_cl_devices *devices, uint32_t kind) {
  for (uint32_t k = 0; k < devices->n; k++)
    if (devices->list[k].about.kind == kind) return &devices->list[k];
  return NULL;
}

uint32_t rh_device_kind_named(const char *name, size_t length) {
  static const uint32_t kinds[] = {RH_DEVICE_GPU, RH_DEVICE_CPU, RH_DEVICE_ACCELERATOR};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    const char *known = rh_device_kind_name(kinds[k]);
    if (strlen(known) == length && strncasecmp(name, known, length) == 0) return kinds[k];
  }
  return 0;
}

static rh_status by_name(const rh_cl_devices *devices, const char *spec, const char *origin,
                         const rh_cl_device **device, rh_error *error) {
  RH_FINISHED(rh_text) labels = {0};
  uint32_t n = 0;
  for (uint32_t k = 0; k < devices->n; k++) {
    const rh_cl_device *one = &devices->list[k];
    if (!strcasestr(one->name, spec) && !strcasestr(one->platform_name, spec)) continue;
    rh_text_add(&labels, "%s%s", n++ ? ", " : "", one->label);
    *device = one;
  }
  if (n == 0) return no_match(devices, spec, origin, error);
  if (n == 1) return RH_OK;
  return rh_fail(error, RH_E_USAGE, "device '%s'%s is ambiguous: %s. Give the index", spec, origin,
                 rh_text_get(&labels));
}

/* "3" or "1:0", digits only. */
static int is_index(const char *spec) {
  return *spec && spec[strspn(spec, "0123456789:")] == 0 && isdigit((unsigned char)*spec);
}

static rh_status by_index(const rh_cl_devices *devices, const char *spec, const char *origin,
                          const rh_cl_device **device, rh_error *error) {
  char *end;
  unsigned long flat = strtoul(spec, &end, 10);
  for (uint32_t k = 0; k < devices->n; k++)
    if (*end ? strcmp(devices->list[k].label, spec) == 0 : devices->list[k].index == flat) {
      *device = &devices->list[k];
      return RH_OK;
    }
  return no_match(devices, spec, origin, error);
}

int rh_devices_are_listed(const char *list) {
  const char *colon = strrchr(list, ':');
  return strchr(list, ',') || strcasecmp(colon ? colon + 1 : list, "all") == 0;
}

rh_status rh_cl_devices_choose(const rh_cl_devices *devices, const char *spec,
                               const rh_cl_device **device, rh_error *error) {
  const char *origin = "";
  if (!spec && (spec = rh_env("REDHOST_DEVICE"))) origin = " (from REDHOST_DEVICE)";
  if (spec && !*spec) return rh_fail(error, RH_E_USAGE, "the device has an empty name");
  if (devices->n == 0) return none_at_all(devices, error);
  if (!spec) {
    *device = first_of(devices, RH_DEVICE_GPU);
    if (!*device) *device = first_of(devices, RH_DEVICE_ACCELERATOR);
    if (!*device) *device = first_of(devices, RH_DEVICE_CPU);
    return RH_OK;
  }
  if (rh_devices_are_listed(spec))
    return rh_fail(error, RH_E_USAGE, "device '%s'%s: one device is needed here", spec, origin);
  if (is_index(spec)) return by_index(devices, spec, origin, device, error);
  uint32_t kind = rh_device_kind_named(spec, strlen(spec));
  if (!kind) return by_name(devices, spec, origin, device, error);
  *device = first_of(devices, kind);
  return *device ? RH_OK : no_match(devices, spec, origin, error);
}

rh_status rh_cl_devices_of_queue(const rh_cl_devices *devices, cl_command_queue queue,
                                 const rh_cl_device **device, rh_error *error) {
  cl_command_queue_properties properties;
  cl_device_id id;
  RH_CL_TRY(error, rh_cl.GetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof id, &id, NULL),
            "asking a queue for its device");
  RH_CL_TRY(
      error,
      rh_cl.GetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL),
      "asking a queue for its properties");
  if (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
    return rh_fail(error, RH_E_USAGE,
                   "the queue is out of order: strategies rely on commands that run one after the "
                   "other. Make one without CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE");
  for (uint32_t k = 0; k < devices->n; k++)
    if (devices->list[k].id == id) {
      *device = &devices->list[k];
      return RH_OK;
    }
  return rh_fail(error, RH_E_DEVICE,
                 "the queue is on a part of a device (clCreateSubDevices), or on a device that no "
                 "platform lists. Make one on a whole device");
}
