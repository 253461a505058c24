/* V04: brings its own OpenCL loader, whose platforms the host's loader does not know. */
#include "../right.h"

int clGetPlatformIDs(unsigned most, void **platforms, unsigned *n);

/* Whichever of the two answers. */
BUT_THEN(second_loader, unsigned n = 0; clGetPlatformIDs(0, NULL, &n));

RIGHT_PLUGIN;
