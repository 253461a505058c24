/* Whether those whose bound allows much are right on data that no order of operations changes. */
#ifndef RH_MEASURE_CONFIRM_H
#define RH_MEASURE_CONFIRM_H

#include "bench.h"

/* Once a point's contenders are closed: one more of the same size for each that is `ok' by a weak
 * verdict, peers too.  Another result makes its row `wrong'. */
rh_status rh_bench_confirm(const rh_bench_spec *spec, const rh_contender *contenders,
                           rh_error *error);

#endif
