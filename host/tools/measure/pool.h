/* The copies of a point's data that its reductions rotate through, so that none finds its input in
 * a cache. */
#ifndef RH_MEASURE_POOL_H
#define RH_MEASURE_POOL_H

#include "../../core/base/region.h"
#include "bench_device.h"
#include "sampler.h"

/* Made when they are first asked for and kept from point to point: allocating for each would take
 * longer than measuring.  Zero-initialised is empty. */
typedef struct rh_pool {
  rh_region region;   /* on the host, */
  uint64_t region_of; /* for the data of this serial number */
  const void *host; /* the first copy there: the region, or the caller's data where one is enough */
  cl_mem buffer;    /* on the device */
  uint64_t buffer_bytes; /* as allocated; 0: it stands for the host's copies */
  uint64_t buffer_of;
  double upload_s; /* one copy of the data, from the host */
} rh_pool;

/* *first: the first of data->copies on the host. */
rh_status rh_pool_host(rh_pool *pool, const rh_bench_data *data, const void **first,
                       rh_error *error);
/* The copies in one buffer of the device: the host's own where the device shares its memory. */
rh_status rh_pool_device(rh_pool *pool, const rh_bench_data *data, rh_bench_device *range,
                         cl_mem *buffer, rh_error *error);
void rh_pool_finish(rh_pool *pool);

#endif
