/* An OpenCL driver that takes the process down as soon as it is asked for its platforms. */
#include <stdlib.h>

int clIcdGetPlatformIDsKHR(unsigned most, void **platforms, unsigned *n);
void *clGetExtensionFunctionAddress(const char *name);

int clIcdGetPlatformIDsKHR(unsigned most, void **platforms, unsigned *n) {
  (void)most, (void)platforms, (void)n;
  abort();
}

void *clGetExtensionFunctionAddress(const char *name) {
  (void)name;
  abort();
}
