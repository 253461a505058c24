/* OpenCL: opened at run time, its devices, sessions, memory, programs and commands. */
#pragma once

#include <CL/cl.h>

#include "../base/base.h"

/* ---- What compilers say of a program, with places in the files that it was made of ---- */

/* A place that a line of a log names, "far.cl:3:5: ". */
typedef struct rh_log_place {
  const char *file, *after; /* in the log: the name, and what follows the place */
  size_t length;            /* of the name */
  uint32_t line, column;
} rh_log_place;

/* The place that a line of a log begins with, or has behind "error: ".  0: there is none. */
int rh_log_place_of(const char *line, rh_log_place *place);

/* The log with the places that #line directives of `source` give; malloc'ed, null if out of memory.
 * Some compilers count the lines of the whole program, as in "<kernel>:46:3: error: ...". */
char *rh_log_in_files(const char *log, const char *source);

/* Line `line` of a file that `source` has behind #line directives; null: it has none. */
const char *rh_source_line(const char *source, const char *file, size_t file_length, uint32_t line,
                           size_t *length);

/* ---- Compiled programs on disk ---- */

/* An entry is <directory>/bin/<hash of the key>.  It contains the whole key, which is compared,
 * so that a hash collision costs a build but never gives a wrong program.  A checksum detects
 * damaged entries, which are ignored.  Entries are written atomically, so concurrent processes
 * are safe. */
typedef struct rh_cache {
  char *directory; /* null: no cache */
  const rh_reporter *reporter;
  int distrusted; /* 1: the directory exists, but others can change its contents */
  int complained; /* about a directory that is not writable: warned once */
} rh_cache;

/* options->cache_dir, else REDHOST_CACHE_DIR, else $XDG_CACHE_HOME/redhost; none with
 * options->no_cache or REDHOST_NO_CACHE, or if rh_trust_path does not trust the directory, which is
 * reported. */
rh_status rh_cache_init(rh_cache *cache, const rh_options *options, rh_error *error);
void rh_cache_finish(rh_cache *cache);

/* The entry's bytes, malloc'ed, or null. */
char *rh_cache_load(rh_cache *cache, const char *key, size_t *bytes);
/* A failure to store is only a warning. */
void rh_cache_store(rh_cache *cache, const char *key, const char *data, size_t bytes);

/* ---- Lists OpenCL devices and selects one ---- */

/* Owned by its rh_cl_devices. */
typedef struct rh_cl_device {
  rh_device about; /* what plugins see; its strings are those below */
  cl_platform_id platform;
  cl_device_id id;
  char label[24]; /* "1:0": platform and device by number */
  uint32_t index; /* over all platforms, including omitted devices */
  cl_int failed;  /* while the device is being queried: the first query without an answer */
  char *name, *vendor, *driver, *version, *c_version, *extensions, *platform_name,
      *platform_version;
  uint64_t clock_hz, cache_bytes;
  double timer_step_s; /* of the clock by which commands are timed, as the driver says */
  uint64_t alignment;  /* bytes: the alignment of sub-buffers; 0: unknown */
  uint32_t nvidia_sm;  /* compute capability, 90 for 9.0; 0: not NVIDIA */
  /* devices of one family take about the same times: rh_processor_family() of a CPU, "compute
   * capability 9" of NVIDIA's; "" if unknown */
  char family[RH_PROCESSOR_WORD];
  uint32_t shares_memory;            /* 1: buffers can be the host's own memory */
  uint32_t flushes_f32, flushes_f64; /* 1: subnormals become zero */
  uint32_t divides_exactly; /* 1: division and sqrt of f32 can be rounded correctly, if told so */
} rh_cl_device;

typedef struct rh_cl_devices {
  rh_cl_device *list; /* by platform, then device, as OpenCL orders them */
  uint32_t n, n_seen, n_platforms;
  char **faults; /* why devices were omitted: "device 0:0 does not answer queries: CL_... (-5)" */
  uint32_t n_faults;
  char *no_opencl; /* why OpenCL itself cannot be used; null */
} rh_cl_devices;

