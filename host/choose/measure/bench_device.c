#include "measure.h"

#include "calibration.cl.h"

enum { MIB = 1 << 20, MOST_SWEEPS = 4096 };

static int is_cpu(const rh_bench_device *bench) {
  return bench->session->device->about.kind == RH_DEVICE_CPU;
}

/* ---- Stamps ---- */

/* Some drivers return time stamps that are unset, zero or out of order (darktable#21122,
 * chipStar#1549). */
rh_status rh_span(cl_event first, cl_event last, double *seconds, rh_error *error) {
  cl_ulong start = 0, end = 0;
  cl_int code = rh_cl_moment(first, CL_PROFILING_COMMAND_START, &start);
  if (code == CL_SUCCESS) code = rh_cl_moment(last, CL_PROFILING_COMMAND_END, &end);
  rh_cl_release_event(first);
  if (last != first) rh_cl_release_event(last);
  RH_CL_TRY(error, code, "asking for a command's time");
  if (start == 0 || end <= start)
    return rh_fail(error, RH_E_CL, "the driver reports that a command ended before it started");
  *seconds = (double)(end - start) * 1e-9;
  return RH_OK;
}

/* ---- Sweeps ---- */

static rh_status launch_sweep(rh_bench_device *bench, const rh_sweep *sweep, uint64_t bytes,
                              cl_event *event, rh_error *error) {
  cl_ulong vectors = bytes / (sizeof(float) * sweep->width);
  size_t items = sweep->items, group = sweep->group;
  cl_int code = rh_cl_set(sweep->kernel, 0, sizeof bench->scratch, &bench->scratch);
  if (code == CL_SUCCESS) code = rh_cl_set(sweep->kernel, 1, sizeof vectors, &vectors);
  if (code == CL_SUCCESS)
    code = rh_cl_set(sweep->kernel, 2, sizeof bench->scratch, &bench->scratch);
  RH_CL_TRY(error, code, "setting a sweep's arguments");
  RH_CL_TRY(error, rh_cl_launch(bench->timed, sweep->kernel, items, group, event),
            "sweeping over memory");
  return RH_OK;
}

static rh_status wait_for_device(rh_bench_device *bench, rh_error *error) {
  RH_CL_TRY_IN(bench->session, error, rh_cl_finish(bench->timed), "waiting for the device");
  return RH_OK;
}

/* The time of one of `n` back-to-back sweeps, by the host's clock if the device's cannot be
 * used. */
static rh_status time_sweeps(rh_bench_device *bench, const rh_sweep *sweep, uint64_t bytes,
                             uint32_t n, double *seconds, rh_error *error) {
  cl_event first = NULL, last = NULL;
  double start = rh_now();
  for (uint32_t k = 0; k < n; k++)
    RH_TRY(launch_sweep(bench, sweep, bytes, k == 0 ? &first : k == n - 1 ? &last : NULL, error));
  RH_TRY(wait_for_device(bench, error));
  double by_host = rh_now() - start;
  if (rh_span(first, last ? last : first, seconds, NULL) != RH_OK) bench->host_clock = 1;
  if (bench->host_clock) *seconds = by_host;
  *seconds /= n;
  return RH_OK;
}

static rh_status open_scratch(rh_bench_device *bench, rh_error *error) {
  cl_kernel fill;
  size_t words = bench->scratch_bytes / sizeof(cl_uint);
  RH_TRY(rh_cl_buffer(bench->session, CL_MEM_READ_WRITE, bench->scratch_bytes, NULL,
                      "allocating memory to sweep over", &bench->scratch, error));
  RH_TRY(rh_cl_kernel(bench->program, "fill", &fill, error));
  cl_int code = rh_cl_set(fill, 0, sizeof bench->scratch, &bench->scratch);
  if (code == CL_SUCCESS) code = rh_cl_launch(bench->plain, fill, words, 0, NULL);
  if (code == CL_SUCCESS) code = rh_cl_finish(bench->plain);
  rh_cl_release_kernel(fill);
  if (code == CL_SUCCESS) return RH_OK;
  return rh_cl_fail_short(error, code, "filling memory to sweep over", bench->session->device,
                          bench->scratch_bytes, 1);
}

