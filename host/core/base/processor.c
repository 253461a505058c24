#include "base.h"

#if defined __x86_64__ || defined __i386__

#include <cpuid.h>

void rh_processor_family(char family[RH_PROCESSOR_WORD]) {
  unsigned most, b, c, d, signature;
  char vendor[13] = "";
  *family = 0;
  if (!__get_cpuid(0, &most, &b, &c, &d)) return;
  memcpy(vendor, &b, 4);
  memcpy(vendor + 4, &d, 4);
  memcpy(vendor + 8, &c, 4);
  if (!__get_cpuid(1, &signature, &b, &c, &d)) return;
  unsigned number = signature >> 8 & 15, model = signature >> 4 & 15;
  if (number == 6 || number == 15) model |= signature >> 12 & 0xf0;
  if (number == 15) number += signature >> 20 & 255;
  snprintf(family, RH_PROCESSOR_WORD, "%s %u %u", vendor, number, model);
}

#else

/* The number after `key`, in the first processor's lines of /proc/cpuinfo; 0 if there is none. */
static unsigned number_of(const char *text, const char *key) {
  const char *line = strstr(text, key), *colon = line ? strchr(line, ':') : NULL;
  return colon ? (unsigned)strtoul(colon + 1, NULL, 0) : 0;
}

void rh_processor_family(char family[RH_PROCESSOR_WORD]) {
  char text[4096];
  *family = 0;
  FILE *file = fopen("/proc/cpuinfo", "re");
  if (!file) return;
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  unsigned implementer = number_of(text, "CPU implementer"), part = number_of(text, "CPU part");
  if (implementer) snprintf(family, RH_PROCESSOR_WORD, "ARM 0x%02x 0x%03x", implementer, part);
}

#endif
