/* In the order of the expression d*d*a.n*r: squares may overflow or become subnormal. */
#define NAME       rh_moments_tile_f64
#define ELEMENT    double
#define SCALE      1.0
#define TERM(d, n) ((d) * (d) * (n)*0.5)
#include "moments_body.h"
