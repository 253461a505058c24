/* onepass in the canonical order of docs/inside/bits.md: how the work is divided, which changes no
 * bit. */
#ifndef ONEPASS_CANONICAL_H
#define ONEPASS_CANONICAL_H

#include <redhost/kit.h>

/* The kernel is built for this; see kernels/onepass_canonical.cl. */
typedef struct onepass_canonical {
  uint64_t tile;    /* elements */
  uint64_t group;   /* work-items */
  uint64_t team;    /* work-items that share a tile */
  int shuffles;     /* do they hand values to each other without local memory? */
  uint64_t teams;   /* of a group that take part */
  uint64_t width;   /* elements that a work-item loads at once */
  uint64_t least;   /* tiles that a team has before there are more groups */
  uint64_t at_once; /* nodes that a work-item collects together */
  uint64_t scratch; /* values in a group's local memory */
  uint64_t most_groups;
  uint64_t most_runs; /* unless runs are as long as they can be */
} onepass_canonical;

/* A launch. */
typedef struct onepass_runs {
  uint64_t groups;       /* at least 1 */
  uint32_t whole, tiles; /* whole tiles; these and the one that n ends in, at least 1 */
  uint32_t runs;         /* aligned runs of teams * 2^log tiles, each of which leaves a node */
  uint32_t share;        /* consecutive runs that a group takes */
  uint32_t log;
  uint32_t each; /* nodes that a work-item of the group that finishes takes */
} onepass_runs;

/* Is the operator computed in this order?  Float sums and their like, whose bits depend on it, and
 * all that are not built in, for which there are no packs. */
int onepass_is_canonical(const rh_op *op);

/* Elements of a tile, which is ONEPASS_ROWS rows. */
enum { ONEPASS_ROWS = 4 };
uint64_t onepass_tile(const rh_op *op);

/* Work-items that share a tile, if as many divide the group; and the local memory that each of them
 * needs, in values. */
uint64_t onepass_canonical_team(const rh_problem *problem, uint64_t *values_per_item);

/* share: as the parameter of onepass says; groups on the whole device. */
onepass_canonical onepass_canonical_plan(const rh_problem *problem, uint64_t group, uint64_t share,
                                         uint64_t most_groups);

onepass_runs onepass_runs_of(const onepass_canonical *plan, uint64_t n);

/* The most runs that n up to max_n elements are cut into. */
uint64_t onepass_most_runs(const onepass_canonical *plan, uint64_t max_n);

/* Combinations that an element of max_n passes through. */
uint64_t onepass_canonical_depth(const onepass_canonical *plan, uint64_t max_n);

/* Options for the kernel's build, which are added to `options`. */
void onepass_canonical_options(const onepass_canonical *plan, char *options, size_t size);

#endif
