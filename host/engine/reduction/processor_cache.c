#include "processor_cache.h"

#include <stdio.h>

uint64_t rh_last_cache_bytes(void) {
  static const char *const files[] = {"/sys/devices/system/cpu/cpu0/cache/index3/size",
                                      "/sys/devices/system/cpu/cpu0/cache/index2/size"};
  unsigned long long kib = 0; /* "32768K" */
  for (int k = 0; k < 2 && kib == 0; k++) {
    FILE *file = fopen(files[k], "re");
    if (file && fscanf(file, "%lluK", &kib) != 1) kib = 0;
    if (file) fclose(file);
  }
  return kib << 10;
}
