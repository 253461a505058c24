/* Memory by the page: mapped files, and anonymous memory that grows without copying. */
#ifndef RH_BASE_REGION_H
#define RH_BASE_REGION_H

#include <redhost/redhost.h>

/* [address, address+bytes) is page-aligned; bytes is a multiple of the page size.  Zero-initialised
 * is empty. */
typedef struct rh_region {
  void *address;
  uint64_t bytes;
} rh_region;

rh_status rh_region_map(rh_region *region, int fd, uint64_t file_bytes, const char *name,
                        rh_error *error); /* read-only, private */
rh_status rh_region_alloc(rh_region *region, uint64_t bytes, rh_error *error); /* zeroed */
rh_status rh_region_grow(rh_region *region, uint64_t bytes,
                         rh_error *error); /* may move; anonymous only */
void rh_region_finish(rh_region *region);

#endif
