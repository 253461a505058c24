/* The edges of a partial: elements of tiles that are not whole. */
#pragma once

#include "partial.h"

void rh_edges_finish(rh_partial *partial);

/* RH_E_INVALID if one of n elements from `first` on is in an edge. */
rh_status rh_edges_check_free(const rh_partial *partial, uint64_t first, uint64_t n,
                              rh_error *error);

/* Leaves edge k out. */
void rh_edges_drop(rh_partial *partial, uint32_t k);
