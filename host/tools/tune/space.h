/* The values that a strategy's parameters are tried with. */
#ifndef RH_TUNE_SPACE_H
#define RH_TUNE_SPACE_H

#include "../../core/tunedb/tunedb.h"

enum { RH_SPACE_MOST_AXES = RH_TUNED_MOST_SETTINGS, RH_SPACE_MOST_VALUES = 64 };

/* One parameter. */
typedef struct rh_space_axis {
  const rh_param *param;                /* the caller's */
  int64_t values[RH_SPACE_MOST_VALUES]; /* legal ones, ascending */
  uint32_t n, initial;                  /* how many; the place of the default */
} rh_space_axis;

/* A candidate is a number below `size`: a place on each axis. */
typedef struct rh_space {
  rh_space_axis axes[RH_SPACE_MOST_AXES];
  uint32_t n_axes;
  uint64_t size;
  uint64_t initial; /* all at their defaults */
} rh_space;

/* Every value of a short range, and every word; of a long one the default, 0 where the range begins
 * there (it means "automatic"), and powers of two with what lies half-way between them, up to 64
 * times the default.  Parameters of one value, and those with values that a tuned setting cannot
 * hold, keep their default.  `params` must outlive *space. */
void rh_space_init(rh_space *space, const rh_param *params, uint32_t n);

int64_t rh_space_value(const rh_space *space, uint64_t candidate, uint32_t axis);

/* What differs from `candidate` in one parameter: by one place, or by any where places are
 * unordered
 * (words, and "automatic", which stands for some other value).  At most RH_SPACE_MOST_NEIGHBOURS;
 * how many. */
enum { RH_SPACE_MOST_NEIGHBOURS = RH_SPACE_MOST_AXES * RH_SPACE_MOST_VALUES };
uint32_t rh_space_neighbours(const rh_space *space, uint64_t candidate, uint64_t *neighbours);

/* The candidate with these settings, and all else at the defaults.  0: one of them is not in
 * the space. */
int rh_space_find(const rh_space *space, const rh_tunedb_setting *settings, uint32_t n,
                  uint64_t *candidate);

/* The parameters that are not at their defaults, as --param takes them; how many. */
uint32_t rh_space_settings(const rh_space *space, uint64_t candidate,
                           rh_tunedb_setting settings[RH_TUNED_MOST_SETTINGS]);

#endif
