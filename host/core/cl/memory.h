/* Buffers: messages for a device that is out of memory, and checks of a caller's. */
#pragma once

#include "session.h"
#include "status.h"

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
