/* The strategy of this plugin whose sums are exact. */
#ifndef NATIVE_EXACT_H
#define NATIVE_EXACT_H

#include <redhost/plugin.h>

extern const rh_strategy rh_native_superaccumulator;

#endif
