/* Operators that show in which tree a strategy combines the elements. */
#pragma once

#include "rig.h"

typedef enum rh_tree {
  RH_TREE_GROUPED, /* practically no other tree gives the same value */
  RH_TREE_SIDED,   /* the same, and combine(a, b) differs from combine(b, a) */
  RH_TREE_DEPTH    /* 1 and the number of combinations that the deepest element went through */
} rh_tree;

/* Opens the rig for one of them, with n elements, these parameters (null: the defaults) and this
 * description of the device (null: the real one).  RH_DECLINED if the strategy does not take
 * user-defined operators. */
rh_status rh_tree_open(rh_rig *rig, rh_trial *trial, rh_tree tree, uint64_t n,
                       const int64_t *params, const rh_device *device);

/* Fills in the elements, from `first` on.  Their values are always the same, but each `round`
 * makes others slow to load, so that groups of work-items finish in another order. */
rh_status rh_tree_fill(rh_rig *rig, uint64_t n, uint64_t first, uint64_t round);
