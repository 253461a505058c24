/* All values that a device may compute. */
#pragma once

#include "graph.h"

/* The interval of a node with operands, by theirs.  Rounding is monotonic, so an operation that
 * IEEE 754 fixes is done on the ends. */
rh_interval rh_interval_of(const rh_node *node, const rh_interval *args);

/* The ends may be off by this part of themselves, or of the least normal number. */
rh_interval rh_interval_widen(rh_type type, double part, rh_interval a);
