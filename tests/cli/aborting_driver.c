/* An OpenCL driver that takes the process down when it is asked for its platforms, in the way that
 * REDHOST_TEST_DRIVER_ENDS names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int clIcdGetPlatformIDsKHR(unsigned most, void **platforms, unsigned *n);
void *clGetExtensionFunctionAddress(const char *name);

static void end(void) {
  const char *how = getenv("REDHOST_TEST_DRIVER_ENDS");
  volatile int *volatile nowhere = NULL;
  if (!how) abort();
  if (strcmp(how, "exit") == 0) exit(0);
  if (strcmp(how, "_exit") == 0) _exit(1);
  if (strcmp(how, "crash") == 0) *nowhere = 1;
  fputs("driver.c:7: no room for \033[31mthreads\nand more\n", stderr);
  abort();
}

int clIcdGetPlatformIDsKHR(unsigned most, void **platforms, unsigned *n) {
  (void)most;
  (void)platforms;
  (void)n;
  end();
  return 0;
}

void *clGetExtensionFunctionAddress(const char *name) {
  (void)name;
  end();
  return NULL;
}
