/* A device as the bench uses it: two queues, memory to sweep over, and the device's calibration.
 * Method and figures: docs/measuring.md. */
#ifndef RH_MEASURE_BENCH_DEVICE_H
#define RH_MEASURE_BENCH_DEVICE_H

#include "../../core/reduce/context.h"

/* The order in which a sweep reads, named as in the kernels of calibration.cl. */
typedef enum rh_sweep_order { RH_SWEEP_STRIDED, RH_SWEEP_CHUNKED, RH_SWEEP_PAGED } rh_sweep_order;

/* How a sweep over the scratch memory is launched. */
typedef struct rh_sweep {
  cl_kernel kernel;
  rh_sweep_order order;
  uint32_t width, group;
  uint64_t items;
} rh_sweep;

/* The least span of rotating inputs: larger than any cache of today. */
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
  cl_mem scratch; /* null until it is needed: filling it takes a fair part of a second on a CPU */
  uint64_t scratch_bytes;
  rh_sweep sweep;          /* the fastest one */
  double sweep_s;          /* of one sweep over all of the scratch memory */
  uint64_t throttle_bytes; /* that a throttle check sweeps */
  /* the time of an unthrottled check in this process, and the tolerated relative excess */
  double throttle_baseline_s, throttle_slack;
  rh_calibration calibration;
  int host_clock; /* 1: the device's clock was found wrong, or must not be used */
} rh_bench_device;

/* Opens the queues and calibrates, in a second or less.  `session` must outlive it.  host_clock:
 * the device's clock is not to be used. */
rh_status rh_bench_device_open(rh_bench_device *range, rh_cl_session *session, int host_clock,
                               rh_error *error);
/* What one process found and another need not find again. */
typedef struct rh_bench_device_known {
  rh_calibration calibration;
  double sweep_s;
  uint64_t scratch_bytes, items;
  uint32_t order, width, group;
  uint32_t host_clock;
} rh_bench_device_known;
rh_bench_device_known rh_bench_device_tell(const rh_bench_device *range);
/* Opens the queues, and believes what is known. */
rh_status rh_bench_device_adopt(rh_bench_device *range, rh_cl_session *session,
                                const rh_bench_device_known *known, rh_error *error);

void rh_bench_device_close(rh_bench_device *range); /* zero-initialised is fine */

/* Enqueues sweeps on the timed queue that last for `seconds` at least, and sets them going. */
rh_status rh_bench_device_prime(rh_bench_device *range, double seconds, rh_error *error);

/* Has the device become slower than it was?  A few short sweeps; *slower is 1 where all of them
 * took longer than the fastest so far and the usual scatter. */
rh_status rh_bench_device_is_throttled(rh_bench_device *range, int *slower, rh_error *error);

/* From here on throttle checks, too, are timed by the host. */
void rh_bench_device_use_host_clock(rh_bench_device *range);

/* START of the first command to END of the last, in seconds; RH_E_CL where the stamps cannot be.
 * Releases both; they may be the same. */
rh_status rh_span(cl_event first, cl_event last, double *seconds, rh_error *error);

#endif
