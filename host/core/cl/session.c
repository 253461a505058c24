#include "cl.h"

rh_status rh_cl_session_init(rh_cl_session *session, const rh_cl_device *device, rh_cache *cache,
                             const rh_reporter *reporter, rh_error *error) {
  cl_int code;
  *session = (rh_cl_session){.device = device, .cache = cache, .reporter = reporter};
  cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                        (cl_context_properties)device->platform, 0};
  session->context = rh_cl.CreateContext(properties, 1, &device->id, NULL, NULL, &code);
  if (code != CL_SUCCESS) {
    rh_status status = rh_cl_fail_short(error, code, "creating an OpenCL context", device, 0, 1);
    rh_error_prefix(error, "%s", device->name);
    return status;
  }
  /* The OpenCL 1.2 function: every device supports it, and the newer one is not needed. */
  session->queue = rh_cl.CreateCommandQueue(session->context, device->id, 0, &code);
  if (code == CL_SUCCESS) return RH_OK;
  rh_cl_session_finish(session);
  rh_status status = rh_cl_fail_short(error, code, "creating a command queue", device, 0, 1);
  rh_error_prefix(error, "%s", device->name);
  return status;
}

rh_status rh_cl_session_adopt(rh_cl_session *session, const rh_cl_device *device,
                              cl_command_queue queue, rh_cache *cache, const rh_reporter *reporter,
                              rh_error *error) {
  cl_context context;
  *session = (rh_cl_session){.device = device, .cache = cache, .reporter = reporter};
  RH_CL_TRY(error,
            rh_cl.GetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL),
            "asking a queue for its context");
  RH_CL_TRY(error, rh_cl.RetainContext(context), "retaining a context");
  session->context = context;
  cl_int code = rh_cl.RetainCommandQueue(queue);
  if (code == CL_SUCCESS) {
    session->queue = queue;
    return RH_OK;
  }
  rh_cl_session_finish(session);
  return rh_cl_fail(error, code, "retaining a queue");
}

void rh_cl_session_finish(rh_cl_session *session) {
  rh_cl_release_queue(session->queue);
  if (session->context) rh_cl.ReleaseContext(session->context);
  *session = (rh_cl_session){0};
}
