/* Squares of differences of floats neither overflow nor become subnormal as doubles, so to multiply
 * them by a power of two is exact: by both factors at once, and by SCALE.  For the same reason this
 * file is compiled with -ffp-contract=fast: every product that an addition follows is one by a
 * power of two, never a square because of SCALE, and so it has the same bits fused or not. */
#define NAME       rh_moments_tile_f32
#define ELEMENT    float
#define SCALE      4.0
#define TERM(d, n) ((d) * (d) * ((n) * (0.5 * SCALE)))
#include "moments_body.h"
