#include "cl.h"

cl_int rh_cl_finish(cl_command_queue queue) { return queue ? rh_cl.Finish(queue) : CL_SUCCESS; }

void rh_cl_release_buffer(cl_mem buffer) {
  if (buffer) rh_cl.ReleaseMemObject(buffer);
}

void rh_cl_release_kernel(cl_kernel kernel) {
  if (kernel) rh_cl.ReleaseKernel(kernel);
}

void rh_cl_release_program(cl_program program) {
  if (program) rh_cl.ReleaseProgram(program);
}

void rh_cl_release_queue(cl_command_queue queue) {
  if (queue) rh_cl.ReleaseCommandQueue(queue);
}

void rh_cl_release_event(cl_event event) {
  if (event) rh_cl.ReleaseEvent(event);
}

cl_int rh_cl_flush(cl_command_queue queue) { return rh_cl.Flush(queue); }

cl_int rh_cl_barrier(cl_command_queue queue, cl_event event) {
  return rh_cl.EnqueueBarrierWithWaitList(queue, 1, &event, NULL);
}

cl_int rh_cl_read(cl_command_queue queue, cl_mem buffer, cl_bool waits, uint64_t at, uint64_t bytes,
                  void *to, cl_event *event) {
  return rh_cl.EnqueueReadBuffer(queue, buffer, waits, at, bytes, to, 0, NULL, event);
}

cl_int rh_cl_write(cl_command_queue queue, cl_mem buffer, cl_bool waits, uint64_t at,
                   uint64_t bytes, const void *from, cl_event *event) {
  return rh_cl.EnqueueWriteBuffer(queue, buffer, waits, at, bytes, from, 0, NULL, event);
}

cl_int rh_cl_copy(cl_command_queue queue, cl_mem buffer, uint64_t from, uint64_t to,
                  uint64_t bytes) {
  return rh_cl.EnqueueCopyBuffer(queue, buffer, buffer, from, to, bytes, 0, NULL, NULL);
}

cl_int rh_cl_fill(cl_command_queue queue, cl_mem buffer, unsigned char byte, uint64_t at,
                  uint64_t bytes) {
  return rh_cl.EnqueueFillBuffer(queue, buffer, &byte, 1, at, bytes, 0, NULL, NULL);
}

cl_int rh_cl_map(cl_command_queue queue, cl_mem buffer, cl_map_flags flags, uint64_t bytes,
                 void **memory) {
  cl_int code;
  *memory = rh_cl.EnqueueMapBuffer(queue, buffer, CL_TRUE, flags, 0, bytes, 0, NULL, NULL, &code);
  if (code != CL_SUCCESS) *memory = NULL;
  return code;
}

cl_int rh_cl_unmap(cl_command_queue queue, cl_mem buffer, void *memory, cl_event *event) {
  return rh_cl.EnqueueUnmapMemObject(queue, buffer, memory, 0, NULL, event);
}

rh_status rh_cl_kernel(cl_program program, const char *name, cl_kernel *kernel, rh_error *error) {
  cl_int code;
  *kernel = rh_cl.CreateKernel(program, name, &code);
  if (code == CL_SUCCESS) return RH_OK;
  *kernel = NULL;
  return rh_error_prefix(error, rh_cl_fail(error, code, "creating a kernel"), "kernel '%s'", name);
}

cl_int rh_cl_set(cl_kernel kernel, uint32_t argument, size_t bytes, const void *value) {
  return rh_cl.SetKernelArg(kernel, argument, bytes, value);
}

cl_int rh_cl_launch(cl_command_queue queue, cl_kernel kernel, uint64_t items, uint64_t group,
                    cl_event *event) {
  const size_t global = items, local = group;
  return rh_cl.EnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, group ? &local : NULL, 0, NULL,
                                    event);
}

cl_int rh_cl_wait(cl_event event) { return rh_cl.WaitForEvents(1, &event); }

cl_int rh_cl_moment(cl_event event, cl_profiling_info which, cl_ulong *ns) {
  return rh_cl.GetEventProfilingInfo(event, which, sizeof *ns, ns, NULL);
}

int rh_cl_is_done(cl_event event) {
  cl_int state = CL_COMPLETE;
  cl_int code =
      rh_cl.GetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
  return code != CL_SUCCESS || state <= CL_COMPLETE;
}

cl_int rh_cl_call_back(cl_event event, void(CL_CALLBACK *function)(cl_event, cl_int, void *),
                       void *user) {
  return rh_cl.SetEventCallback(event, CL_COMPLETE, function, user);
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