/* Every device of every platform; without any, RH_OK with n = 0.  A device that does not answer a
 * query about itself is omitted, because a guess would change what is computed; so is a platform
 * that does not list its devices. */
rh_status rh_cl_devices_find(rh_cl_devices *devices, rh_error *error);
void rh_cl_devices_finish(rh_cl_devices *devices);

/* The one device that `spec` names: "3" (from 0, over all platforms), "1:0", "gpu", "cpu",
 * "accelerator", or a part of the device's or platform's name; null: REDHOST_DEVICE, else the first
 * GPU, else accelerator, else CPU.  Ambiguous or malformed: RH_E_USAGE.  No such device:
 * RH_E_DEVICE.
 */
rh_status rh_cl_devices_choose(const rh_cl_devices *devices, const char *spec,
                               const rh_cl_device **device, rh_error *error);

/* The device of a queue.  RH_E_USAGE if the queue is out-of-order; RH_E_DEVICE if its device is not
 * in the list, such as a sub-device. */
rh_status rh_cl_devices_of_queue(const rh_cl_devices *devices, cl_command_queue queue,
                                 const rh_cl_device **device, rh_error *error);

const char *rh_device_kind_name(uint32_t kind);                 /* "gpu" */
uint32_t rh_device_kind_named(const char *name, size_t length); /* 0: there is no such kind */

/* Does a specification name more than one device: a list, "all", or all of a kind? */
int rh_devices_are_listed(const char *list);

/* ---- A context and an in-order queue on one device ---- */

/* Profiling hook, called once for each command that a strategy's run enqueues.  Events cost time,
 * so it is installed only while measuring. */
typedef struct rh_cl_tap {
  void *user;
  /* Returns the place for the next command's event; null: none.  `stage` names the command. */
  cl_event *(*on_command)(void *user, const char *stage);
} rh_cl_tap;

/* [one thread at a time] */
typedef struct rh_cl_session {
  const rh_cl_device *device;
  cl_context context;
  cl_command_queue queue; /* where services enqueue; measuring replaces it temporarily */
  const rh_cl_tap *tap;   /* null: no profiling */
  rh_cache *cache;
  const rh_reporter *reporter;
  uint32_t compiled_only; /* 1: a program that is not in the cache is declined, not built */
  rh_text *build_log;     /* of builds that fail; null: it only goes to the reporter and a file */
  uint64_t input_bytes;   /* of the latest input on the device, for messages */
  /* The cost of builds so far. */
  uint32_t builds, builds_cached;
  double build_s;
} rh_cl_session;

/* Borrows device, cache and reporter.  Uses the queue, which is on `device`, and its context, and
 * retains both; null: makes its own. */
rh_status rh_cl_session_init(rh_cl_session *session, const rh_cl_device *device,
                             cl_command_queue queue, rh_cache *cache, const rh_reporter *reporter,
                             rh_error *error);
/* The place for the next command's event, or null. */
static inline cl_event *rh_cl_event_for(const rh_cl_session *session, const char *stage) {
  return session->tap ? session->tap->on_command(session->tap->user, stage) : NULL;
}
void rh_cl_session_finish(rh_cl_session *session); /* zero-initialised is fine */

/* Builds `prelude` followed by `source` for the session's device, or takes it from the cache.
 * `file` names the source in messages.  A source that does not compile is RH_E_BUILD; the
 * compiler's log goes to the reporter and to a file. */
rh_status rh_cl_program(rh_cl_session *session, const char *file, const char *prelude,
                        const char *source, const char *options, cl_program *program,
                        rh_error *error);

/* OpenCL's functions, which are found when a device is first looked for: redhost links no library
 * of OpenCL, and starts without one.  Only core/cl calls them. */

