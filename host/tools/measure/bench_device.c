#include "bench_device.h"
#include "../../core/base/clock.h"
#include "../../core/base/error.h"
#include "../../core/cl/memory.h"
#include "calibration.cl.h"
#include "stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MIB = 1 << 20, MOST_SWEEPS = 4096 };

static int is_cpu(const rh_bench_device *range) {
  return range->session->device->about.kind == RH_DEVICE_CPU;
}

/* ---- Stamps ---- */

static rh_status stamp(cl_event event, cl_profiling_info which, cl_ulong *ns, rh_error *error) {
  RH_CL_TRY(error, clGetEventProfilingInfo(event, which, sizeof *ns, ns, NULL),
            "asking for a command's time");
  return RH_OK;
}

/* Drivers are known to leave stamps untouched, zero or out of order (darktable#21122,
 * chipStar#1549). */
static rh_status span(cl_event first, cl_event last, double *seconds, rh_error *error) {
  cl_ulong start = 0, end = 0;
  RH_TRY(stamp(first, CL_PROFILING_COMMAND_START, &start, error));
  RH_TRY(stamp(last, CL_PROFILING_COMMAND_END, &end, error));
  if (start == 0 || end <= start)
    return rh_fail(error, RH_E_CL, "the driver says that a command ended before it started");
  *seconds = (double)(end - start) * 1e-9;
  return RH_OK;
}

rh_status rh_span(cl_event first, cl_event last, double *seconds, rh_error *error) {
  rh_status status = span(first, last, seconds, error);
  clReleaseEvent(first);
  if (last != first) clReleaseEvent(last);
  return status;
}

/* ---- Sweeps ---- */

static rh_status launch_sweep(rh_bench_device *range, const rh_sweep *sweep, uint64_t bytes,
                              cl_event *event, rh_error *error) {
  cl_ulong vectors = bytes / (sizeof(float) * sweep->width);
  size_t items = sweep->items, group = sweep->group;
  cl_int code = clSetKernelArg(sweep->kernel, 0, sizeof range->scratch, &range->scratch);
  if (code == CL_SUCCESS) code = clSetKernelArg(sweep->kernel, 1, sizeof vectors, &vectors);
  if (code == CL_SUCCESS)
    code = clSetKernelArg(sweep->kernel, 2, sizeof range->scratch, &range->scratch);
  RH_CL_TRY(error, code, "setting a sweep's arguments");
  RH_CL_TRY(
      error,
      clEnqueueNDRangeKernel(range->timed, sweep->kernel, 1, NULL, &items, &group, 0, NULL, event),
      "sweeping over memory");
  return RH_OK;
}

/* `n` of them back to back; the time of one.  By the host's clock where the device's is not to be
 * had. */
static rh_status time_sweeps(rh_bench_device *range, const rh_sweep *sweep, uint64_t bytes,
                             uint32_t n, double *seconds, rh_error *error) {
  cl_event first = NULL, last = NULL;
  double start = rh_now();
  for (uint32_t k = 0; k < n; k++)
    RH_TRY(launch_sweep(range, sweep, bytes, k == 0 ? &first : k == n - 1 ? &last : NULL, error));
  RH_CL_TRY_IN(range->session, error, clFinish(range->timed), "waiting for the device");
  double by_host = rh_now() - start;
  if (rh_span(first, last ? last : first, seconds, NULL) != RH_OK) range->host_clock = 1;
  if (range->host_clock) *seconds = by_host;
  *seconds /= n;
  return RH_OK;
}

