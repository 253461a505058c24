/* V04: linked to an OpenMP runtime, of which a process should have only one. */
#include "../right.h"

RIGHT_BUT(links_openmp, .summary = "needs libgomp");

RH_PLUGIN(&strategy_links_openmp);
