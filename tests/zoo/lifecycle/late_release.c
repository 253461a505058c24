/* V36 crash: a static destructor releases a buffer again, long after the host has released its
 * context. */
#include "../right.h"
#include <CL/cl.h>

static cl_mem kept;

SETUP(late_release) {
  cl_int code;
  RH_TRY(right_setup(host, problem, values, instance));
  kept = clCreateBuffer(host->context, CL_MEM_READ_WRITE, 4096, NULL, &code);
  return code == CL_SUCCESS ? RH_OK : host->fail(host, RH_E_CL, code, "no buffer");
}

BUT_TEARDOWN(late_release, .setup = late_release_setup) { clReleaseMemObject(kept); }

__attribute__((destructor)) static void at_exit(void) {
  if (kept) clReleaseMemObject(kept);
}

RIGHT_PLUGIN;
