/* A queue of the caller's on the device of the tests, and buffers. */
#ifndef TESTS_QUEUE_H
#define TESTS_QUEUE_H

#include "library.h"

#include <CL/cl.h>

static cl_context context;
static cl_command_queue queue;
static rh_redhost *on_queue;

static inline void must_cl(cl_int code) { ck_assert_int_eq(code, CL_SUCCESS); }

static inline void set_up_queue(void) {
  cl_int code;
  set_up();
  cl_device_id id = the_device()->id;
  context = clCreateContext(NULL, 1, &id, NULL, NULL, &code);
  must_cl(code);
  queue = clCreateCommandQueue(context, id, 0, &code);
  must_cl(code);
  on_queue = open_on(queue, NULL);
}

static inline void tear_down_queue(void) {
  rh_close(on_queue);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  tear_down();
}

static inline void release_buffer(cl_mem *buffer) { clReleaseMemObject(*buffer); }

/* BUFFER b = make_buffer(...); is released where its block ends. */
#define BUFFER __attribute__((cleanup(release_buffer))) cl_mem

static inline cl_mem make_buffer_in(cl_context in, cl_mem_flags flags, const void *data,
                                    size_t bytes) {
  cl_int code;
  if (data) flags |= CL_MEM_COPY_HOST_PTR;
  cl_mem buffer = clCreateBuffer(in, flags, bytes, (void *)(uintptr_t)data, &code);
  must_cl(code);
  return buffer;
}

/* data: what it has at first; null: anything. */
static inline cl_mem make_buffer(const void *data, size_t bytes) {
  return make_buffer_in(context, CL_MEM_READ_WRITE, data, bytes);
}

#endif
