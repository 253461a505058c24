/* The sources of a job's parameters: the plugin's defaults, tuned values, the caller's settings;
 * later ones override earlier ones. */
#pragma once

#include <redhost/redhost.h>

struct rh_job;

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

/* Fills job->instance_spec.params and job->params_from from only the plugin and the settings.
 * RH_E_USAGE if a setting is wrong. */
rh_status rh_settings_defaults(struct rh_job *job, rh_error *error);

/* Between the two: a tuned value, unless the caller gave one.  1: it is used.  One that is invalid
 * for the plugin is logged, as information, and ignored. */
int rh_settings_use(struct rh_job *job, const char *key, const char *value);

/* Reverts to rh_settings_defaults(), and logs the reason. */
void rh_settings_reset(struct rh_job *job, const char *why);
