/* The inner loops on AVX2, for x86-64-v3. */
#if defined(__x86_64__)
#define LANES_BYTES  32
#define LANES_TARGET __attribute__((target("avx2,f16c")))
#define LANES_TABLE  rh_native_lanes_256
#define ACROSS_TABLE rh_native_across_256
#include "lanes_across.h"
#include "lanes_body.h"
#else
typedef int no_such_processor; /* a translation unit must not be empty */
#endif
