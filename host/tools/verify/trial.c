#include "trial.h"
#include "../../core/plug/plugin.h"
#include "../../operators/foreign/foreign.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *rh_outcome_name(rh_outcome outcome) {
  static const char *const words[] = {
#define RH_X(name, word) word,
      RH_VERDICT_LIST(RH_X)
#undef RH_X
  };
  return words[outcome];
}

void rh_trial_phase(rh_trial *trial, const char *phase) {
  if (trial->say_phase) trial->say_phase(trial->user, phase);
}

static rh_outcome set_outcome(rh_trial *trial, rh_outcome outcome, const char *format,
                              va_list args) {
  char text[1024];
  vsnprintf(text, sizeof text, format, args);
  rh_text_finish(&trial->text);
  trial->text = (rh_text){0};
  rh_text_add(&trial->text, "%s", text);
  return outcome;
}

#define DEFINE_SAY(name, outcome)                                                                  \
  rh_outcome name(rh_trial *trial, const char *format, ...) {                                      \
    va_list args;                                                                                  \
    va_start(args, format);                                                                        \
    rh_outcome said = set_outcome(trial, outcome, format, args);                                   \
    va_end(args);                                                                                  \
    return said;                                                                                   \
  }
DEFINE_SAY(rh_trial_fail, RH_FAIL)
DEFINE_SAY(rh_trial_warn, RH_WARN)
DEFINE_SAY(rh_trial_skip, RH_SKIP)

rh_outcome rh_trial_load(rh_trial *trial) {
  if (trial->strategy) return RH_PASS;
  rh_trial_phase(trial, "loading");
  if (rh_plugin_open(trial->path, rh_foreign_open, &trial->plugin, &trial->error) != RH_OK)
    return rh_trial_skip(trial, "cannot be loaded: %s", trial->error.message);
  for (uint32_t k = 0; k < trial->plugin->n_strategies; k++) {
    const rh_strategy *strategy = trial->plugin->strategies[k];
    if (!trial->strategy_name || strcmp(strategy->name, trial->strategy_name) == 0) {
      trial->strategy = strategy;
      return RH_PASS;
    }
  }
  return rh_trial_skip(trial, "no longer has a strategy '%s'", trial->strategy_name);
}