/* clang-format off */
#define RH_OPENCL_LIST(X)                                                                          \
  X(BuildProgram) X(CreateBuffer) X(CreateCommandQueue) X(CreateContext) X(CreateKernel)           \
  X(CreateProgramWithBinary) X(CreateProgramWithSource) X(CreateSubBuffer)                         \
  X(EnqueueBarrierWithWaitList) X(EnqueueCopyBuffer) X(EnqueueFillBuffer) X(EnqueueMapBuffer)      \
  X(EnqueueNDRangeKernel) X(EnqueueReadBuffer) X(EnqueueUnmapMemObject) X(EnqueueWriteBuffer)      \
  X(Finish) X(Flush) X(GetCommandQueueInfo) X(GetContextInfo) X(GetDeviceIDs) X(GetDeviceInfo)     \
  X(GetEventInfo) X(GetEventProfilingInfo) X(GetExtensionFunctionAddressForPlatform)               \
  X(GetKernelWorkGroupInfo) X(GetMemObjectInfo) X(GetPlatformIDs) X(GetPlatformInfo)               \
  X(GetProgramBuildInfo) X(GetProgramInfo) X(ReleaseCommandQueue) X(ReleaseContext)                \
  X(ReleaseEvent) X(ReleaseKernel) X(ReleaseMemObject) X(ReleaseProgram) X(RetainCommandQueue)     \
  X(RetainContext) X(SetEventCallback) X(SetKernelArg) X(WaitForEvents)
/* clang-format on */

typedef struct rh_opencl_functions {
#define RH_X(name) __typeof__(cl##name) *name;
  RH_OPENCL_LIST(RH_X)
#undef RH_X
} rh_opencl_functions;

/* Of the whole process; null until rh_opencl_open() has succeeded. */
extern rh_opencl_functions rh_cl;

/* RH_E_DEVICE: there is no libOpenCL, or it lacks a function.  [one thread at a time] */
rh_status rh_opencl_open(rh_error *error);

/* OpenCL's commands and objects, as all of the host uses them: in one dimension, and without lists
 * of events.  A function that returns cl_int returns OpenCL's code, for RH_CL_TRY; an `event` may
 * be null, and is the caller's to release. */

/* Null is finished, and released, without a call. */
static inline cl_int rh_cl_finish(cl_command_queue queue) {
  return queue ? rh_cl.Finish(queue) : CL_SUCCESS;
}
static inline void rh_cl_release_buffer(cl_mem buffer) {
  if (buffer) rh_cl.ReleaseMemObject(buffer);
}
static inline void rh_cl_release_kernel(cl_kernel kernel) {
  if (kernel) rh_cl.ReleaseKernel(kernel);
}
static inline void rh_cl_release_program(cl_program program) {
  if (program) rh_cl.ReleaseProgram(program);
}
static inline void rh_cl_release_queue(cl_command_queue queue) {
  if (queue) rh_cl.ReleaseCommandQueue(queue);
}
static inline void rh_cl_release_event(cl_event event) {
  if (event) rh_cl.ReleaseEvent(event);
}

static inline cl_int rh_cl_flush(cl_command_queue queue) { return rh_cl.Flush(queue); }
/* What is enqueued from now on waits for `event`. */
static inline cl_int rh_cl_barrier(cl_command_queue queue, cl_event event) {
  return rh_cl.EnqueueBarrierWithWaitList(queue, 1, &event, NULL);
}
static inline cl_int rh_cl_read(cl_command_queue queue, cl_mem buffer, cl_bool waits, uint64_t at,
                                uint64_t bytes, void *to, cl_event *event) {
  return rh_cl.EnqueueReadBuffer(queue, buffer, waits, at, bytes, to, 0, NULL, event);
}
static inline cl_int rh_cl_write(cl_command_queue queue, cl_mem buffer, cl_bool waits, uint64_t at,
                                 uint64_t bytes, const void *from, cl_event *event) {
  return rh_cl.EnqueueWriteBuffer(queue, buffer, waits, at, bytes, from, 0, NULL, event);
}
static inline cl_int rh_cl_copy(cl_command_queue queue, cl_mem buffer, uint64_t from, uint64_t to,
                                uint64_t bytes) {
  return rh_cl.EnqueueCopyBuffer(queue, buffer, buffer, from, to, bytes, 0, NULL, NULL);
}
static inline cl_int rh_cl_fill(cl_command_queue queue, cl_mem buffer, unsigned char byte,
                                uint64_t at, uint64_t bytes) {
  return rh_cl.EnqueueFillBuffer(queue, buffer, &byte, 1, at, bytes, 0, NULL, NULL);
}
/* Waits; null if it fails. */
cl_int rh_cl_map(cl_command_queue queue, cl_mem buffer, cl_map_flags flags, uint64_t bytes,
                 void **memory);
