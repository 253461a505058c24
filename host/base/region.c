#include "region.h"
#include "error.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static uint64_t whole_pages(uint64_t bytes) {
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  return bytes ? (bytes + page - 1) / page * page : page;
}

rh_status rh_region_map(rh_region *region, int fd, uint64_t file_bytes, const char *name,
                        rh_error *error) {
  uint64_t bytes = whole_pages(file_bytes);
  void *address = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
  if (address == MAP_FAILED)
    return rh_fail(error, RH_E_FILE, "%s: cannot be mapped: %s", name, strerror(errno));
  *region = (rh_region){address, bytes};
  return RH_OK;
}

rh_status rh_region_alloc(rh_region *region, uint64_t bytes, rh_error *error) {
  uint64_t whole = whole_pages(bytes);
  void *address = MAP_FAILED;
  if (whole >= bytes)
    address = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED)
    return rh_fail(error, RH_E_NOMEM, "no memory for %llu bytes", (unsigned long long)bytes);
  *region = (rh_region){address, whole};
  return RH_OK;
}

rh_status rh_region_grow(rh_region *region, uint64_t bytes, rh_error *error) {
  if (!region->address) return rh_region_alloc(region, bytes, error);
  uint64_t whole = whole_pages(bytes);
  if (whole <= region->bytes) return RH_OK;
  void *address = mremap(region->address, region->bytes, whole, MREMAP_MAYMOVE);
  if (address == MAP_FAILED)
    return rh_fail(error, RH_E_NOMEM, "no memory for %llu bytes", (unsigned long long)bytes);
  *region = (rh_region){address, whole};
  return RH_OK;
}

void rh_region_finish(rh_region *region) {
  if (region->address) munmap(region->address, region->bytes);
  *region = (rh_region){NULL, 0};
}
