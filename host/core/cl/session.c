#include "cl.h"

static rh_status refuse(const rh_cl_device *device, cl_int code, const char *what,
                        rh_error *error) {
  return rh_error_prefix(error, rh_cl_fail_short(error, code, what, device, 0, 1), "%s",
                         device->name);
}

static rh_status create(rh_cl_session *session, rh_error *error) {
  const rh_cl_device *device = session->device;
  cl_int code;
  cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                        (cl_context_properties)device->platform, 0};
  cl_context context = rh_cl.CreateContext(properties, 1, &device->id, NULL, NULL, &code);
  if (code != CL_SUCCESS) return refuse(device, code, "creating an OpenCL context", error);
  session->context = context;
  /* The OpenCL 1.2 function: every device supports it, and the newer one is not needed. */
  cl_command_queue queue = rh_cl.CreateCommandQueue(context, device->id, 0, &code);
  if (code != CL_SUCCESS) return refuse(device, code, "creating a command queue", error);
  session->queue = queue;
  return RH_OK;
}

static rh_status adopt(rh_cl_session *session, cl_command_queue queue, rh_error *error) {
  cl_context context;
  RH_CL_TRY(error,
            rh_cl.GetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL),
            "asking a queue for its context");
  RH_CL_TRY(error, rh_cl.RetainContext(context), "retaining a context");
  session->context = context;
  RH_CL_TRY(error, rh_cl.RetainCommandQueue(queue), "retaining a queue");
  session->queue = queue;
  return RH_OK;
}

rh_status rh_cl_session_init(rh_cl_session *session, const rh_cl_device *device,
                             cl_command_queue queue, rh_cache *cache, const rh_reporter *reporter,
                             rh_error *error) {
  *session = (rh_cl_session){.device = device, .cache = cache, .reporter = reporter};
  rh_status status = queue ? adopt(session, queue, error) : create(session, error);
  if (status != RH_OK) rh_cl_session_finish(session);
  return status;
}

void rh_cl_session_finish(rh_cl_session *session) {
  rh_cl_release_queue(session->queue);
  if (session->context) rh_cl.ReleaseContext(session->context);
  *session = (rh_cl_session){0};
}