static inline cl_int rh_cl_unmap(cl_command_queue queue, cl_mem buffer, void *memory,
                                 cl_event *event) {
  return rh_cl.EnqueueUnmapMemObject(queue, buffer, memory, 0, NULL, event);
}

rh_status rh_cl_kernel(cl_program program, const char *name, cl_kernel *kernel, rh_error *error);
static inline cl_int rh_cl_set(cl_kernel kernel, uint32_t argument, size_t bytes,
                               const void *value) {
  return rh_cl.SetKernelArg(kernel, argument, bytes, value);
}
/* group: 0 leaves it to the driver. */
cl_int rh_cl_launch(cl_command_queue queue, cl_kernel kernel, uint64_t items, uint64_t group,
                    cl_event *event);

static inline cl_int rh_cl_wait(cl_event event) { return rh_cl.WaitForEvents(1, &event); }
/* A moment of the command (CL_PROFILING_COMMAND_*), in ns. */
static inline cl_int rh_cl_moment(cl_event event, cl_profiling_info which, cl_ulong *ns) {
  return rh_cl.GetEventProfilingInfo(event, which, sizeof *ns, ns, NULL);
}
/* Also if the command failed, or cannot be asked. */
int rh_cl_is_done(cl_event event);
static inline cl_int
rh_cl_call_back(cl_event event, void(CL_CALLBACK *function)(cl_event, cl_int, void *), void *user) {
  return rh_cl.SetEventCallback(event, CL_COMPLETE, function, user);
}

/* A queue whose commands know their times. */
rh_status rh_cl_timed_queue(const rh_cl_session *session, cl_command_queue *queue, rh_error *error);
rh_status rh_cl_part_of_buffer(cl_mem whole, uint64_t at, uint64_t bytes, cl_mem *part,
                               rh_error *error);
/* To the context, of which every object holds one, and to the queue. */
cl_uint rh_cl_references(const rh_cl_session *session);

/* ---- A device's view of an array in host memory ---- */

typedef struct rh_cl_input {
  cl_mem buffer;
  uint64_t first;    /* the array's first element, counted in the buffer */
  uint32_t in_place; /* 1: the host's own memory, without a copy */
  double upload_s;   /* duration of the copy */
  uint64_t bytes;    /* of the buffer */
  uintptr_t view;    /* in place: the host's memory that it covers */
} rh_cl_input;

/* RH_E_DEVICE, with both numbers, if `bytes` exceeds what the device can hold.  UINT64_MAX stands
 * for everything past 2^64. */
rh_status rh_cl_input_fits(const rh_cl_device *device, uint64_t bytes, const char *what,
                           rh_error *error);

/* `n` elements of `size` bytes that start `offset` bytes (a multiple of size) after the
 * page-aligned `region`.  If the device shares the host's memory, the buffer is the region itself,
 * which must outlive it. */
rh_status rh_cl_input_init(rh_cl_input *input, rh_cl_session *session, void *region,
                           uint64_t offset, uint64_t n, uint32_t size, rh_error *error);
/* A device buffer for up to `n` elements, to be filled later. */
rh_status rh_cl_input_reserve(rh_cl_input *input, rh_cl_session *session, uint64_t n, uint32_t size,
                              rh_error *error);
/* rh_cl_input_init() for consecutive arrays, which begin anywhere: a device buffer that is large
 * enough is reused, and so is one in place that covers the array; starts zero-initialised.  The
 * data must live until the queue is done with them. */
rh_status rh_cl_input_renew(rh_cl_input *input, rh_cl_session *session, const void *data,
                            uint64_t n, uint32_t size, rh_error *error);
/* Enqueues a copy of `bytes` from `data` to its beginning; `data` must live until the queue is done
 * with it. */
