/* The search space: the values to try for a strategy's parameters. */
#pragma once

#include "../../choose/tunedb/tunedb.h"

enum { RH_SPACE_MOST_AXES = RH_TUNED_MOST_SETTINGS, RH_SPACE_MOST_VALUES = 64 };

typedef struct rh_space_axis {
  const rh_param *param;                /* borrowed */
  int64_t values[RH_SPACE_MOST_VALUES]; /* legal ones, ascending */
  uint32_t n, initial;                  /* number of values; index of the default */
} rh_space_axis;

/* A candidate is a number below `size` that encodes an index on each axis. */
typedef struct rh_space {
  rh_space_axis axes[RH_SPACE_MOST_AXES];
  uint32_t n_axes;
  uint64_t size;
  uint64_t initial; /* the candidate with all defaults */
} rh_space;

/* Uses every value of a short range, and every word.  A long range gives the default, 0 if it
 * begins there (it means "automatic"), and powers of two and the midpoints between them, up to 64
 * times the default.  Parameters with one value, and those with values that a tuned setting cannot
 * hold, keep their default.  `params` must outlive *space. */
void rh_space_init(rh_space *space, const rh_param *params, uint32_t n);

/* Lists the candidates that differ from `candidate` in one parameter: by one index, or by any if
 * the values are unordered (words, and "automatic", which stands for some other value).  Returns
 * their number, at most RH_SPACE_MOST_NEIGHBOURS. */
enum { RH_SPACE_MOST_NEIGHBOURS = RH_SPACE_MOST_AXES * RH_SPACE_MOST_VALUES };
uint32_t rh_space_neighbours(const rh_space *space, uint64_t candidate, uint64_t *neighbours);

/* The candidate with these settings and otherwise the defaults. 0: a setting is not in the
 * space. */
int rh_space_find(const rh_space *space, const rh_tunedb_setting *settings, uint32_t n,
                  uint64_t *candidate);

/* The parameters that differ from their defaults, as for --param.  Returns their number. */
uint32_t rh_space_settings(const rh_space *space, uint64_t candidate,
                           rh_tunedb_setting settings[RH_TUNED_MOST_SETTINGS]);
