/* In place of NVIDIA's management library: one GPU at 0000:07:02.0, of whose memory 256 MiB are
 * free. */
#include <string.h>

typedef struct memory {
  unsigned long long total, free, used;
} memory;

int nvmlInit_v2(void) { return 0; }
int nvmlShutdown(void) { return 0; }
int nvmlDeviceGetHandleByPciBusId_v2(const char *bus_id, void **device) {
  static int gpu;
  *device = &gpu;
  return strcmp(bus_id, "00000000:07:02.0") != 0;
}
int nvmlDeviceGetMemoryInfo(void *device, memory *to) {
  (void)device;
  *to = (memory){1ull << 30, 256ull << 20, 768ull << 20};
  return 0;
}
