/* NVML API reference: https://docs.nvidia.com/deploy/nvml-api; the device's place on the bus:
 * cl_nv_device_attribute_query. */
#include "nvml.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

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
  if (clGetDeviceInfo(device->id, PCI_BUS_ID_NV, sizeof bus, &bus, NULL) != CL_SUCCESS ||
      clGetDeviceInfo(device->id, PCI_SLOT_ID_NV, sizeof slot, &slot, NULL) != CL_SUCCESS)
    return 0;
  clGetDeviceInfo(device->id, PCI_DOMAIN_ID_NV, sizeof domain, &domain, NULL);
  unsigned number = way == 0 ? slot >> FUNCTION_BITS : slot;
  unsigned function = way == 0 ? slot & ((1u << FUNCTION_BITS) - 1) : 0;
  snprintf(text, 32, "%08x:%02x:%02x.%x", domain, bus, number, function);
  return 1;
}

/* C has no cast from an object pointer to a function pointer. */
static int find(void *library, const char *name, void *function) {
  void *found = dlsym(library, name);
  memcpy(function, &found, sizeof found);
  return found != NULL;
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
  char bus_id[32];
  nvml with;
  uint64_t bytes = 0;
  if (!bus_id_of(device, 0, bus_id)) return 0;
  void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return 0;
  if (find(library, "nvmlInit_v2", &with.init) && find(library, "nvmlShutdown", &with.shutdown) &&
      find(library, "nvmlDeviceGetHandleByPciBusId_v2", &with.handle) &&
      find(library, "nvmlDeviceGetMemoryInfo", &with.memory))
    bytes = ask_free_bytes(&with, device);
  dlclose(library);
  return bytes;
}
