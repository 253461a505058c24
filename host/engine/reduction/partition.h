/* Where data that are split once, among several devices, are cut: into runs of tiles that leave few
 * nodes of the canonical tree (fold.h) on either side. */
#pragma once

#include <stdint.h>

/* starts[k] .. starts[k+1]-1 = the units of part k, of `n` parts whose shares are as their weights,
 * which are positive: a cut stands where its multiple of 2 is the largest that moves it by no more
 * than a hundredth or so of a neighbour's share.  Parts may be empty.  starts: n + 1. */
void rh_partition(uint64_t units, const double *weights, uint32_t n, uint64_t *starts);

/* *to .. *to + *count - 1 = the elements of rank `rank`, when `size` ranks share n elements from
 * `first` on: runs in the order of the ranks, cut between tiles, where the tree has few nodes on
 * either side. */
void rh_partition_ranks(uint64_t tile, uint64_t first, uint64_t n, uint32_t rank, uint32_t size,
                        uint64_t *to, uint64_t *count);

/* The level of the largest node that begins at unit `first` of a part that ends before unit `end`;
 * the last one of all `units` may reach beyond their end. */
uint32_t rh_partition_level(uint64_t first, uint64_t end, uint64_t units);
