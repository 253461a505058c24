/* What NVIDIA's management library knows and its OpenCL does not tell.  It comes with the driver
 * and is opened at run time, so redhost needs it neither to build nor to run. */
#pragma once

#include "devices.h"

/* The free bytes of a device's memory, which other processes may share; 0 if they are unknown: not
 * an NVIDIA GPU, or no libnvidia-ml.so.1.  Takes milliseconds. */
uint64_t rh_nvml_free_bytes(const rh_cl_device *device);
