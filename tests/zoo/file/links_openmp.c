/* V04: linked to an OpenMP runtime, of which a process should have one. */
#include "../right.h"

RIGHT_BUT("links_openmp", .summary = "needs libgomp");