rh_status rh_bench_device_occupy(rh_bench_device *bench, double seconds, rh_error *error) {
  double sweeps = ceil(seconds / bench->sweep_s);
  if (!bench->scratch) RH_TRY(open_scratch(bench, error));
  for (uint32_t k = 0; k < sweeps && k < MOST_SWEEPS; k++)
    RH_TRY(launch_sweep(bench, &bench->sweep, bench->scratch_bytes, NULL, error));
  RH_CL_TRY_IN(bench->session, error, rh_cl_flush(bench->timed), "starting the device");
  return RH_OK;
}

/* An idle device lowers its clock rate, which is not throttling, so there are several attempts. */
rh_status rh_bench_device_is_throttled(rh_bench_device *bench, int *slower, rh_error *error) {
  double seconds;
  *slower = 1;
  for (int k = 0; k < 5 && *slower; k++) {
    RH_TRY(time_sweeps(bench, &bench->sweep, bench->throttle_bytes, 1, &seconds, error));
    if (seconds < bench->throttle_baseline_s && !is_cpu(bench))
      bench->throttle_baseline_s = seconds;
    *slower = seconds > bench->throttle_baseline_s * (1 + bench->throttle_slack);
  }
  return RH_OK;
}

void rh_bench_device_use_host_clock(rh_bench_device *bench) {
  bench->host_clock = 1;
  if (!is_cpu(bench)) bench->throttle_baseline_s = INFINITY; /* the next check sets the baseline */
}

/* ---- Peak bandwidth ---- */

static rh_status make_sweep(rh_bench_device *bench, rh_sweep *sweep, rh_error *error) {
  static const char *const orders[] = {"strided", "chunked", "paged"};
  char name[32];
  snprintf(name, sizeof name, "read_%s_%u", orders[sweep->order], sweep->width);
  return rh_cl_kernel(bench->program, name, &sweep->kernel, error);
}

/* One sweep to warm up, then the better of two times. */
static rh_status try_sweep(rh_bench_device *bench, rh_sweep *sweep, double *best_s,
                           rh_error *error) {
  double seconds, least = INFINITY;
  uint32_t batch = is_cpu(bench) ? 1 : 4;
  RH_TRY(time_sweeps(bench, sweep, bench->scratch_bytes, 1, &seconds, error));
  for (int k = 0; k < 2; k++) {
    RH_TRY(time_sweeps(bench, sweep, bench->scratch_bytes, batch, &seconds, error));
    if (seconds < least) least = seconds;
  }
  if (least >= *best_s) {
    rh_cl_release_kernel(sweep->kernel);
    return RH_OK;
  }
  rh_cl_release_kernel(bench->sweep.kernel);
  bench->sweep = *sweep;
  *best_s = least;
  return RH_OK;
}

/* Tries several orders, vector widths and numbers of groups per compute unit. */
static rh_status find_sweep(rh_bench_device *bench, double *best_s, rh_error *error) {
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
  const rh_device *about = &bench->session->device->about;
  uint32_t group = is_cpu(bench) ? 1 : about->max_group < 512 ? about->max_group : 512;
  *best_s = INFINITY;
  for (const struct candidate *c = is_cpu(bench) ? for_cpus : for_others; c->width; c++) {
    rh_sweep sweep = {.order = c->order,
                      .width = c->width,
                      .group = group,
                      .items = (uint64_t)group * c->groups * about->compute_units};
    RH_TRY(make_sweep(bench, &sweep, error));
    RH_TRY(try_sweep(bench, &sweep, best_s, error));
  }
  return RH_OK;
}

/* Uses the best time of the fastest sweep: the peak is what can be reached, not the typical
 * case. */
