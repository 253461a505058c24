/* Lists OpenCL devices and selects one. */
#pragma once

#include "../base/processor.h"
#include <CL/cl.h>
#include <redhost/redhost.h>

/* Owned by its rh_cl_devices. */
typedef struct rh_cl_device {
  rh_device about; /* what plugins see; its strings are those below */
  cl_platform_id platform;
  cl_device_id id;
  char label[24]; /* "1:0": platform and device by number */
  uint32_t index; /* over all platforms, including omitted devices */
  cl_int failed;  /* while the device is being queried: the first query without an answer */
  char *name, *vendor, *driver, *version, *c_version, *extensions, *platform_name,
      *platform_version;
  uint64_t clock_hz, cache_bytes;
  double timer_step_s; /* of the clock by which commands are timed, as the driver says */
  uint64_t alignment;  /* bytes: the alignment of sub-buffers; 0: unknown */
  uint32_t nvidia_sm;  /* compute capability, 90 for 9.0; 0: not NVIDIA */
  /* devices of one family take about the same times: rh_processor_family() of a CPU, "compute
   * capability 9" of NVIDIA's; "" if unknown */
  char family[RH_PROCESSOR_WORD];
  uint32_t shares_memory;            /* 1: buffers can be the host's own memory */
  uint32_t flushes_f32, flushes_f64; /* 1: subnormals become zero */
  uint32_t divides_exactly; /* 1: division and sqrt of f32 can be rounded correctly, if told so */
} rh_cl_device;

typedef struct rh_cl_devices {
  rh_cl_device *list; /* by platform, then device, as OpenCL orders them */
  uint32_t n, n_seen, n_platforms;
  char **faults; /* why devices were omitted: "device 0:0 does not answer queries: CL_... (-5)" */
  uint32_t n_faults;
  char *no_opencl; /* why OpenCL itself cannot be used; null */
} rh_cl_devices;

/* Every device of every platform; without any, RH_OK with n = 0.  A device that does not answer a
 * query about itself is omitted, because a guess would change what is computed; so is a platform
 * that does not list its devices. */
rh_status rh_cl_devices_find(rh_cl_devices *devices, rh_error *error);
void rh_cl_devices_finish(rh_cl_devices *devices);

/* The one device that `spec` names: "3" (from 0, over all platforms), "1:0", "gpu", "cpu",
 * "accelerator", or a part of the device's or platform's name; null: REDHOST_DEVICE, else the first
 * GPU, else accelerator, else CPU.  Ambiguous or malformed: RH_E_USAGE.  No such device:
 * RH_E_DEVICE.
 */
rh_status rh_cl_devices_choose(const rh_cl_devices *devices, const char *spec,
                               const rh_cl_device **device, rh_error *error);

/* The device of a queue.  RH_E_USAGE if the queue is out-of-order; RH_E_DEVICE if its device is not
 * in the list, such as a sub-device. */
rh_status rh_cl_devices_of_queue(const rh_cl_devices *devices, cl_command_queue queue,
                                 const rh_cl_device **device, rh_error *error);

const char *rh_device_kind_name(uint32_t kind); /* "gpu" */
