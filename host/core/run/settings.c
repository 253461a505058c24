#include "run.h"

const char *rh_params_from_name(uint32_t from) {
#define RH_X(name, number, word) word,
  static const char *const names[] = {RH_PARAMS_FROM_LIST(RH_X)};
#undef RH_X
  return names[from < RH_N_PARAMS_FROM ? from : 0];
}

rh_status rh_settings_check(const rh_setting *settings, uint64_t n, rh_error *error) {
  if (n && !settings)
    return rh_fail(error, RH_E_USAGE, "settings is null, and n_settings is %llu",
                   (unsigned long long)n);
  for (uint64_t k = 0; k < n; k++)
    if (!settings[k].key || !settings[k].value)
      return rh_fail(error, RH_E_USAGE, "settings[%llu]: its %s is null", (unsigned long long)k,
                     settings[k].key ? "value" : "key");
  return RH_OK;
}