static rh_status measure_peak(rh_bench_device *bench, rh_error *error) {
  double best_s;
  RH_TRY(find_sweep(bench, &best_s, error));
  for (int k = 0; k < 5; k++) {
    double seconds;
    uint32_t batch = is_cpu(bench) ? 1 : 8;
    RH_TRY(time_sweeps(bench, &bench->sweep, bench->scratch_bytes, batch, &seconds, error));
    if (seconds < best_s) best_s = seconds;
  }
  bench->sweep_s = best_s;
  bench->calibration.read_peak = (double)bench->scratch_bytes / best_s;
  return RH_OK;
}

/* The check is about a millisecond of work.  Its own scatter determines what counts as slower. */
static rh_status calibrate_throttle_check(rh_bench_device *bench, rh_error *error) {
  enum { SAMPLES = 15 };
  double samples[SAMPLES];
  bench->throttle_bytes = is_cpu(bench) ? 32 * MIB : bench->scratch_bytes;
  if (bench->throttle_bytes > bench->scratch_bytes) bench->throttle_bytes = bench->scratch_bytes;
  for (int k = 0; k < SAMPLES; k++)
    RH_TRY(time_sweeps(bench, &bench->sweep, bench->throttle_bytes, 1, &samples[k], error));
  rh_spread spread = rh_spread_of(samples, SAMPLES);
  /* A CPU runs other processes too and rarely reaches its best, so its baseline is the median. */
  bench->throttle_baseline_s = is_cpu(bench) ? spread.median : spread.min;
  bench->throttle_slack = is_cpu(bench) ? fmax(0.1, 3 * rh_spread_iqr(&spread))
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

/* The differences between the time stamps of a few commands are multiples of the clock's step. */
static rh_status measure_step(rh_bench_device *bench, rh_error *error) {
  size_t one = 1;
  cl_ulong step = 0, before = 0;
  for (int k = 0; k < 16; k++) {
    cl_event event;
    cl_ulong now = 0;
    RH_CL_TRY(error, rh_cl_launch(bench->timed, bench->empty, one, one, &event),
              "launching an empty kernel");
    RH_TRY(wait_for_device(bench, error));
    if (rh_cl_moment(event, CL_PROFILING_COMMAND_END, &now) != CL_SUCCESS) bench->host_clock = 1;
    rh_cl_release_event(event);
    if (before && now > before) step = common_divisor(step, now - before);
    before = now;
  }
  bench->calibration.timer_step_s = (double)step * 1e-9;
  return RH_OK;
}

/* Enqueues empty kernels back to back, behind a sweep: the host's and the device's time for
 * each. */
static rh_status measure_launches(rh_bench_device *bench, rh_error *error) {
  enum { LAUNCHES = 64, TIMES = 9 };
  double host[TIMES], device[TIMES];
  size_t one = 1;
  for (int t = 0; t < TIMES; t++) {
    cl_event first, last;
    if (!is_cpu(bench)) RH_TRY(rh_bench_device_occupy(bench, 1e-3, error));
    double start = rh_now();
    for (int k = 0; k < LAUNCHES; k++) {
      cl_event *event = k == 0 ? &first : k == LAUNCHES - 1 ? &last : NULL;
      RH_CL_TRY(error, rh_cl_launch(bench->timed, bench->empty, one, one, event),
                "launching an empty kernel");
    }
    host[t] = (rh_now() - start) / LAUNCHES;
    RH_TRY(wait_for_device(bench, error));
    double by_host = rh_now() - start;
    if (rh_span(first, last, &device[t], NULL) != RH_OK) bench->host_clock = 1;
    device[t] = (bench->host_clock ? by_host : device[t]) / LAUNCHES;
  }
  bench->calibration.launch_s = rh_spread_of(host, TIMES).median;
  bench->calibration.empty_kernel_s = rh_spread_of(device, TIMES).median;
  return RH_OK;
}

static rh_status measure_copies(rh_bench_device *bench, rh_error *error) {
  enum { TIMES = 5 };
  size_t bytes = 32 * MIB;
  double samples[TIMES];
  if (bytes > bench->scratch_bytes) bytes = bench->scratch_bytes;
  RH_FREED(void) memory = malloc(bytes);
  if (!memory) return rh_fail(error, RH_E_NOMEM, "no memory to copy from");
  cl_int code = CL_SUCCESS;
  /* Downloads first, then uploads the same bytes, so that the scratch memory is unchanged. */
  for (int up = 0; up < 2 && code == CL_SUCCESS; up++) {
    for (int k = -1; k < TIMES && code == CL_SUCCESS; k++) {
      double start = rh_now();
      code = up ? rh_cl_write(bench->plain, bench->scratch, CL_TRUE, 0, bytes, memory, NULL)
                : rh_cl_read(bench->plain, bench->scratch, CL_TRUE, 0, bytes, memory, NULL);
      if (k >= 0) samples[k] = rh_now() - start;
    }
    double rate = (double)bytes / rh_spread_of(samples, TIMES).median;
    *(up ? &bench->calibration.upload : &bench->calibration.download) = rate;
  }
  return code == CL_SUCCESS ? RH_OK : rh_cl_fail(error, code, "copying to and from the device");
}

/* ---- Opening ---- */

/* Four times the driver's reported cache size may be less than the real cache: an H200 reports 4
 * MiB of 60. */
static uint64_t cold_bytes(const rh_device *about, uint64_t cache_bytes) {
  uint64_t bytes = 4 * cache_bytes > RH_COLD_BYTES ? 4 * cache_bytes : RH_COLD_BYTES;
  uint64_t most = about->global_bytes ? about->global_bytes / 4 : bytes;
  if (about->max_alloc_bytes && about->max_alloc_bytes < most) most = about->max_alloc_bytes;
  return bytes < most ? bytes : most;
}

static rh_status prepare(rh_bench_device *bench, rh_error *error) {
  bench->plain = bench->session->queue;
  RH_TRY(rh_cl_timed_queue(bench->session, &bench->timed, error));
  return rh_cl_program(bench->session, "calibration.cl", "", (const char *)calibration_cl, "",
                       &bench->program, error);
}

rh_status rh_bench_device_open(rh_bench_device *bench, rh_cl_session *session, int host_clock,
                               rh_error *error) {
  *bench = (rh_bench_device){.session = session, .host_clock = host_clock};
  const rh_device *about = &session->device->about;
  bench->calibration.cold_bytes = cold_bytes(about, session->device->cache_bytes);
  bench->scratch_bytes = bench->calibration.cold_bytes * (is_cpu(bench) ? 1 : 2);
  if (about->max_alloc_bytes && bench->scratch_bytes > about->max_alloc_bytes)
    bench->scratch_bytes = bench->calibration.cold_bytes;
  bench->scratch_bytes &= ~(uint64_t)(MIB - 1);
  bench->calibration.timer_declared_s = session->device->timer_step_s;
  RH_TRY(prepare(bench, error));
  RH_TRY(open_scratch(bench, error));
  RH_TRY(rh_cl_kernel(bench->program, "empty", &bench->empty, error));
  RH_CL_TRY(error, rh_cl_set(bench->empty, 0, sizeof bench->scratch, &bench->scratch),
            "setting an argument");
  RH_TRY(measure_peak(bench, error));
  RH_TRY(measure_step(bench, error));
  RH_TRY(measure_launches(bench, error));
  RH_TRY(measure_copies(bench, error));
  return calibrate_throttle_check(bench, error);
}

rh_status rh_bench_device_adopt(rh_bench_device *bench, const rh_bench_device *known,
                                rh_cl_session *session, rh_error *error) {
  *bench = (rh_bench_device){.session = session,
                             .scratch_bytes = known->scratch_bytes,
                             .sweep = known->sweep,
                             .sweep_s = known->sweep_s,
                             .calibration = known->calibration,
                             .host_clock = known->host_clock};
  bench->sweep.kernel = NULL;
  RH_TRY(prepare(bench, error));
  return make_sweep(bench, &bench->sweep, error);
}

void rh_bench_device_close(rh_bench_device *bench) {
  rh_cl_release_kernel(bench->sweep.kernel);
  rh_cl_release_kernel(bench->empty);
  rh_cl_release_program(bench->program);
  rh_cl_release_buffer(bench->scratch);
  rh_cl_release_queue(bench->timed);
  *bench = (rh_bench_device){0};
}
