#include "base.h"

#include <sys/mman.h>

static const uint64_t huge_from = 4u << 20; /* bytes; two of x86-64's huge pages */

static uint64_t whole_pages(uint64_t bytes) {
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  return bytes ? (bytes + page - 1) / page * page : page;
}

rh_status rh_region_map(rh_region *region, int fd, uint64_t file_bytes, const char *name,
                        rh_error *error) {
  uint64_t bytes = whole_pages(file_bytes);
  int file = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  void *address = MAP_FAILED;
  if (file >= 0) address = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, file, 0);
  if (address == MAP_FAILED) {
    rh_fail(error, RH_E_FILE, "%s: cannot be mapped: %s", name, strerror(errno));
    if (file >= 0) close(file);
    return RH_E_FILE;
  }
  *region = (rh_region){address, bytes, 1, 0, file};
  return RH_OK;
}

/* The message uses errno, since limits on file size (EFBIG) and address space end up here, too. */
static rh_status no_memory(uint64_t bytes, rh_error *error) {
  return rh_fail(error, RH_E_NOMEM, "no memory for %llu bytes: %s", (unsigned long long)bytes,
                 strerror(errno));
}

/* file: -1: private memory. */
static rh_status map_new(rh_region *region, uint64_t bytes, int file, rh_error *error) {
  uint64_t whole = whole_pages(bytes);
  int flags = file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
  void *address = MAP_FAILED;
  errno = ENOMEM; /* for failures without a system call */
  if (whole >= bytes && whole <= INT64_MAX && (file < 0 || ftruncate(file, (off_t)whole) == 0))
    address = mmap(NULL, whole, PROT_READ | PROT_WRITE, flags, file, 0);
  if (address == MAP_FAILED) return no_memory(bytes, error);
  *region = (rh_region){address, whole, file >= 0, file >= 0, file < 0 ? 0 : file};
  return RH_OK;
}

rh_status rh_region_alloc(rh_region *region, uint64_t bytes, rh_error *error) {
  RH_TRY(map_new(region, bytes, -1, error));
  /* A reduction reads each page once.  With 4 KiB pages, TLB misses cost a tenth of the
   * bandwidth. */
  if (region->bytes >= huge_from) madvise(region->address, region->bytes, MADV_HUGEPAGE);
  return RH_OK;
}

rh_status rh_region_alloc_shared(rh_region *region, uint64_t bytes, rh_error *error) {
  int file = memfd_create("redhost-data", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) return no_memory(bytes, error);
  rh_status status = map_new(region, bytes, file, error);
  if (status != RH_OK) close(file);
  return status;
}

rh_status rh_region_grow(rh_region *region, uint64_t bytes, rh_error *error) {
  if (!region->address) return rh_region_alloc(region, bytes, error);
  uint64_t whole = whole_pages(bytes);
  if (whole <= region->bytes) return RH_OK;
  if (region->shared && (whole > INT64_MAX || ftruncate(region->file, (off_t)whole) != 0))
    return no_memory(bytes, error);
  void *address = mremap(region->address, region->bytes, whole, MREMAP_MAYMOVE);
  if (address == MAP_FAILED) return no_memory(bytes, error);
  region->address = address;
  region->bytes = whole;
  return RH_OK;
}

rh_status rh_region_join(rh_region *whole, rh_region *const *parts, uint32_t n, uint64_t *offsets,
                         rh_error *error) {
  uint64_t bytes = 0;
  for (uint32_t k = 0; k < n; k++) {
    offsets[k] = bytes;
    bytes += parts[k]->bytes;
  }
  /* Reserves the addresses. */
  char *address = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) return no_memory(bytes, error);
  *whole = (rh_region){address, bytes, 0, 0, 0};
  for (uint32_t k = 0; k < n; k++) {
    rh_region *part = parts[k];
    void *moved = mremap(part->address, part->bytes, part->bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
                         address + offsets[k]);
    if (moved == MAP_FAILED) {
      rh_region_finish(whole);
      return no_memory(part->bytes, error);
    }
    part->address = NULL;
    part->bytes = 0;
  }
  return RH_OK;
}

void rh_region_trim(rh_region *region, uint64_t bytes) {
  uint64_t kept = whole_pages(bytes);
  if (kept >= region->bytes) return;
  if (munmap((char *)region->address + kept, region->bytes - kept) != 0) return;
  region->bytes = kept;
  /* If this fails, the file is only longer than necessary. */
  if (region->shared && ftruncate(region->file, (off_t)kept) != 0) return;
}

void rh_region_seal(const rh_region *region) {
#ifdef F_SEAL_FUTURE_WRITE
  int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE;
#else
  int seals = F_SEAL_SHRINK | F_SEAL_GROW;
#endif
  /* older kernels do not support all of them */
  if (region->own) fcntl(region->file, F_ADD_SEALS, seals);
}

void rh_region_finish(rh_region *region) {
  if (region->address) munmap(region->address, region->bytes);
  if (region->shared) close(region->file);
  *region = (rh_region){0};
}
