/* The inner loops on AVX-512, for x86-64-v4. */
#if defined(__x86_64__)
#define LANES_BYTES  64
#define LANES_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,f16c")))
#define LANES_TABLE  rh_native_lanes_512
#include "lanes_body.h"
#else
typedef int no_such_processor; /* a translation unit must not be empty */
#endif