rh_status rh_cl_input_write(rh_cl_input *input, rh_cl_session *session, const void *data,
                            uint64_t bytes, rh_error *error);
void rh_cl_input_finish(rh_cl_input *input);
/* Finishes those of the n that are in place: a CPU device works in the host's own memory, but
 * others may hold copies that do not follow later changes. */
void rh_cl_inputs_let_go(rh_cl_input *inputs, uint32_t n);

/* ---- OpenCL's error codes in words ---- */

const char *rh_cl_status_name(cl_int code); /* "CL_OUT_OF_RESOURCES"; "unknown OpenCL error" */

/* `what` failed with `code`: "creating a buffer: CL_OUT_OF_RESOURCES (-5)".  Returns RH_E_CL, or
 * RH_E_DEVICE if the code means out of memory; those of allocations also have sizes. */
rh_status rh_cl_fail(rh_error *error, cl_int code, const char *what);

/* Calls an OpenCL function that returns its status, and returns a failure to the caller. */
#define RH_CL_TRY(error, call, what)                                                               \
  do {                                                                                             \
    cl_int rh_cl_code = (call);                                                                    \
    if (rh_cl_code != CL_SUCCESS) return rh_cl_fail(error, rh_cl_code, what);                      \
  } while (0)

/* ---- Buffers: messages for a device that is out of memory, and checks of a caller's ---- */

/* Reports that `what`, which needed `bytes` (0: unknown), failed with `code`.  The message gives
 * the device's memory, and the free memory if the driver reports it: another process may hold
 * the rest.  RH_E_DEVICE, or rh_cl_fail()'s status if the code means something else.
 * `allocates`: CL_OUT_OF_RESOURCES, which drivers use for a crash of a kernel too, is about
 * memory here. */
rh_status rh_cl_fail_short(rh_error *error, cl_int code, const char *what,
                           const rh_cl_device *device, uint64_t bytes, int allocates);

/* clCreateBuffer, with that failure. */
rh_status rh_cl_buffer(const rh_cl_session *session, cl_mem_flags flags, uint64_t bytes, void *host,
                       const char *what, cl_mem *buffer, rh_error *error);

/* Elements of a buffer of the caller's, number k of `of`. */
typedef struct rh_cl_range {
  const char *what; /* "buffer" */
  uint32_t k, of;
  uint64_t first, n;
  uint32_t size; /* of an element, in bytes */
  /* CL_MEM_WRITE_ONLY of what kernels read, CL_MEM_READ_ONLY of what they write */
  cl_mem_flags unfit;
} rh_cl_range;

/* RH_E_USAGE unless the buffer has the range, is of the session's context and may be used so.  Asks
 * the driver each time: a buffer may have the address of one that was released. */
rh_status rh_cl_check_range(const rh_cl_session *session, cl_mem buffer, const rh_cl_range *range,
                            rh_error *error);

/* RH_CL_TRY for commands that are enqueued or waited for in a session: a driver may allocate only
 * then. */
#define RH_CL_TRY_IN(session, error, call, what)                                                   \
  do {                                                                                             \
    cl_int rh_cl_code = (call);                                                                    \
    if (rh_cl_code != CL_SUCCESS)                                                                  \
      return rh_cl_fail_short(error, rh_cl_code, what, (session)->device, (session)->input_bytes,  \
                              0);                                                                  \
  } while (0)

/* The host's services to a plugin: rh_host, and a record of everything that the plugin obtained. */

enum { RH_PHASE_NONE, RH_PHASE_SETUP, RH_PHASE_RUN, RH_PHASE_TEARDOWN };

typedef struct rh_handed {
  void *thing;
  int kind;
} rh_handed;

