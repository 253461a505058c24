/* An operator whose result depends on the order and grouping in which elements were combined. */
#pragma once

#include "rig.h"

/* Sets the rig up for it, with n elements, these parameters (null: the defaults) and this
 * description of the device (null: the real one).  RH_DECLINED if the strategy does not take
 * user-defined operators. sides: 1: combine(a, b) also differs from combine(b, a). */
rh_status rh_order_setup(rh_rig *rig, rh_trial *trial, uint64_t n, const int64_t *params,
                         const rh_device *device, int sides);

/* Fills in the elements, from `first` on.  Their values are always the same, but each `round`
 * makes others slow to load, so that groups of work-items finish in another order. */
rh_status rh_order_fill(rh_rig *rig, uint64_t n, uint64_t first, uint64_t round);
