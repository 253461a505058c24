#include "base.h"

static uint32_t size_of(const void *given) {
  uint32_t size;
  memcpy(&size, given, sizeof size);
  return size;
}

static uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

rh_status rh_sized_check_unusual(const void *given, const rh_sized *kind, rh_error *error) {
  uint32_t size = size_of(given);
  if (size < kind->least || size > RH_MOST_STRUCT_BYTES)
    return rh_fail(error, RH_E_USAGE, "%s.struct_size is %u; set it to sizeof(%s), which is %u",
                   kind->name, size, kind->name, kind->known);
  for (uint32_t k = kind->known; k < size; k++)
    if (((const unsigned char *)given)[k])
      return rh_fail(error, RH_E_USAGE,
                     "%s.struct_size is %u, and a field beyond the %u bytes that redhost %s knows "
                     "is set: the program was built for a later version",
                     kind->name, size, kind->known, rh_version());
  return RH_OK;
}

rh_status rh_sized_read(void *own, const void *given, const rh_sized *kind, rh_error *error) {
  RH_TRY(rh_sized_check(given, kind, error));
  memset(own, 0, kind->known);
  memcpy(own, given, smaller(size_of(given), kind->known));
  memcpy(own, &kind->known, sizeof kind->known);
  return RH_OK;
}

void rh_sized_write(void *given, const void *own, const rh_sized *kind) {
  uint32_t size = size_of(given);
  memcpy(given, own, smaller(size, kind->known));
  memcpy(given, &size, sizeof size);
}
