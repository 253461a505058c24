#include "reduction.h"

#include <redhost/canonical.h>

#include <sched.h>

enum {
  /* For strategies that read the host's memory: so many chunks of all processes are still in the
   * processors' last cache.  A ring of 24 MiB beside a cache of 32 loses a fifth of the time;
   * smaller chunks than these cost more to schedule than they save. */
  CHUNKS_IN_CACHE = 16,
  LEAST_HOST_CHUNK = RH_STREAM_LEAST_MIB << 20,
  MOST_HOST_CHUNK = RH_STREAM_MOST_MIB << 20,
  /* Long compared with what a copy and a launch cost; half a dozen of them still fit into the last
   * cache of a GPU's host, from which they are copied. */
  DEVICE_CHUNK = RH_STREAM_DEVICE_MIB << 20,
  PIECES = 16, /* that the readers take of one */
  /* A viewed chunk is in no cache beforehand, unless its reference was computed. */
  VIEWED_CHUNK = 16 << 20,
  MOST_READERS = 4,
  /* These read data that the host only passes on.  One reader copies 6 to 8 GB/s out of the page
   * cache, and PCIe 5 takes 55. */
  MOST_READERS_FOR_COPIES = 12
};

/* ---- Chunks ---- */

uint64_t rh_chunk_n(const rh_job_spec *spec, uint64_t bytes) {
  uint64_t tiles = 1;
  while (2 * tiles * RH_CANONICAL_TILE_BYTES <= bytes && tiles < UINT64_C(1) << 40) tiles *= 2;
  return tiles * RH_CANONICAL_TILE_BYTES / spec->operation.op->abi->element_size;
}

/* Does the device have memory of its own? */
static int copies(const rh_worker *device) {
  return device->device && !device->device->shares_memory;
}

/* Bytes of the last cache, which the processors share; 0 if the system does not say.  sysconf()
 * will not do: glibc 2.36 gives ten times the size on some virtual machines. */
static uint64_t last_cache_bytes(void) {
  static const char *const files[] = {"/sys/devices/system/cpu/cpu0/cache/index3/size",
                                      "/sys/devices/system/cpu/cpu0/cache/index2/size"};
  unsigned long long kib = 0; /* "32768K" */
  for (int k = 0; k < 2 && kib == 0; k++) {
    FILE *file = fopen(files[k], "re");
    if (file && fscanf(file, "%lluK", &kib) != 1) kib = 0;
    if (file) fclose(file);
  }
  return kib << 10;
}

uint64_t rh_stream_chunk_n(const rh_reduction_spec *spec, int check) {
  const rh_worker *devices = spec->devices;
  uint64_t cache = last_cache_bytes();
  uint64_t suits = cache ? cache / CHUNKS_IN_CACHE / spec->processes : MOST_HOST_CHUNK;
  if (suits < LEAST_HOST_CHUNK) suits = LEAST_HOST_CHUNK;
  if (suits > MOST_HOST_CHUNK) suits = MOST_HOST_CHUNK;
  if (check == RH_CHECK_NONE && !devices[0].device && spec->source &&
      rh_source_is_viewed(spec->source))
    suits = VIEWED_CHUNK;
  for (uint32_t k = 0; k < spec->n_devices; k++)
    if (copies(&devices[k])) suits = DEVICE_CHUNK;
  return rh_chunk_n(devices[0].job, spec->chunk_bytes ? spec->chunk_bytes : suits);
}

/* ---- Threads ---- */

/* Those that this process may use, shared evenly by so many processes. */
static uint32_t count_processors(uint32_t processes) {
  cpu_set_t set;
  uint32_t n = sched_getaffinity(0, sizeof set, &set) == 0 ? (uint32_t)CPU_COUNT(&set) : 1;
  return n > processes ? n / processes : 1;
}

/* ---- Strategies ---- */

rh_status rh_stream_try(rh_job *job, int check, rh_error *error) {
  if (check != RH_CHECK_FULL) RH_TRY(rh_job_self_test(job, error));
  return rh_job_check_order(job, error);
}

/* Counts the threads of a device that may use so many processors, and the slots that keep it and
 * them busy.  Readers that copy leave a quarter of the processors to the driver and to us.  A chunk
 * that is checked is looked at by the one that has read it, which takes longer than reading.  While
 * the last pieces of one slot are read, others of the next are. */
static void plan(rh_worker *device, uint32_t processors, int in_order, int check,
                 uint64_t chunk_n) {
  uint32_t most = copies(device) ? MOST_READERS_FOR_COPIES : MOST_READERS;
  if (device->job->operation.op->is_code) check = RH_CHECK_NONE; /* a device computes references */
  if (check == RH_CHECK_FULL) most = RH_RING_MOST_THREADS;
  else if (copies(device)) processors -= processors / 4;
  if (in_order && check == RH_CHECK_NONE) most = 1;
  device->readers = processors < most ? processors : most;
  device->slots = device->readers + 2 * RH_STREAM_AHEAD;
  if (!copies(device)) return;
  device->piece_n = chunk_n / PIECES;
  device->slots = 2 + 2 * RH_STREAM_AHEAD + (check == RH_CHECK_NONE ? 0 : device->readers);
}