/* One for each instance of a strategy. [one thread at a time] */
typedef struct rh_services {
  rh_host host;           /* what the plugin sees; host.priv is this struct */
  rh_cl_session *session; /* null for host strategies */
  const char *prelude, *strategy;
  const char *options; /* for every build, before the plugin's; "" */
  const rh_reporter *reporter;
  int phase;             /* services are refused outside their phase */
  rh_error *error;       /* of the call in progress */
  const char *misplaced; /* the last service that was called outside its phase; null: none was */
  int failed;            /* a service failed or fail() was called: *error has the reason */
  int short_of_memory;   /* it was out of memory, and *error has RH_E_DEVICE */
  rh_handed *handed;     /* released in reverse order */
  uint32_t n_handed;
  uint64_t scratch_bytes;
  uint32_t launches; /* of the current run */
  /* launch() takes its operands and constants for RH_ARG_OPERANDS; null: there are none */
  const rh_run *run;
  uint32_t constants_size;
} rh_services;

/* session, prelude, strategy and reporter are borrowed. */
void rh_services_init(rh_services *services, rh_cl_session *session, const char *prelude,
                      const char *strategy, const rh_reporter *reporter);
/* Before every call into the plugin. */
static inline void rh_services_enter(rh_services *services, int phase, rh_error *error) {
  services->phase = phase;
  services->error = error;
  services->failed = services->short_of_memory = 0;
  services->launches = 0;
}
/* After it: *error is the caller's, and may no longer exist at the next call. */
static inline void rh_services_leave(rh_services *services) {
  services->phase = RH_PHASE_NONE;
  services->error = NULL;
}
/* Waits for the queue and releases everything that the plugin obtained. */
void rh_services_finish(rh_services *services);

/* A large copy from memory that is not pinned: threads copy it into pinned pieces, from which the
 * device takes it several times as fast. */

/* Below so many bytes, pinning takes longer than is gained. */
enum { RH_CL_STAGED_BYTES = 256 << 20 };

/* Copies `bytes` from `data` to the beginning of `buffer`, through the session's queue, and waits
 * for it; reports progress as "upload", in this thread.  RH_DECLINED, with nothing done, if the
 * driver pins no memory or no thread can be started. */
rh_status rh_cl_stage(rh_cl_session *session, cl_mem buffer, const void *data, uint64_t bytes,
                      rh_error *error);

/* Of a copy that is not staged: long enough for full speed, short enough to show progress. */
enum { RH_CL_UPLOAD_BYTES = 64 << 20 };

/* The same, staged only where that is faster. */
rh_status rh_cl_upload(rh_cl_session *session, cl_mem buffer, const void *data, uint64_t bytes,
                       rh_error *error);

/* Memory for a result that the device writes and the host reads directly, without a read command.
 *
 * On an NVIDIA H200 a call whose last command reads 4 bytes back takes 14.7 us, one that only waits
 * for its kernel by clFinish 9.4, and one that watches the result's words arrive about 2.5 us less.
 * cl_nv_create_buffer gives buffers in the host's memory; kernels' writes arrive in their mapping.
 * OpenCL itself promises nothing about memory that is written while mapped, so it is tested before
 * it is used. */

enum { RH_CL_VISIBLE_BYTES = 64 }; /* of a result, at most */

/* Zero-initialised: there is none. */
typedef struct rh_cl_visible {
  cl_mem buffer;
  volatile uint32_t *words; /* where the host reads it */
  uint32_t n_words;
  /* Bit k: word k is watched.  0: only once the queue is finished does the result count. */
  uint32_t watched;
  uint32_t calls; /* since the queue was last finished */
} rh_cl_visible;

/* Leaves *visible unchanged if the device has no such memory, or if a trial shows that it does
 * not work.  bytes: of the result, at most RH_CL_VISIBLE_BYTES, a multiple of 4.  written: bit k is
 * set if a kernel that writes the result surely writes its word k, and clear for padding. */
void rh_cl_visible_init(rh_cl_visible *visible, rh_cl_session *session, uint32_t bytes,
                        uint32_t written);
void rh_cl_visible_finish(rh_cl_visible *visible, rh_cl_session *session);

/* Call before the commands that write the result are enqueued. */
void rh_cl_visible_expect(rh_cl_visible *visible);

/* Waits until the commands enqueued since rh_cl_visible_expect() have written the result, and
 * copies it.  They may still be running then, but the result is final, because each word is written
 * once. */
rh_status rh_cl_visible_await(rh_cl_visible *visible, rh_cl_session *session, void *value,
                              rh_error *error);
