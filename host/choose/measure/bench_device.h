/* A device as the benchmark uses it: two queues, memory to sweep over, and the device's
 * calibration. docs/inside/measuring.md explains the method. */
#pragma once

#include "../../core/run/context.h"

/* The order in which a sweep reads, named as in the kernels of calibration.cl. */
typedef enum rh_sweep_order { RH_SWEEP_STRIDED, RH_SWEEP_CHUNKED, RH_SWEEP_PAGED } rh_sweep_order;

/* How a sweep over the scratch memory is launched. */
typedef struct rh_sweep {
  cl_kernel kernel;
  rh_sweep_order order;
  uint32_t width, group;
  uint64_t items;
} rh_sweep;

/* The minimum span of rotating inputs, larger than today's caches. */
enum { RH_COLD_BYTES = 512 << 20 };

/* The best figures of a device, measured once per process. */
typedef struct rh_calibration {
  double timer_declared_s,
      timer_step_s;        /* the declared resolution of its clock, and the observed one */
  double launch_s;         /* the host's time to enqueue a kernel */
  double empty_kernel_s;   /* per empty kernel in a batch, by the device's clock */
  double read_peak;        /* bytes/s */
  double upload, download; /* bytes/s, from and to pageable memory */
  uint64_t cold_bytes;     /* the span of rotating inputs that no cache holds */
} rh_calibration;

/* [one thread at a time] */
typedef struct rh_bench_device {
  rh_cl_session *session;
  cl_command_queue plain, timed; /* the session's own; one with profiling */
  cl_program program;
  cl_kernel empty;
  /* null until needed: filling it takes a noticeable fraction of a second on a CPU */
  cl_mem scratch;
  uint64_t scratch_bytes;
  rh_sweep sweep;          /* the fastest one */
  double sweep_s;          /* of one sweep over all of the scratch memory */
  uint64_t throttle_bytes; /* read by one throttle check */
  /* the time of an unthrottled check in this process, and the tolerated relative excess */
  double throttle_baseline_s, throttle_slack;
  rh_calibration calibration;
  int host_clock; /* 1: the device's clock is wrong or must not be used */
} rh_bench_device;

/* Opens the queues and calibrates, within about a second.  `session` must outlive it. host_clock:
 * do not use the device's clock. */
rh_status rh_bench_device_open(rh_bench_device *bench_device, rh_cl_session *session,
                               int host_clock, rh_error *error);
/* The results of a calibration, for another process that uses the device. */
typedef struct rh_bench_device_known {
  rh_calibration calibration;
  double sweep_s;
  uint64_t scratch_bytes, items;
  uint32_t order, width, group;
  uint32_t host_clock;
} rh_bench_device_known;
rh_bench_device_known rh_bench_device_export(const rh_bench_device *bench_device);
/* Opens the queues, and takes over another process's calibration. */
rh_status rh_bench_device_adopt(rh_bench_device *bench_device, rh_cl_session *session,
                                const rh_bench_device_known *known, rh_error *error);

void rh_bench_device_close(rh_bench_device *bench_device); /* zero-initialised is fine */

/* Starts sweeps on the timed queue that keep the device busy for at least `seconds`. */
rh_status rh_bench_device_occupy(rh_bench_device *bench_device, double seconds, rh_error *error);

/* Throttle check: runs a few short sweeps. *slower is 1 if all of them exceeded the baseline by
 * more than the usual scatter. */
rh_status rh_bench_device_is_throttled(rh_bench_device *bench_device, int *slower, rh_error *error);

/* From here on, throttle checks use the host's clock, too. */
void rh_bench_device_use_host_clock(rh_bench_device *bench_device);

/* Seconds from START of the first command to END of the last; RH_E_CL if the time stamps are
 * invalid.  Releases both events, which may be the same. */
rh_status rh_span(cl_event first, cl_event last, double *seconds, rh_error *error);
