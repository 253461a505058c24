#include "cl.h"

static rh_status no_session(rh_cl_session *session, cl_int code, const char *what,
                            rh_error *error) {
  const rh_cl_device *device = session->device;
  rh_cl_session_finish(session);
  rh_status status = rh_cl_fail_short(error, code, what, device, 0, 1);
  rh_error_prefix(error, "%s", device->name);
  return status;
}

rh_status rh_cl_session_init(rh_cl_session *session, const rh_cl_device *device, rh_cache *cache,
                             const rh_reporter *reporter, rh_error *error) {
  cl_int code;
  *session = (rh_cl_session){.device = device, .cache = cache, .reporter = reporter};
  cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                        (cl_context_properties)device->platform, 0};
  session->context = rh_cl.CreateContext(properties, 1, &device->id, NULL, NULL, &code);
  if (code != CL_SUCCESS) return no_session(session, code, "creating an OpenCL context", error);
  /* The OpenCL 1.2 function: every device supports it, and the newer one is not needed. */
  session->queue = rh_cl.CreateCommandQueue(session->context, device->id, 0, &code);
  return code == CL_SUCCESS ? RH_OK : no_session(session, code, "creating a command queue", error);
}

rh_status rh_cl_session_adopt(rh_cl_session *session, const rh_cl_device *device,
                              cl_command_queue queue, rh_cache *cache, const rh_reporter *reporter,
                              rh_error *error) {
  cl_context context;
  *session = (rh_cl_session){0};
  RH_CL_TRY(error,
            rh_cl.GetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL),
            "asking a queue for its context");
  RH_CL_TRY(error, rh_cl.RetainContext(context), "retaining a context");
  cl_int code = rh_cl.RetainCommandQueue(queue);
  if (code != CL_SUCCESS) {
    rh_cl.ReleaseContext(context);
    return rh_cl_fail(error, code, "retaining a queue");
  }
  *session = (rh_cl_session){
      .device = device, .cache = cache, .reporter = reporter, .context = context, .queue = queue};
  return RH_OK;
}

void rh_cl_session_finish(rh_cl_session *session) {
  rh_cl_release_queue(session->queue);
  if (session->context) rh_cl.ReleaseContext(session->context);
  *session = (rh_cl_session){0};
}
