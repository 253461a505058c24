#include "cl.h"

enum { MEMORY, BUFFER, PROGRAM, KERNEL };

static rh_services *services_of(const rh_host *host) { return host->priv; }

/* ---- Failing ---- */

static rh_status failed(rh_services *s, rh_status status) {
  s->failed = 1;
  return status;
}

/* The plugin gets RH_E_CL, as documented; the plugin's caller decides on the status for the
 * user. */
static rh_status cl_failed(rh_services *s, cl_int code, const char *what, uint64_t bytes,
                           int allocates) {
  const uint64_t held = s->session->input_bytes + s->scratch_bytes;
  rh_status status =
      rh_cl_fail_short(s->error, code, what, s->session->device, held + bytes, allocates);
  s->short_of_memory = status == RH_E_DEVICE;
  return failed(s, RH_E_CL);
}

static rh_status service_fail(const rh_host *host, rh_status status, int32_t cl_code,
                              const char *what) {
  rh_services *s = services_of(host);
  int declines = status == RH_DECLINED && s->phase == RH_PHASE_SETUP;
  if ((status >= RH_OK && !declines) || status < RH_E_INTERNAL) status = RH_E_INTERNAL;
  if (cl_code && s->session) cl_failed(s, cl_code, what ? what : "a plugin's OpenCL call", 0, 0);
  else if (cl_code) rh_cl_fail(s->error, cl_code, what ? what : "a plugin's OpenCL call");
  else rh_fail(s->error, status, "%s", what ? what : rh_status_text(status));
  if (s->error && !s->short_of_memory) s->error->status = status;
  return failed(s, status);
}

static rh_status wrong_phase(rh_services *s, const char *service, const char *phase) {
  s->misplaced = service;
  return failed(s, rh_fail(s->error, RH_E_INVALID, "%s() was called outside %s", service, phase));
}

static void service_log(const rh_host *host, uint32_t level, const char *text) {
  rh_log(services_of(host)->reporter, level, "%s: %s", services_of(host)->strategy, text);
}

/* ---- Obtaining ---- */

static void record(rh_services *s, int kind, void *thing) {
  s->handed[s->n_handed++] = (rh_handed){thing, kind};
}

/* Reserves a record before the object is created, so that no object can leak. */
static rh_status may_obtain(rh_services *s, const char *service, int needs_device) {
  if (s->phase != RH_PHASE_SETUP) return wrong_phase(s, service, "setup");
  if (needs_device && !s->session)
    return failed(s, rh_fail(s->error, RH_E_INVALID,
                             "%s() was called by a host strategy, which has no device", service));
  rh_status status = RH_ROOM(&s->handed, s->n_handed, "a record", s->error);
  return status == RH_OK ? RH_OK : failed(s, status);
}

static rh_status service_build(const rh_host *host, const char *file, const char *source,
                               const char *options, struct _cl_program **program) {
  rh_services *s = services_of(host);
  RH_FINISHED(rh_text) all = {0};
  RH_TRY(may_obtain(s, "build", 1));
  rh_text_add(&all, "%s%s%s", s->options, *s->options ? " " : "", options ? options : "");
  rh_status status =
      rh_cl_program(s->session, file, s->prelude, source, rh_text_get(&all), program, s->error);
  if (status != RH_OK) return failed(s, status);
  record(s, PROGRAM, *program);
  return RH_OK;
}

static rh_status service_kernel(const rh_host *host, struct _cl_program *program, const char *name,
                                struct _cl_kernel **kernel, uint32_t *max_group) {
  rh_services *s = services_of(host);
  cl_int code;
  size_t most = 0;
  RH_TRY(may_obtain(s, "kernel", 1));
  *kernel = rh_cl.CreateKernel(program, name, &code);
  if (code != CL_SUCCESS)
    return rh_error_prefix(s->error, cl_failed(s, code, "creating a kernel", 0, 0), "kernel '%s'",
                           name);
  record(s, KERNEL, *kernel);
  code = rh_cl.GetKernelWorkGroupInfo(*kernel, s->session->device->id, CL_KERNEL_WORK_GROUP_SIZE,
                                      sizeof most, &most, NULL);
  if (code != CL_SUCCESS)
    return cl_failed(s, code, "asking for a kernel's largest work-group", 0, 0);
  /* A kernel with a required work-group size must be launched with it, although NVIDIA's driver
   * reports 256. */
  size_t required[3] = {0};
  code = rh_cl.GetKernelWorkGroupInfo(*kernel, s->session->device->id,
                                      CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof required, required,
                                      NULL);
  if (code != CL_SUCCESS)
    return cl_failed(s, code, "asking for the work-group that a kernel requires", 0, 0);
  if (required[0]) most = required[0] * required[1] * required[2];
  if (max_group) *max_group = most > UINT32_MAX ? UINT32_MAX : (uint32_t)most;
  return RH_OK;
}