static rh_status open_staging(rh_worker *device, rh_error *error) {
  uint64_t bytes = rh_operand_layout(&device->chunk.spec, device->offsets);
  rh_cl_session *session = NULL;
  if (device->chunk.device) RH_TRY(rh_context_session(device->context, &session, error));
  rh_status status = rh_staging_open(device->staging, session, device->slots, bytes, error);
  device->context->device_failed |= status != RH_OK;
  return status;
}

static rh_status set_up(rh_worker *device, int check, rh_error *error) {
  rh_job *job = &device->chunk;
  const rh_operator *op = job->spec.operation.op;
  RH_TRY(open_staging(device, error));
  job->instance_spec.session = device->staging->session;
  RH_TRY(rh_job_instantiate(job, error));
  if (rh_operator_has_operands(op)) rh_operands_begin(&job->operands, op);
  return rh_stream_try(job, check, error);
}

/* Asks the strategy of a device with a plan, and sets up it and its slots, for n elements in all:
 * UINT64_MAX, if that is not known.  The strategy is tested unless check is RH_CHECK_FULL.  It
 * fails as rh_job_init() does; after a failure only rh_worker_finish() is to follow. */
static rh_status open_worker(rh_worker *device, uint64_t n, uint64_t chunk_n, int check,
                             rh_error *error) {
  rh_job_spec own = *device->job;
  device->chunk_n = own.operation.n = chunk_n;
  device->whole_n = n;
  if (!device->staging) device->staging = &device->own;
  rh_operand_layout(&own, own.offsets);
  RH_TRY(rh_job_init(&device->chunk, device->context, &own, error));
  RH_TRY(set_up(device, check, error));
  if (device->staging->unpinned.status != RH_OK)
    rh_log(&device->context->options.reporter, RH_LOG_INFO, "copies go from pageable memory: %s",
           device->staging->unpinned.message);
  device->is_up = 1;
  return RH_OK;
}

void rh_worker_finish(rh_worker *device) {
  if (device->staging && device->staging->copies) rh_cl_finish(device->staging->copies);
  rh_job_finish(&device->chunk);
  rh_staging_finish(&device->own);
  device->staging = NULL;
}

int rh_stream_may_leave_out(rh_status status) {
  return status == RH_DECLINED || status == RH_E_DEVICE || status == RH_E_BUILD ||
         status == RH_E_PLUGIN;
}

void rh_workers_warn(const rh_reduction_spec *spec, const char *what) {
  for (uint32_t k = 0; k < spec->n_devices; k++) {
    const rh_worker *device = &spec->devices[k];
    const rh_cl_device *chosen = device->device ? device->device : device->context->device;
    if (device->failure.status == RH_OK || !device->is_up != !what) continue;
    rh_log(&device->context->options.reporter, RH_LOG_WARNING, "device %s %s: %s",
           chosen ? chosen->label : "host", what ? what : "is left out", device->failure.message);
  }
}

rh_status rh_workers_set_up(const rh_reduction_spec *spec, uint64_t chunk_n, uint64_t whole_n,
                            int check, rh_error *error) {
  uint32_t processors = count_processors(spec->processes);
  uint32_t n_used = 0, n_up = 0;
  rh_error first = {0};
  for (uint32_t k = 0; k < spec->n_devices; k++) n_used += spec->devices[k].failure.status == RH_OK;
  uint32_t share = n_used && processors > n_used ? processors / n_used : 1;
  for (uint32_t k = 0; k < spec->n_devices; k++) {
    rh_worker *device = &spec->devices[k];
    rh_error why = {0};
    if (device->failure.status != RH_OK) continue;
    plan(device, share, spec->source->in_order, check, chunk_n);
    rh_status status = open_worker(device, whole_n, chunk_n, check, &why);
    n_up += status == RH_OK;
    if (status == RH_OK) continue;
    rh_worker_finish(device);
    device->failure = why;
    if (first.status == RH_OK || !rh_stream_may_leave_out(status)) first = why;
    if (!rh_stream_may_leave_out(status)) break;
  }
  if (n_up && (first.status == RH_OK || rh_stream_may_leave_out(first.status))) {
    rh_workers_warn(spec, NULL);
    return RH_OK;
  }
  return rh_error_pass(error, first.status, &first);
}

/* ---- Arrays ---- */

rh_status rh_arrays_open(rh_worker **ring, const rh_job *found, const rh_job_spec *spec,
                         rh_staging *staging, int check, rh_error *error) {
  rh_job_spec chunk = *spec;
  RH_TRY(RH_NEW(ring, 1, "the stream of arrays to a device", error));
  rh_worker *device = *ring;
  chunk.strategy = found->strategy->name;
  chunk.plugin = found->path;
  *device = (rh_worker){
      .context = found->context, .job = &chunk, .device = found->device, .staging = staging};
  const rh_reduction_spec alone = {.devices = device,
                                   .n_devices = 1,
                                   .processes = 1,
                                   .chunk_bytes = found->context->chunk_bytes};
  uint64_t chunk_n = rh_stream_chunk_n(&alone, check);
  plan(device, count_processors(1), 0, RH_CHECK_NONE, chunk_n);
  rh_status status = open_worker(device, UINT64_MAX, chunk_n, check, error);
  device->job = &device->chunk.spec;
  return status;
}

void rh_arrays_close(rh_worker **ring) {
  if (*ring) rh_worker_finish(*ring);
  free(*ring);
  *ring = NULL;
}