static rh_status open_scratch(rh_bench_device *range, rh_error *error) {
  cl_int code;
  size_t words = range->scratch_bytes / sizeof(cl_uint);
  RH_TRY(rh_cl_buffer(range->session, CL_MEM_READ_WRITE, range->scratch_bytes, NULL,
                      "allocating memory to sweep over", &range->scratch, error));
  cl_kernel fill = clCreateKernel(range->program, "fill", &code);
  if (code != CL_SUCCESS) return rh_cl_fail(error, code, "creating a kernel");
  code = clSetKernelArg(fill, 0, sizeof range->scratch, &range->scratch);
  if (code == CL_SUCCESS)
    code = clEnqueueNDRangeKernel(range->plain, fill, 1, NULL, &words, NULL, 0, NULL, NULL);
  if (code == CL_SUCCESS) code = clFinish(range->plain);
  clReleaseKernel(fill);
  if (code == CL_SUCCESS) return RH_OK;
  return rh_cl_fail_short(error, code, "filling memory to sweep over", range->session->device,
                          range->scratch_bytes, 1);
}

rh_status rh_bench_device_prime(rh_bench_device *range, double seconds, rh_error *error) {
  double sweeps = ceil(seconds / range->sweep_s);
  if (!range->scratch) RH_TRY(open_scratch(range, error));
  for (uint32_t k = 0; k < sweeps && k < MOST_SWEEPS; k++)
    RH_TRY(launch_sweep(range, &range->sweep, range->scratch_bytes, NULL, error));
  RH_CL_TRY_IN(range->session, error, clFlush(range->timed), "starting the device");
  return RH_OK;
}

/* A device that was idle for a while has lowered its clock, which is not throttling: it gets a few
 * tries. */
rh_status rh_bench_device_is_throttled(rh_bench_device *range, int *slower, rh_error *error) {
  double seconds;
  *slower = 1;
  for (int k = 0; k < 5 && *slower; k++) {
    RH_TRY(time_sweeps(range, &range->sweep, range->throttle_bytes, 1, &seconds, error));
    if (seconds < range->throttle_baseline_s && !is_cpu(range))
      range->throttle_baseline_s = seconds;
    *slower = seconds > range->throttle_baseline_s * (1 + range->throttle_slack);
  }
  return RH_OK;
}

void rh_bench_device_use_host_clock(rh_bench_device *range) {
  range->host_clock = 1;
  if (!is_cpu(range)) range->throttle_baseline_s = INFINITY; /* the next check sets the baseline */
}

/* ---- Peak bandwidth ---- */

static rh_status make_sweep(rh_bench_device *range, rh_sweep *sweep, rh_error *error) {
  static const char *const orders[] = {"strided", "chunked", "paged"};
  char name[32];
  cl_int code;
  snprintf(name, sizeof name, "read_%s_%u", orders[sweep->order], sweep->width);
  sweep->kernel = clCreateKernel(range->program, name, &code);
  return code == CL_SUCCESS ? RH_OK : rh_cl_fail(error, code, "creating a sweep");
}

/* One sweep to warm up, then the better of two times. */
static rh_status try_sweep(rh_bench_device *range, rh_sweep *sweep, double *best_s,
                           rh_error *error) {
  double seconds, least = INFINITY;
  uint32_t batch = is_cpu(range) ? 1 : 4;
  RH_TRY(time_sweeps(range, sweep, range->scratch_bytes, 1, &seconds, error));
  for (int k = 0; k < 2; k++) {
    RH_TRY(time_sweeps(range, sweep, range->scratch_bytes, batch, &seconds, error));
    if (seconds < least) least = seconds;
  }
  if (least >= *best_s) {
    clReleaseKernel(sweep->kernel);
    return RH_OK;
  }
  if (range->sweep.kernel) clReleaseKernel(range->sweep.kernel);
  range->sweep = *sweep;
  *best_s = least;
  return RH_OK;
}

