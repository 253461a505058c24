/* The copies of a point's data that its reductions rotate through, so that no input is in a
 * cache. */
#pragma once

#include "../../core/base/region.h"
#include "../../core/cl/input.h"
#include "bench_device.h"
#include "sampler.h"

/* Created on first use and kept from point to point, since allocating for each point would take
 * longer than measuring.  Zero-initialised is empty. */
typedef struct rh_pool {
  rh_region region;   /* on the host */
  uint64_t region_of; /* the serial number of its data */
  const void *host;  /* the first copy: in the region, or the caller's data if one copy is enough */
  rh_cl_input input; /* on the device */
  uint64_t input_of;
  double upload_s; /* time to upload one copy */
} rh_pool;

/* *first: the first of data->copies copies on the host. */
rh_status rh_pool_host(rh_pool *pool, const rh_bench_data *data, const void **first,
                       rh_error *error);
/* Puts the copies in one buffer.  If the device shares the host's memory, it wraps the host's
 * copies. */
rh_status rh_pool_device(rh_pool *pool, const rh_bench_data *data, rh_bench_device *bench_device,
                         cl_mem *buffer, rh_error *error);
void rh_pool_finish(rh_pool *pool);
