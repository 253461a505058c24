/* The request to a sampling child (core/child/request.h): one strategy, and the calibration of
 * its device. */
#pragma once

#include "../../choose/measure/bench_device.h"
#include "../../core/base/vocabulary.h"
#include "../../core/child/request.h"

/* Users' operators that one benchmark has, each on one type. */
enum { RH_MOST_OWN = 8 * RH_N_TYPES };

typedef struct rh_sample_order {
  rh_options options; /* device, cache_dir, no_cache */
  const char *strategy, *plugin;
  const char *what; /* the data, for messages; null: "--size" */
  const rh_setting *settings;
  uint64_t n_settings;
  /* users' operators: texts of operations, which the writer adds behind the order as "own" */
  const char *own[RH_MOST_OWN];
  uint32_t n_own;
  uint32_t on_host;         /* 1: no OpenCL driver is loaded before the plugin */
  uint32_t untuned, strict; /* as rh_local_shared's */
  uint32_t is_known;        /* 1: `known` is set, and samples are taken as in a benchmark */
  rh_bench_device_known known;
} rh_sample_order;

/* The position of the data in descriptor 5. */
typedef struct rh_sample_data {
  uint64_t region_bytes, offset; /* bytes to map; 0: as many as each point needs */
  uint32_t in_chunks;            /* rh_bench_data's */
} rh_sample_data;

void rh_sample_order_write(rh_text *to, const rh_sample_order *order);
void rh_sample_data_write(rh_text *to, const rh_sample_data *data);

/* 0, or -1 if this is another request.  Strings point into it; the settings are malloc'ed. */
int rh_sample_read(const rh_child_request *request, rh_sample_order *order, rh_sample_data *data);
