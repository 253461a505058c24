/* NVML API reference: https://docs.nvidia.com/deploy/nvml-api; the device's place on the bus:
 * cl_nv_device_attribute_query. */
#include "cl.h"

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

uint64_t rh_nvml_free_bytes(const rh_cl_device *device) {
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
