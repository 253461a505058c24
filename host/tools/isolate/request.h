/* What a worker is asked to do: descriptor 3.  Both sides are the same program, so that it is a struct and strings; who
 * writes and who reads stand side by side here. */
#ifndef RH_ISOLATE_REQUEST_H
#define RH_ISOLATE_REQUEST_H

#include "../../core/base/region.h"
#include "../../core/base/text.h"
#include "../../core/reduce/job.h"
#include "../measure/bench_device.h"

/* Strings of the reader's point into what rh_work_read was given. */
typedef struct rh_work {
  int64_t parent;
  const char *device;    /* null: the strategy needs none, or the default one */
  const char *cache_dir; /* null: the default */
  uint32_t no_cache;
  uint32_t on_host;            /* 1: no OpenCL driver is loaded before the plugin */
  rh_job_spec job;             /* settings: see below */
  uint64_t offset;             /* of the data in descriptor 5 */
  uint64_t region_bytes;       /* to map */
  rh_bench_device_known known; /* of --sample, where there is a device */
  rh_setting *settings;        /* the reader's: job.settings, to be freed */
} rh_work;

/* Appends the request. 0, or -1 where memory runs out. */
int rh_work_write(rh_text *to, const rh_work *work);

/* 0, or -1 where this is no request.  *work is to be freed by rh_work_finish. */
int rh_work_read(rh_work *work, const char *bytes, size_t length);
void rh_work_finish(rh_work *work);

#endif
