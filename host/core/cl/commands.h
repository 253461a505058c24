/* OpenCL's commands and objects, as all of the host uses them: in one dimension, and without lists
 * of events.  A function that returns cl_int returns OpenCL's code, for RH_CL_TRY; an `event` may
 * be null, and is the caller's to release. */
#pragma once

#include "session.h"

/* Null is finished, and released, without a call. */
cl_int rh_cl_finish(cl_command_queue queue);
void rh_cl_release_buffer(cl_mem buffer);
void rh_cl_release_kernel(cl_kernel kernel);
void rh_cl_release_program(cl_program program);
void rh_cl_release_queue(cl_command_queue queue);
void rh_cl_release_event(cl_event event);

cl_int rh_cl_flush(cl_command_queue queue);
/* What is enqueued from now on waits for `event`. */
cl_int rh_cl_barrier(cl_command_queue queue, cl_event event);
cl_int rh_cl_read(cl_command_queue queue, cl_mem buffer, cl_bool waits, uint64_t at, uint64_t bytes,
                  void *to, cl_event *event);
cl_int rh_cl_write(cl_command_queue queue, cl_mem buffer, cl_bool waits, uint64_t at,
                   uint64_t bytes, const void *from, cl_event *event);
cl_int rh_cl_copy(cl_command_queue queue, cl_mem buffer, uint64_t from, uint64_t to,
                  uint64_t bytes);
cl_int rh_cl_fill(cl_command_queue queue, cl_mem buffer, unsigned char byte, uint64_t at,
                  uint64_t bytes);
/* Waits; null if it fails. */
cl_int rh_cl_map(cl_command_queue queue, cl_mem buffer, cl_map_flags flags, uint64_t bytes,
                 void **memory);
cl_int rh_cl_unmap(cl_command_queue queue, cl_mem buffer, void *memory, cl_event *event);

rh_status rh_cl_kernel(cl_program program, const char *name, cl_kernel *kernel, rh_error *error);
cl_int rh_cl_set(cl_kernel kernel, uint32_t argument, size_t bytes, const void *value);
/* group: 0 leaves it to the driver. */
cl_int rh_cl_launch(cl_command_queue queue, cl_kernel kernel, uint64_t items, uint64_t group,
                    cl_event *event);

cl_int rh_cl_wait(cl_event event);
/* A moment of the command (CL_PROFILING_COMMAND_*), in ns. */
cl_int rh_cl_moment(cl_event event, cl_profiling_info which, cl_ulong *ns);
/* Also if the command failed, or cannot be asked. */
int rh_cl_is_done(cl_event event);
cl_int rh_cl_call_back(cl_event event, void(CL_CALLBACK *function)(cl_event, cl_int, void *),
                       void *user);

/* A queue whose commands know their times. */
rh_status rh_cl_timed_queue(const rh_cl_session *session, cl_command_queue *queue, rh_error *error);
rh_status rh_cl_part_of_buffer(cl_mem whole, uint64_t at, uint64_t bytes, cl_mem *part,
                               rh_error *error);
/* To the context, of which every object holds one, and to the queue. */
cl_uint rh_cl_references(const rh_cl_session *session);
