/* Page-aligned memory: mapped files, and memory that grows without copying. */
#pragma once

#include <redhost/redhost.h>

/* [address, address+bytes) is page-aligned; bytes is a multiple of the page size.  Zero-initialised
 * is empty. */
typedef struct rh_region {
  void *address;
  uint64_t bytes;
  uint32_t shared; /* 1: `file` is what is mapped, and another process can map it too */
  uint32_t own;    /* 1: the file is anonymous and created here */
  int file;
} rh_region;

rh_status rh_region_map(rh_region *region, int fd, uint64_t file_bytes, const char *name,
                        rh_error *error); /* read-only, private */
rh_status rh_region_alloc(rh_region *region, uint64_t bytes, rh_error *error); /* zeroed */
/* The same, backed by an anonymous file, so that another process can map it without a copy.  It
 * uses small pages, so it is only for memory that may be shared. */
rh_status rh_region_alloc_shared(rh_region *region, uint64_t bytes, rh_error *error);
rh_status rh_region_grow(rh_region *region, uint64_t bytes,
                         rh_error *error); /* may move; no mapped files */
/* Moves regions next to each other, without a copy: offsets[k] is where region k begins in *whole.
 * They become empty, but keep their files until rh_region_finish().  On failure some may be empty,
 * too. */
rh_status rh_region_join(rh_region *whole, rh_region *const *parts, uint32_t n, uint64_t *offsets,
                         rh_error *error);
void rh_region_trim(rh_region *region, uint64_t bytes); /* releases all but `bytes` */
/* Seals `file`: its recipients can no longer write to it or change its length.  For regions of
 * rh_region_alloc_shared. */
void rh_region_seal(const rh_region *region);
void rh_region_finish(rh_region *region);
