#include "cl.h"

cl_int rh_cl_map(cl_command_queue queue, cl_mem buffer, cl_map_flags flags, uint64_t bytes,
                 void **memory) {
  cl_int code;
  *memory = rh_cl.EnqueueMapBuffer(queue, buffer, CL_TRUE, flags, 0, bytes, 0, NULL, NULL, &code);
  if (code != CL_SUCCESS) *memory = NULL;
  return code;
}

rh_status rh_cl_kernel(cl_program program, const char *name, cl_kernel *kernel, rh_error *error) {
  cl_int code;
  *kernel = rh_cl.CreateKernel(program, name, &code);
  if (code == CL_SUCCESS) return RH_OK;
  *kernel = NULL;
  return rh_error_prefix(error, rh_cl_fail(error, code, "creating a kernel"), "kernel '%s'", name);
}

cl_int rh_cl_launch(cl_command_queue queue, cl_kernel kernel, uint64_t items, uint64_t group,
                    cl_event *event) {
  const size_t global = items, local = group;
  return rh_cl.EnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, group ? &local : NULL, 0, NULL,
                                    event);
}

int rh_cl_is_done(cl_event event) {
  cl_int state = CL_COMPLETE;
  cl_int code =
      rh_cl.GetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
  return code != CL_SUCCESS || state <= CL_COMPLETE;
}

rh_status rh_cl_timed_queue(const rh_cl_session *session, cl_command_queue *queue,
                            rh_error *error) {
  cl_int code;
  *queue = rh_cl.CreateCommandQueue(session->context, session->device->id,
                                    CL_QUEUE_PROFILING_ENABLE, &code);
  if (code == CL_SUCCESS) return RH_OK;
  *queue = NULL;
  return rh_cl_fail_short(error, code, "creating a command queue with profiling", session->device,
                          0, 1);
}

rh_status rh_cl_part_of_buffer(cl_mem whole, uint64_t at, uint64_t bytes, cl_mem *part,
                               rh_error *error) {
  const cl_buffer_region region = {at, bytes};
  cl_int code;
  *part =
      rh_cl.CreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  if (code == CL_SUCCESS) return RH_OK;
  *part = NULL;
  return rh_cl_fail(error, code, "making a sub-buffer");
}

cl_uint rh_cl_references(const rh_cl_session *session) {
  cl_uint of_context = 0, of_queue = 0;
  rh_cl.GetContextInfo(session->context, CL_CONTEXT_REFERENCE_COUNT, sizeof of_context, &of_context,
                       NULL);
  rh_cl.GetCommandQueueInfo(session->queue, CL_QUEUE_REFERENCE_COUNT, sizeof of_queue, &of_queue,
                            NULL);
  return of_context + of_queue;
}
