/* An operator that shows in every bit in which order, or in which groups, elements were
 * combined. */
#ifndef RH_VERIFY_ORDER_H
#define RH_VERIFY_ORDER_H

#include "rig.h"

/* Sets the rig up for it, with n elements and these parameters (null: the defaults), on a device
 * that is described as `device` (null: as it is).  RH_DECLINED where the strategy does not take
 * operators of a user's own.  sides: 1: combine(a, b) is not combine(b, a) either. */
rh_status rh_order_setup(rh_rig *rig, rh_trial *trial, uint64_t n, const int64_t *params,
                         const rh_device *device, int sides);

/* Fills in the elements, from `first` on: always the same ones, of which others take long to load
 * with each `round`, so that groups of work-items finish in another order. */
rh_status rh_order_fill(rh_rig *rig, uint64_t n, uint64_t first, uint64_t round);

#endif
