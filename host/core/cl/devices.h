/* Lists OpenCL devices and selects one. */
#ifndef RH_CL_DEVICES_H
#define RH_CL_DEVICES_H

#include <CL/cl.h>
#include <redhost/redhost.h>

/* Owned by the rh_cl_devices it stands in. */
typedef struct rh_cl_device {
  rh_device about; /* what plugins see; its strings are the ones below */
  cl_platform_id platform;
  cl_device_id id;
  char label[24]; /* "1:0": platform and device by number */
  uint32_t index; /* over all platforms; devices that are left out count */
  cl_int failed;  /* of a device that is being described: the first query without an answer */
  char *name, *vendor, *driver, *version, *c_version, *extensions, *platform_name,
      *platform_version;
  uint64_t clock_hz, cache_bytes;
  uint64_t alignment;                /* bytes: where a sub-buffer may begin; 0: not known */
  uint32_t nvidia_sm;                /* its compute capability, 90 for 9.0; 0: not NVIDIA's */
  uint32_t shares_memory;            /* 1: buffers can be the host's own memory */
  uint32_t flushes_f32, flushes_f64; /* 1: subnormals become zero */
} rh_cl_device;

typedef struct rh_cl_devices {
  rh_cl_device *list; /* by platform, then device, as OpenCL orders them */
  uint32_t n, n_seen, n_platforms;
  char **faults; /* "device 0:0 does not answer queries: CL_... (-5)": left out for that */
  uint32_t n_faults;
} rh_cl_devices;

/* Every device of every platform; none at all is RH_OK with n = 0.  A device that does not answer a
 * query about itself is left out, for a guess would change what is computed; so is a platform that
 * does not list its devices. */
rh_status rh_cl_devices_find(rh_cl_devices *devices, rh_error *error);
void rh_cl_devices_finish(rh_cl_devices *devices);

/* The one device that `spec` names: "3" (from 0, over all platforms), "1:0", "gpu", "cpu",
 * "accelerator", or a part of the device's or platform's name; null: REDHOST_DEVICE, else the first
 * GPU, else accelerator, else CPU. Ambiguous or malformed: RH_E_USAGE.  Nothing there: RH_E_DEVICE.
 */
rh_status rh_cl_devices_choose(const rh_cl_devices *devices, const char *spec,
                               const rh_cl_device **device, rh_error *error);

/* The device that a queue is on.  RH_E_USAGE where commands may overtake each other in it;
 * RH_E_DEVICE where it is on none of these: on a part of a device. */
rh_status rh_cl_devices_of_queue(const rh_cl_devices *devices, cl_command_queue queue,
                                 const rh_cl_device **device, rh_error *error);

const char *rh_device_kind_name(uint32_t kind); /* "gpu" */

#endif
