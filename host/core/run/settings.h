/* The sources of a job's parameters: the plugin's defaults, tuned values, the caller's settings;
 * later ones override earlier ones. */
#pragma once

#include <redhost/redhost.h>

/* X(name, number, text): the last of these sources that any value in use comes from. */
#define RH_PARAMS_FROM_LIST(X)                                                                     \
  X(DEFAULT, 0, "default")                                                                         \
  X(TUNED, 1, "tuned")                                                                             \
  X(USER, 2, "user")
enum {
#define RH_X(name, number, word) RH_PARAMS_FROM_##name = number,
  RH_PARAMS_FROM_LIST(RH_X)
#undef RH_X
      RH_N_PARAMS_FROM
};

typedef struct rh_origin {
  uint32_t from;    /* RH_PARAMS_FROM_* */
  uint32_t n_tuned; /* values in use that were tuned */
  char note[320];   /* "tuned here"; "" without tuned values */
} rh_origin;

const char *rh_params_from_name(uint32_t from); /* "tuned"; "default" for an unknown number */

/* Checks a caller's settings: RH_E_USAGE if the array, a key or a value is null. */
rh_status rh_settings_check(const rh_setting *settings, uint64_t n, rh_error *error);
