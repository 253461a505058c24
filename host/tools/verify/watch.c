#include "watch.h"
#include "../../core/base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static rh_rig *rig_of(const rh_host *host) {
  return host->priv;
}

static const char *phase_name(int phase) {
  switch (phase) {
  case RH_PHASE_SETUP: return "setup";
  case RH_PHASE_RUN: return "run";
  case RH_PHASE_TEARDOWN: return "teardown";
  default: return "between the calls";
  }
}

/* RH_OK: go on. phase: the only phase in which the service may be called; RH_PHASE_NONE: any. */
static rh_status enter_service(rh_rig *rig, const char *service, int phase) {
  if (rig->has_ended) {
    rig->calls_after_end++;
    return RH_E_INVALID;
  }
  if (phase != RH_PHASE_NONE && rig->services.phase != phase && !rig->out_of_phase[0])
    snprintf(rig->out_of_phase, sizeof rig->out_of_phase, "%s() in %s", service,
             phase_name(rig->services.phase));
  if (++rig->calls != rig->fail_at) {
    rh_footprint_leave(rig->footprint);
    return RH_OK;
  }
  rig->injected = 1;
  rig->services.failed = 1;
  return rh_fail(&rig->error, RH_E_NOMEM, "%s() was made to fail", service);
}

/* Called at the end of every service that was entered; the plugin's code goes on. */
static rh_status leave_service(rh_rig *rig, rh_status status) {
  if (rig->footprint && rig->session)
    clFinish(rig->session->queue); /* so that the driver's threads have finished their work */
  rh_footprint_resume(rig->footprint, rig->services.phase == RH_PHASE_RUN);
  return status;
}

static void note_code(rh_rig *rig, const char *text) {
  for (; *text; text++) rig->code = (rig->code ^ (unsigned char)*text) * 0x100000001b3u;
  rig->code = (rig->code ^ 1) * 0x100000001b3u;
}

static void watch_log(const rh_host *host, uint32_t level, const char *text) {
  (void)level;
  (void)text;
  if (rig_of(host)->has_ended) rig_of(host)->calls_after_end++;
}

static rh_status watch_fail(const rh_host *host, rh_status status, int32_t cl_code,
                            const char *what) {
  rh_rig *rig = rig_of(host);
  if (rig->has_ended) {
    rig->calls_after_end++;
    return status;
  }
  return rig->services.host.fail(&rig->services.host, status, cl_code, what);
}

static rh_status watch_build(const rh_host *host, const char *file, const char *source,
                             const char *options, struct _cl_program **program) {
  rh_rig *rig = rig_of(host);
  RH_TRY(enter_service(rig, "build", RH_PHASE_SETUP));
  note_code(rig, source);
  note_code(rig, options ? options : "");
  if (!rig->broken_line)
    return leave_service(
        rig, rig->services.host.build(&rig->services.host, file, source, options, program));
  size_t bytes = strlen(rig->broken_line) + strlen(source) + 2;
  char *broken = malloc(bytes);
  if (!broken) return rh_fail(&rig->error, RH_E_NOMEM, "no memory for a source");
  snprintf(broken, bytes, "%s\n%s", rig->broken_line, source);
  rh_status status = rig->services.host.build(&rig->services.host, file, broken, options, program);
  free(broken);
  return leave_service(rig, status);
}

static rh_status watch_kernel(const rh_host *host, struct _cl_program *program, const char *name,
                              struct _cl_kernel **kernel, uint32_t *max_group) {
  rh_rig *rig = rig_of(host);
  RH_TRY(enter_service(rig, "kernel", RH_PHASE_SETUP));
  return leave_service(
      rig, rig->services.host.kernel(&rig->services.host, program, name, kernel, max_group));
}

static rh_status watch_scratch(const rh_host *host, uint64_t bytes, struct _cl_mem **buffer) {
  rh_rig *rig = rig_of(host);
  RH_TRY(enter_service(rig, "scratch", RH_PHASE_SETUP));
  if (rig->fence && rig->session &&
      rh_fence_scratch(rig->fence, rig->session, bytes, buffer, NULL) == RH_OK)
    return leave_service(rig, RH_OK);
  return leave_service(rig, rig->services.host.scratch(&rig->services.host, bytes, buffer));
}

static void *watch_alloc(const rh_host *host, uint64_t bytes) {
  rh_rig *rig = rig_of(host);
  if (enter_service(rig, "alloc", RH_PHASE_SETUP) != RH_OK) return NULL;
  void *memory = rig->fence ? rh_fence_alloc(rig->fence, bytes) : NULL;
  if (!memory) memory = rig->services.host.alloc(&rig->services.host, bytes);
  leave_service(rig, RH_OK);
  return memory;
}

static rh_status watch_launch(const rh_host *host, struct _cl_kernel *kernel, uint64_t global,
                              uint64_t local, const rh_arg *args, uint32_t n_args,
                              const char *stage) {
  rh_rig *rig = rig_of(host);
  uint64_t bytes = 0;
  RH_TRY(enter_service(rig, "launch", RH_PHASE_RUN));
  for (uint32_t k = 0; k < n_args; k++)
    if (args[k].kind == RH_ARG_LOCAL) bytes += args[k].size;
  if (bytes > rig->local_bytes) rig->local_bytes = bytes;
  return leave_service(rig, rig->services.host.launch(&rig->services.host, kernel, global, local,
                                                      args, n_args, stage));
}

static rh_status watch_fill(const rh_host *host, struct _cl_mem *buffer, uint64_t offset,
                            const void *value, uint32_t size, uint64_t count) {
  rh_rig *rig = rig_of(host);
  RH_TRY(enter_service(rig, "fill", RH_PHASE_RUN));
  return leave_service(
      rig, rig->services.host.fill(&rig->services.host, buffer, offset, value, size, count));
}

static rh_status watch_read(const rh_host *host, struct _cl_mem *buffer, uint64_t offset,
                            uint64_t bytes, void *to) {
  rh_rig *rig = rig_of(host);
  RH_TRY(enter_service(rig, "read", RH_PHASE_RUN));
  rig->reads++;
  return leave_service(rig,
                       rig->services.host.read(&rig->services.host, buffer, offset, bytes, to));
}

static const void *watch_extension(const rh_host *host, const char *id) {
  rh_rig *rig = rig_of(host);
  if (rig->has_ended) {
    rig->calls_after_end++;
    return NULL;
  }
  return rig->services.host.extension(&rig->services.host, id);
}

rh_host rh_watching_host(rh_rig *rig) {
  rh_host host = rig->services.host;
  host.priv = rig;
  host.log = watch_log;
  host.fail = watch_fail;
  host.build = watch_build;
  host.kernel = watch_kernel;
  host.scratch = watch_scratch;
  host.alloc = watch_alloc;
  host.launch = watch_launch;
  host.fill = watch_fill;
  host.read = watch_read;
  host.extension = watch_extension;
  return host;
}
