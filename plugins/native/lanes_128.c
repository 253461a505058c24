/* The inner loops on 16-byte vectors: SSE2 on x86-64, NEON on ARM. */
#define LANES_BYTES 16
#define LANES_TARGET
#define LANES_TABLE  rh_native_lanes_128
#define ACROSS_TABLE rh_native_across_128
#include "lanes_across.h"
#include "lanes_body.h"
