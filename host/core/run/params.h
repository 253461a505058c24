/* A strategy's parameters as words and as numbers. */
#pragma once

#include <redhost/redhost.h>

enum { RH_MAX_PARAMS = 64 };

/* `values` (RH_MAX_PARAMS of them) from the defaults and the settings.  An unknown key, a malformed
 * value or one outside its range is RH_E_USAGE with the rule. */
rh_status rh_params_resolve(const rh_strategy *strategy, const rh_setting *settings,
                            uint64_t n_settings, int64_t *values, rh_error *error);

/* Applies only the settings, over the contents of `values`. */
rh_status rh_params_apply(const rh_strategy *strategy, const rh_setting *settings,
                          uint64_t n_settings, int64_t *values, rh_error *error);

/* The index of the parameter of that name, or -1. */
int rh_params_find(const rh_strategy *strategy, const char *key);

/* 1 and *value if the word is a value of the parameter. */
int rh_param_parse(const rh_param *param, const char *word, int64_t *value);

/* A value in words: "256", "device".  `text` has `size` bytes. */
void rh_param_format(const rh_param *param, int64_t value, char *text, size_t size);

/* The values that a parameter can have: "1 to 4096", "host or device". */
void rh_param_range(const rh_param *param, char *text, size_t size);
