#include "cl.h"

/* ---- What NVIDIA's management library knows and its OpenCL does not tell ----
 * It comes with the driver and is opened at run time, so redhost needs it neither to build nor to
 * run.  NVML API reference: https://docs.nvidia.com/deploy/nvml-api; the device's place on the bus:
 * cl_nv_device_attribute_query. */

enum { PCI_BUS_ID_NV = 0x4008, PCI_SLOT_ID_NV = 0x4009, PCI_DOMAIN_ID_NV = 0x400A };
/* Of a slot: the function is below the device's number, or else the slot is only that number (as
 * in virtual machines, driver 580). */
enum { FUNCTION_BITS = 3, WAYS = 2 };

typedef struct nvml_memory {
  unsigned long long total, free, used;
} nvml_memory;

typedef struct nvml {
  int (*init)(void);
  int (*shutdown)(void);
  int (*handle)(const char *bus_id, void **device);
  int (*memory)(void *device, nvml_memory *memory);
} nvml;

static int bus_id_of(const rh_cl_device *device, int way, char text[32]) {
  cl_uint bus, slot, domain = 0;
  if (rh_cl.GetDeviceInfo(device->id, PCI_BUS_ID_NV, sizeof bus, &bus, NULL) != CL_SUCCESS ||
      rh_cl.GetDeviceInfo(device->id, PCI_SLOT_ID_NV, sizeof slot, &slot, NULL) != CL_SUCCESS)
    return 0;
  rh_cl.GetDeviceInfo(device->id, PCI_DOMAIN_ID_NV, sizeof domain, &domain, NULL);
  unsigned number = way == 0 ? slot >> FUNCTION_BITS : slot;
  unsigned function = way == 0 ? slot & ((1u << FUNCTION_BITS) - 1) : 0;
  snprintf(text, 32, "%08x:%02x:%02x.%x", domain, bus, number, function);
  return 1;
}

/* The device at the bus id of either way. */
static int find_device(const nvml *with, const rh_cl_device *device, void **found) {
  char bus_id[32];
  for (int way = 0; way < WAYS; way++)
    if (bus_id_of(device, way, bus_id) && with->handle(bus_id, found) == 0) return 1;
  return 0;
}

static uint64_t ask_free_bytes(const nvml *with, const rh_cl_device *device) {
  void *found;
  nvml_memory memory = {0};
  if (with->init() != 0) return 0;
  if (!find_device(with, device, &found) || with->memory(found, &memory) != 0) memory.free = 0;
  with->shutdown();
  return memory.free;
}

/* The free bytes of an NVIDIA GPU's memory, which other processes may share; 0 if they are unknown.
 * Takes milliseconds. */
static uint64_t nvml_free_bytes(const rh_cl_device *device) {
  static const char *const names[] = {
      "nvmlInit_v2", "nvmlShutdown", "nvmlDeviceGetHandleByPciBusId_v2", "nvmlDeviceGetMemoryInfo"};
  enum { N = sizeof names / sizeof *names };
  char bus_id[32];
  union {
    nvml functions;
    void (*each[N])(void);
  } with;
  rh_dl dl;
  if (!bus_id_of(device, 0, bus_id) || rh_dl_open_library(&dl, "libnvidia-ml.so.1", NULL) != RH_OK)
    return 0;
  int k = 0;
  while (k < N && rh_dl_function(&dl, names[k], &with.each[k], NULL) == RH_OK) k++;
  uint64_t bytes = k == N ? ask_free_bytes(&with.functions, device) : 0;
  rh_dl_close(&dl);
  return bytes;
}

/* ---- Memory that is left ---- */

/* Free memory in bytes; 0 if it is unknown, as with most drivers. */
static uint64_t free_bytes(const rh_cl_device *device) {
  enum { GLOBAL_FREE_MEMORY_AMD = 0x4039 };
  size_t KiB[2] = {0}; /* the total, and the largest block */
  if (!strstr(device->extensions, "cl_amd_device_attribute_query") ||
      rh_cl.GetDeviceInfo(device->id, GLOBAL_FREE_MEMORY_AMD, sizeof KiB, KiB, NULL) != CL_SUCCESS)
    return nvml_free_bytes(device);
  return (uint64_t)KiB[0] << 10;
}

