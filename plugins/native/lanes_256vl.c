/* The inner loops on vectors of 256 bits in the 32 registers that AVX-512 has. */
#if defined(__x86_64__)
#define LANES_BYTES     32
#define LANES_REGISTERS 32
#define LANES_TARGET    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,f16c")))
#define LANES_TABLE     rh_native_lanes_256vl
#include "lanes_body.h"
#else
typedef int no_such_processor; /* a translation unit must not be empty */
#endif
