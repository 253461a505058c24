/* V03: calls cbrt() without linking libm: it loads only if the host has libm loaded. */
#include "../right.h"
#include <math.h>

BUT_ANSWER(borrows_libm, answer->score = (int32_t)cbrt((double)(problem->max_n % 1000)));

RIGHT_PLUGIN;