/* "of which 1 GiB is free and 7 GiB are held". */
static void add_known(const rh_cl_device *device, char *text, size_t size) {
  char free[32], held[32];
  uint64_t all = device->about.global_bytes, now = free_bytes(device);
  if (now)
    snprintf(text, size, "of which %s are free and %s are held", rh_format_bytes(free, now),
             rh_format_bytes(held, now < all ? all - now : 0));
  else snprintf(text, size, "other processes may hold a part of it");
}

rh_status rh_cl_fail_short(rh_error *error, cl_int code, const char *what,
                           const rh_cl_device *device, uint64_t bytes, int allocates) {
  char wanted[32], all[32], known[96];
  rh_status status = rh_cl_fail(error, code, what);
  int may_be_memory = code == CL_OUT_OF_RESOURCES || code == CL_INVALID_BUFFER_SIZE;
  if (status != RH_E_DEVICE && !(allocates && may_be_memory)) return status;
  add_known(device, known, sizeof known);
  rh_format_bytes(wanted, bytes);
  rh_fail(error, RH_E_DEVICE, "%s: not enough memory: %s%s%s has %s in all, %s", what,
          bytes ? wanted : "", bytes ? " are wanted, and " : "", device->name,
          rh_format_bytes(all, device->about.global_bytes), known);
  if (error) error->cl_code = code;
  return RH_E_DEVICE;
}

rh_status rh_cl_buffer(const rh_cl_session *session, cl_mem_flags flags, uint64_t bytes, void *host,
                       const char *what, cl_mem *buffer, rh_error *error) {
  cl_int code;
  *buffer = rh_cl.CreateBuffer(session->context, flags, bytes, host, &code);
  if (code == CL_SUCCESS) return RH_OK;
  *buffer = NULL;
  return rh_cl_fail_short(error, code, what, session->device, bytes, 1);
}

/* "buffer", "buffer 2 of 3" */
static const char *name_of(const rh_cl_range *range, char name[64]) {
  if (range->of == 1) snprintf(name, 64, "%s", range->what);
  else snprintf(name, 64, "%s %u of %u", range->what, range->k + 1, range->of);
  return name;
}

rh_status rh_cl_check_range(const rh_cl_session *session, cl_mem buffer, const rh_cl_range *range,
                            rh_error *error) {
  char name[64];
  cl_context context = NULL;
  cl_mem_flags flags = 0;
  size_t bytes = 0;
  if (!buffer) return rh_fail(error, RH_E_USAGE, "the %s is null", name_of(range, name));
  cl_int code = rh_cl.GetMemObjectInfo(buffer, CL_MEM_CONTEXT, sizeof context, &context, NULL);
  if (code == CL_SUCCESS)
    code = rh_cl.GetMemObjectInfo(buffer, CL_MEM_FLAGS, sizeof flags, &flags, NULL);
  if (code == CL_SUCCESS)
    code = rh_cl.GetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof bytes, &bytes, NULL);
  RH_CL_TRY(error, code, "asking a buffer for its context and size");
  if (context != session->context)
    return rh_fail(error, RH_E_USAGE,
                   "the %s belongs to another OpenCL context than rh_options.queue",
                   name_of(range, name));
  if (flags & range->unfit)
    return rh_fail(error, RH_E_USAGE, "the %s is %s", name_of(range, name),
                   flags & CL_MEM_WRITE_ONLY ? "CL_MEM_WRITE_ONLY, and kernels read it"
                                             : "CL_MEM_READ_ONLY, and kernels write to it");
  uint64_t held = bytes / range->size;
  if (range->n > held || range->first > held - range->n)
    return rh_fail(error, RH_E_USAGE,
                   "the %s has %llu B, too few for %llu elements of %u B from element %llu on",
                   name_of(range, name), (unsigned long long)bytes, (unsigned long long)range->n,
                   range->size, (unsigned long long)range->first);
  return RH_OK;
}
