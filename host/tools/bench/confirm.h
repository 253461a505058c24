/* Checks results with a weak error bound on exact data, whose result is the same in every order
 * of operations. */
#pragma once

#include "bench.h"

/* Call it after a point's contenders are closed.  Runs each contender, peers included, that is
 * `ok' by a weak verdict only, once more on exact data of the same size.  A different result
 * makes its row `wrong'. */
rh_status rh_bench_confirm(const rh_bench_spec *spec, const rh_contender *contenders,
                           rh_error *error);