/* The best of a few orders, widths, and groups for each compute unit. */
static rh_status find_sweep(rh_bench_device *range, double *best_s, rh_error *error) {
  static const struct candidate {
    rh_sweep_order order;
    uint32_t width, groups;
  } for_cpus[] = {{RH_SWEEP_CHUNKED, 8, 1},
                  {RH_SWEEP_CHUNKED, 16, 1},
                  {RH_SWEEP_PAGED, 8, 1},
                  {RH_SWEEP_PAGED, 16, 1},
                  {0, 0, 0}},
    for_others[] = {{RH_SWEEP_STRIDED, 2, 8},
                    {RH_SWEEP_STRIDED, 4, 4},
                    {RH_SWEEP_STRIDED, 4, 8},
                    {RH_SWEEP_STRIDED, 4, 16},
                    {RH_SWEEP_STRIDED, 8, 4},
                    {RH_SWEEP_STRIDED, 8, 8},
                    {0, 0, 0}};
  const rh_device *about = &range->session->device->about;
  uint32_t group = is_cpu(range) ? 1 : about->max_group < 512 ? about->max_group : 512;
  *best_s = INFINITY;
  for (const struct candidate *c = is_cpu(range) ? for_cpus : for_others; c->width; c++) {
    rh_sweep sweep = {.order = c->order,
                      .width = c->width,
                      .group = group,
                      .items = (uint64_t)group * c->groups * about->compute_units};
    RH_TRY(make_sweep(range, &sweep, error));
    RH_TRY(try_sweep(range, &sweep, best_s, error));
  }
  return RH_OK;
}

/* The best time of the fastest sweep: a peak is what can be reached, not the typical case. */
static rh_status measure_peak(rh_bench_device *range, rh_error *error) {
  double best_s;
  RH_TRY(find_sweep(range, &best_s, error));
  for (int k = 0; k < 5; k++) {
    double seconds;
    uint32_t batch = is_cpu(range) ? 1 : 8;
    RH_TRY(time_sweeps(range, &range->sweep, range->scratch_bytes, batch, &seconds, error));
    if (seconds < best_s) best_s = seconds;
  }
  range->sweep_s = best_s;
  range->calibration.read_peak = (double)range->scratch_bytes / best_s;
  return RH_OK;
}

/* About a millisecond of work, whose own scatter determines what counts as slower. */
static rh_status calibrate_throttle_check(rh_bench_device *range, rh_error *error) {
  enum { SAMPLES = 15 };
  double samples[SAMPLES], room[SAMPLES];
  range->throttle_bytes = is_cpu(range) ? 32 * MIB : range->scratch_bytes;
  if (range->throttle_bytes > range->scratch_bytes) range->throttle_bytes = range->scratch_bytes;
  for (int k = 0; k < SAMPLES; k++)
    RH_TRY(time_sweeps(range, &range->sweep, range->throttle_bytes, 1, &samples[k], error));
  rh_spread spread = rh_spread_of(samples, SAMPLES, room);
  /* A CPU runs other processes too and rarely reaches its best, so its baseline is the median. */
  range->throttle_baseline_s = is_cpu(range) ? spread.median : spread.min;
  range->throttle_slack = is_cpu(range) ? fmax(0.1, 3 * rh_spread_iqr(&spread))
                                        : fmax(0.03, 1.5 * (spread.q3 / spread.min - 1));
  return RH_OK;
}

/* ---- Launches, clock, copies ---- */