static rh_status service_scratch(const rh_host *host, uint64_t bytes, struct _cl_mem **buffer) {
  rh_services *s = services_of(host);
  cl_int code;
  RH_TRY(may_obtain(s, "scratch", 1));
  *buffer = rh_cl.CreateBuffer(s->session->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
  if (code != CL_SUCCESS)
    return rh_error_prefix(s->error, cl_failed(s, code, "allocating scratch memory", bytes, 1),
                           "%llu bytes", (unsigned long long)bytes);
  record(s, BUFFER, *buffer);
  s->scratch_bytes += bytes;
  return RH_OK;
}

static void *service_alloc(const rh_host *host, uint64_t bytes) {
  rh_services *s = services_of(host);
  if (may_obtain(s, "alloc", 0) != RH_OK) return NULL;
  void *memory = calloc(1, bytes ? bytes : 1);
  if (!memory)
    failed(s, rh_fail(s->error, RH_E_NOMEM, "no memory for %llu bytes", (unsigned long long)bytes));
  else record(s, MEMORY, memory);
  return memory;
}

/* ---- Running ---- */

static rh_status may_run(rh_services *s, const char *service) {
  if (s->phase == RH_PHASE_RUN && s->session) return RH_OK;
  return wrong_phase(s, service, "run");
}

static rh_status launch_failed(rh_services *s, cl_int code, const char *stage, const char *what) {
  return rh_error_prefix(s->error, cl_failed(s, code, what, 0, 0), "launch of '%s'", stage);
}

/* For RH_ARG_OPERANDS: sets the arguments from *at on, and moves *at behind them. */
static cl_int set_operands(const rh_services *s, struct _cl_kernel *kernel, cl_uint *at,
                           const rh_arg *arg) {
  const rh_run *run = s->run;
  if (!run || run->n_operands == 0)
    return rh_cl.SetKernelArg(kernel, (*at)++, arg->size, arg->value);
  for (uint32_t k = 0; k < run->n_operands; k++) {
    cl_int code = rh_cl.SetKernelArg(kernel, (*at)++, sizeof(cl_mem), &run->operands[k]);
    if (code == CL_SUCCESS)
      code = rh_cl.SetKernelArg(kernel, (*at)++, sizeof(uint64_t), &run->operand_first[k]);
    if (code != CL_SUCCESS) return code;
  }
  return rh_cl.SetKernelArg(kernel, (*at)++, s->constants_size, run->constants);
}

static rh_status service_launch(const rh_host *host, struct _cl_kernel *kernel, uint64_t global,
                                uint64_t local, const rh_arg *args, uint32_t n_args,
                                const char *stage) {
  rh_services *s = services_of(host);
  RH_TRY(may_run(s, "launch"));
  if (local == 0 || global == 0 || global % local != 0)
    return failed(s, rh_fail(s->error, RH_E_INVALID,
                             "launch of '%s': %llu work-items are not a multiple of groups of %llu",
                             stage, (unsigned long long)global, (unsigned long long)local));
  /* Sets all arguments each time: tracking changes would save only 7 ns per unchanged argument
   * on an H200. */
  cl_uint at = 0;
  for (uint32_t k = 0; k < n_args; k++) {
    const void *value = args[k].kind == RH_ARG_LOCAL ? NULL : args[k].value;
    cl_int code = args[k].kind == RH_ARG_OPERANDS
                      ? set_operands(s, kernel, &at, &args[k])
                      : rh_cl.SetKernelArg(kernel, at++, args[k].size, value);
    if (code != CL_SUCCESS) return launch_failed(s, code, stage, "setting an argument");
  }
  cl_int code =
      rh_cl_launch(s->session->queue, kernel, global, local, rh_cl_event_for(s->session, stage));
  if (code != CL_SUCCESS) return launch_failed(s, code, stage, "enqueueing");
  s->launches++;
  return RH_OK;
}

static rh_status service_fill(const rh_host *host, struct _cl_mem *buffer, uint64_t offset,
                              const void *value, uint32_t size, uint64_t count) {
  rh_services *s = services_of(host);
  RH_TRY(may_run(s, "fill"));
  cl_int code = rh_cl.EnqueueFillBuffer(s->session->queue, buffer, value, size, offset,
                                        size * count, 0, NULL, rh_cl_event_for(s->session, "fill"));
  return code == CL_SUCCESS ? RH_OK : cl_failed(s, code, "filling a buffer", 0, 1);
}

static rh_status service_read(const rh_host *host, struct _cl_mem *buffer, uint64_t offset,
                              uint64_t bytes, void *to) {
  rh_services *s = services_of(host);
  RH_TRY(may_run(s, "read"));
  cl_int code = rh_cl_read(s->session->queue, buffer, CL_TRUE, offset, bytes, to,
                           rh_cl_event_for(s->session, "read"));
  return code == CL_SUCCESS ? RH_OK : cl_failed(s, code, "reading from the device", 0, 0);
}

static const void *service_extension(const rh_host *host, const char *id) {
  (void)host;
  (void)id;
  return NULL; /* none yet */
}

/* ---- Starting and finishing ---- */

void rh_services_init(rh_services *services, rh_cl_session *session, const char *prelude,
                      const char *strategy, const rh_reporter *reporter) {
  *services = (rh_services){
      .session = session,
      .prelude = prelude,
      .strategy = strategy,
      .options = "",
      .reporter = reporter,
      .host = {.struct_size = sizeof(rh_host),
               .abi_minor = RH_ABI_MINOR,
               .priv = services,
               .context = session ? session->context : NULL,
               .device = session ? session->device->id : NULL,
               .queue = session ? session->queue : NULL,
               .log = service_log,
               .fail = service_fail,
               .build = service_build,
               .kernel = service_kernel,
               .scratch = service_scratch,
               .alloc = service_alloc,
               .launch = service_launch,
               .fill = service_fill,
               .read = service_read,
               .extension = service_extension},
  };
}

static void release(const rh_handed *handed) {
  switch (handed->kind) {
  case MEMORY: free(handed->thing); break;
  case BUFFER: rh_cl_release_buffer(handed->thing); break;
  case PROGRAM: rh_cl_release_program(handed->thing); break;
  case KERNEL: rh_cl_release_kernel(handed->thing); break;
  }
}

void rh_services_finish(rh_services *services) {
  if (services->session) rh_cl_finish(services->session->queue);
  while (services->n_handed) release(&services->handed[--services->n_handed]);
  free(services->handed);
  services->handed = NULL;
}