static cl_ulong common_divisor(cl_ulong a, cl_ulong b) {
  while (b) {
    cl_ulong rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* The stamps of a few commands, apart by multiples of the clock's step. */
static rh_status measure_step(rh_bench_device *range, rh_error *error) {
  size_t one = 1;
  cl_ulong step = 0, before = 0;
  for (int k = 0; k < 16; k++) {
    cl_event event;
    cl_ulong now = 0;
    RH_CL_TRY(
        error,
        clEnqueueNDRangeKernel(range->timed, range->empty, 1, NULL, &one, &one, 0, NULL, &event),
        "launching an empty kernel");
    RH_CL_TRY_IN(range->session, error, clFinish(range->timed), "waiting for the device");
    if (stamp(event, CL_PROFILING_COMMAND_END, &now, NULL) != RH_OK) range->host_clock = 1;
    clReleaseEvent(event);
    if (before && now > before) step = common_divisor(step, now - before);
    before = now;
  }
  range->calibration.timer_step_s = (double)step * 1e-9;
  return RH_OK;
}

/* Empty kernels back to back: what the host pays for one, and what the device does, which is kept
 * busy meanwhile. */
static rh_status measure_launches(rh_bench_device *range, rh_error *error) {
  enum { LAUNCHES = 64, TIMES = 9 };
  double host[TIMES], device[TIMES], room[TIMES];
  size_t one = 1;
  for (int t = 0; t < TIMES; t++) {
    cl_event first, last;
    if (!is_cpu(range)) RH_TRY(rh_bench_device_prime(range, 1e-3, error));
    double start = rh_now();
    for (int k = 0; k < LAUNCHES; k++) {
      cl_event *event = k == 0 ? &first : k == LAUNCHES - 1 ? &last : NULL;
      RH_CL_TRY(
          error,
          clEnqueueNDRangeKernel(range->timed, range->empty, 1, NULL, &one, &one, 0, NULL, event),
          "launching an empty kernel");
    }
    host[t] = (rh_now() - start) / LAUNCHES;
    RH_CL_TRY_IN(range->session, error, clFinish(range->timed), "waiting for the device");
    double by_host = rh_now() - start;
    if (rh_span(first, last, &device[t], NULL) != RH_OK) range->host_clock = 1;
    device[t] = (range->host_clock ? by_host : device[t]) / LAUNCHES;
  }
  range->calibration.launch_s = rh_spread_of(host, TIMES, room).median;
  range->calibration.empty_kernel_s = rh_spread_of(device, TIMES, room).median;
  return RH_OK;
}

static rh_status measure_copies(rh_bench_device *range, rh_error *error) {
  enum { TIMES = 5 };
  size_t bytes = 32 * MIB;
  double samples[TIMES], room[TIMES];
  if (bytes > range->scratch_bytes) bytes = range->scratch_bytes;
  void *memory = malloc(bytes);
  if (!memory) return rh_fail(error, RH_E_NOMEM, "no memory to copy from");
  cl_int code = CL_SUCCESS;
  /* Down first: what goes up is what came down, and the scratch memory stays as it was. */
  for (int up = 0; up < 2 && code == CL_SUCCESS; up++) {
    for (int k = -1; k < TIMES && code == CL_SUCCESS; k++) {
      double start = rh_now();
      code = up ? clEnqueueWriteBuffer(range->plain, range->scratch, CL_TRUE, 0, bytes, memory, 0,
                                       NULL, NULL)
                : clEnqueueReadBuffer(range->plain, range->scratch, CL_TRUE, 0, bytes, memory, 0,
                                      NULL, NULL);
      if (k >= 0) samples[k] = rh_now() - start;
    }
    double rate = (double)bytes / rh_spread_of(samples, TIMES, room).median;
    *(up ? &range->calibration.upload : &range->calibration.download) = rate;
  }
  free(memory);
  return code == CL_SUCCESS ? RH_OK : rh_cl_fail(error, code, "copying to and from the device");
}

/* ---- Opening ---- */

static rh_status open_queue(rh_bench_device *range, rh_error *error) {
  cl_int code;
  const rh_cl_session *session = range->session;
  range->plain = session->queue;
  range->timed =
      clCreateCommandQueue(session->context, session->device->id, CL_QUEUE_PROFILING_ENABLE, &code);
  return code == CL_SUCCESS ? RH_OK
                            : rh_cl_fail(error, code, "creating a command queue with profiling");
}

/* Four times what the driver calls its cache may be far less than its cache is: 4 MiB of 60 on an
 * H200. */
static uint64_t cold_bytes(const rh_device *about, uint64_t cache_bytes) {
  uint64_t bytes = 4 * cache_bytes > RH_COLD_BYTES ? 4 * cache_bytes : RH_COLD_BYTES;
  uint64_t most = about->global_bytes ? about->global_bytes / 4 : bytes;
  if (about->max_alloc_bytes && about->max_alloc_bytes < most) most = about->max_alloc_bytes;
  return bytes < most ? bytes : most;
}

static rh_status open_empty(rh_bench_device *range, rh_error *error) {
  cl_int code;
  range->empty = clCreateKernel(range->program, "empty", &code);
  if (code != CL_SUCCESS) return rh_cl_fail(error, code, "creating a kernel");
  RH_CL_TRY(error, clSetKernelArg(range->empty, 0, sizeof range->scratch, &range->scratch),
            "setting an argument");
  return RH_OK;
}

static rh_status calibrate(rh_bench_device *range, rh_error *error) {
  size_t resolution = 0;
  clGetDeviceInfo(range->session->device->id, CL_DEVICE_PROFILING_TIMER_RESOLUTION,
                  sizeof resolution, &resolution, NULL);
  range->calibration.timer_declared_s = (double)resolution * 1e-9;
  RH_TRY(open_scratch(range, error));
  RH_TRY(open_empty(range, error));
  RH_TRY(measure_peak(range, error));
  RH_TRY(measure_step(range, error));
  RH_TRY(measure_launches(range, error));
  RH_TRY(measure_copies(range, error));
  return calibrate_throttle_check(range, error);
}

static rh_status prepare(rh_bench_device *range, rh_error *error) {
  RH_TRY(open_queue(range, error));
  return rh_cl_program(range->session, "calibration.cl", "", (const char *)calibration_cl, "",
                       &range->program, error);
}

rh_status rh_bench_device_open(rh_bench_device *range, rh_cl_session *session, int host_clock,
                               rh_error *error) {
  *range = (rh_bench_device){.session = session, .host_clock = host_clock};
  const rh_device *about = &session->device->about;
  range->calibration.cold_bytes = cold_bytes(about, session->device->cache_bytes);
  range->scratch_bytes = range->calibration.cold_bytes * (is_cpu(range) ? 1 : 2);
  if (about->max_alloc_bytes && range->scratch_bytes > about->max_alloc_bytes)
    range->scratch_bytes = range->calibration.cold_bytes;
  range->scratch_bytes &= ~(uint64_t)(MIB - 1);
  RH_TRY(prepare(range, error));
  return calibrate(range, error);
}

rh_bench_device_known rh_bench_device_tell(const rh_bench_device *range) {
  return (rh_bench_device_known){
      range->calibration, range->sweep_s,     range->scratch_bytes, range->sweep.items,
      range->sweep.order, range->sweep.width, range->sweep.group,   (uint32_t)range->host_clock};
}

rh_status rh_bench_device_adopt(rh_bench_device *range, rh_cl_session *session,
                                const rh_bench_device_known *known, rh_error *error) {
  *range = (rh_bench_device){.session = session,
                             .calibration = known->calibration,
                             .sweep_s = known->sweep_s,
                             .scratch_bytes = known->scratch_bytes,
                             .host_clock = (int)known->host_clock};
  RH_TRY(prepare(range, error));
  range->sweep = (rh_sweep){.order = (rh_sweep_order)known->order,
                            .width = known->width,
                            .group = known->group,
                            .items = known->items};
  return make_sweep(range, &range->sweep, error);
}

void rh_bench_device_close(rh_bench_device *range) {
  if (range->sweep.kernel) clReleaseKernel(range->sweep.kernel);
  if (range->empty) clReleaseKernel(range->empty);
  if (range->program) clReleaseProgram(range->program);
  if (range->scratch) clReleaseMemObject(range->scratch);
  if (range->timed) clReleaseCommandQueue(range->timed);
  *range = (rh_bench_device){0};
}
