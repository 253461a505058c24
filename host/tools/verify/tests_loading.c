/* V10 to V15: loading and its effects on the process. */
#include "internal.h"

#include <locale.h>

static const double most_load_s = 0.05;

RH_TEST(10, "loads quickly and silently", RH_FILE_TEST) {
  rh_dl dl;
  long long before = rh_printed_so_far();
  rh_trial_phase(trial, "loading");
  double start = rh_now();
  RH_TRY(rh_dl_open(&dl, trial->path, &trial->error));
  double seconds = rh_now() - start;
  fflush(NULL);
  if (rh_printed_so_far() != before)
    return rh_trial_fail(trial, "writes %lld bytes to standard output or error when it is loaded",
                         rh_printed_so_far() - before);
  if (seconds > most_load_s)
    return rh_trial_warn(trial, "takes %.0f ms to load; at most 50 ms are usual", 1000 * seconds);
  return RH_OK;
}

RH_TEST(11, "loading preserves the floating-point environment", RH_FILE_TEST) {
  rh_dl dl;
  rh_trial_phase(trial, "loading");
  rh_fpstate before = rh_fpstate_save();
  rh_status status = rh_dl_open(&dl, trial->path, &trial->error);
  int changed = rh_fpstate_restore(&before);
  if (changed)
    return rh_trial_fail(
        trial, "changes the floating-point control word (rounding or flush-to-zero); was it "
               "linked with -ffast-math?");
  return status == RH_OK ? RH_OK : rh_trial_skip(trial, "%s", trial->error.message);
}

/* ---- V12 ---- */

/* Any locale that writes a half as 0,5; null if none is installed. */
static const char *comma_locale(void) {
  static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "es_ES.UTF-8", "pt_BR.UTF-8",
                                      "ru_RU.UTF-8", "it_IT.UTF-8", "nl_NL.UTF-8", "de_DE.utf8"};
  for (size_t k = 0; k < RH_COUNT(names); k++) {
    if (!setlocale(LC_ALL, names[k])) continue;
    const struct lconv *conventions = localeconv();
    if (strcmp(conventions->decimal_point, ",") == 0) return names[k];
  }
  setlocale(LC_ALL, "C");
  return NULL;
}

RH_TEST(12, "works in a locale with a decimal comma, and does not change it", RH_NEEDS_NOTHING,
        RH_OF_STRATEGY, 1, 60, 0.3, 0.1) {
  const char *comma = comma_locale();
  char before[512];
  snprintf(before, sizeof before, "%s", setlocale(LC_ALL, NULL));
  rh_status status = rh_trial_load(trial);
  int is_kept = strcmp(before, setlocale(LC_ALL, NULL)) == 0;
  if (status == RH_OK && is_kept) status = rh_try_any_problem(trial, 1003);
  if (strcmp(before, setlocale(LC_ALL, NULL)) != 0)
    return rh_trial_fail(trial, "changes the locale from %s to %s", before,
                         setlocale(LC_ALL, NULL));
  if (status != RH_OK && status != RH_DECLINED)
    return rh_trial_fail(trial, "under %s: %s", comma ? comma : "C", trial->error.message);
  if (status != RH_OK || comma) return status;
  return rh_trial_skip(
      trial, "leaves the locale unchanged; no locale with a decimal comma is installed for "
             "the rest of the test");
}

/* ---- V13 ---- */

/* Allows the plugin and the libraries that it names, under their real paths. */
static void allow_libraries(rh_trial *trial, rh_footprint *footprint) {
  static rh_libraries libraries;
  rh_libraries_read(&libraries, trial->path, &trial->error);
  rh_footprint_allow(footprint, RH_STATE_LIBRARIES, trial->path);
  for (uint32_t k = 0; k < libraries.n; k++) {
    RH_FREED(char) real = realpath(libraries.list[k].path, NULL);
    if (real) rh_footprint_allow(footprint, RH_STATE_LIBRARIES, real);
  }
  rh_libraries_finish(&libraries);
}

static void ask_everything(rh_trial *trial) {
  for (uint32_t k = 0; k < trial->plugin->n_strategies; k++) {
    trial->strategy = trial->plugin->strategies[k];
    rh_question q = rh_first_question(trial);
    while (rh_next_question(trial, &q)) continue;
  }
}

RH_TEST(13, "loading and queries leave the process unchanged", RH_LOADING_TEST) {
  RH_FINISHED(rh_footprint) footprint = {.part = 0};
  allow_libraries(trial, &footprint);
  rh_footprint_enter(&footprint, 0);
  rh_status status = rh_trial_load(trial);
  rh_footprint_judge(&footprint, "loading", 1);
  RH_TRY(status);
  rh_footprint_enter(&footprint, 0);
  ask_everything(trial);
  rh_footprint_judge(&footprint, "query", 1);
  trial->watches_end = 1;
  return footprint.said[0] ? rh_trial_fail(trial, "%s", footprint.said) : RH_OK;
}

/* ---- V14 ---- */

/* Loads some of redhost's own plugins. */
static void load_neighbours(const rh_trial *trial) {
  rh_discovery search;
  int left = 5;
  if (rh_discover(&search, RH_PLUGINS, trial->options, NULL) != RH_OK) return;
  for (uint32_t k = 0; k < search.n && left; k++) {
    const rh_candidate *one = &search.candidates[k];
    const rh_plugin *plugin;
    if (one->installed && !one->refused && !rh_is_foreign(one->path) &&
        strcmp(one->path, trial->path) != 0)
      left -= rh_plugin_open(one->path, NULL, &plugin, NULL) == RH_OK;
  }
  rh_discovery_finish(&search);
}

RH_TEST(14, "the descriptor is its own, even next to other plugins", RH_NEEDS_NOTHING, RH_OF_PLUGIN,
        3, 20, 0.1, 0.1) {
  rh_dl dl;
  const void *symbol;
  if (trial->variant == 1) load_neighbours(trial);
  rh_trial_phase(trial, "loading");
  if (rh_dl_open(&dl, trial->path, &trial->error) != RH_OK)
    return rh_trial_skip(trial, "%s", trial->error.message);
  RH_TRY(rh_dl_symbol(&dl, trial->path, RH_PLUGIN_SYMBOL, &symbol, &trial->error));
  RH_TRY(rh_trial_load(trial));
  if (trial->variant == 2) load_neighbours(trial);
  ask_everything(trial);
  /* a function of the same name in another library can replace the plugin's own */
  for (uint32_t k = 0; k < trial->plugin->n_strategies; k++) {
    const rh_strategy *s = trial->plugin->strategies[k];
    void (*const functions[])(void) = {(void (*)(void))s->query, (void (*)(void))s->setup,
                                       (void (*)(void))s->run, (void (*)(void))s->teardown};
    for (int j = 0; j < 4; j++) {
      const void *address;
      memcpy(&address, &functions[j], sizeof address);
      if (address && !rh_dl_is_from(address, trial->path))
        return rh_trial_fail(trial, "a function of strategy '%s' is in another file", s->name);
    }
  }
  return RH_OK;
}

RH_TEST(15, "unloads if declared, ten times", RH_LOADING_TEST) {
#ifdef REDHOST_KEEP_PLUGINS
  return rh_trial_skip(trial, "this redhost was built with sanitizers, which keep plugins loaded");
#else
  rh_dl dl;
  for (int k = 0; k < 10; k++) {
    const void *symbol;
    rh_trial_phase(trial, "loading");
    if (rh_dl_open(&dl, trial->path, &trial->error) != RH_OK ||
        rh_dl_symbol(&dl, trial->path, RH_PLUGIN_SYMBOL, &symbol, &trial->error) != RH_OK ||
        rh_plugin_judge(symbol, &trial->error) != RH_OK)
      return k ? rh_trial_fail(trial, "load %d: %s", k + 1, trial->error.message)
               : rh_trial_skip(trial, "%s", trial->error.message);
    trial->plugin = symbol;
    if (!(trial->plugin->flags & RH_PLUGIN_UNLOADABLE))
      return rh_trial_skip(trial, "is not declared unloadable");
    ask_everything(trial);
    trial->plugin = NULL;
    rh_trial_phase(trial, "unloading");
    rh_dl_close(&dl);
    json_auto_t *libraries = rh_state_take(RH_STATE_LIBRARIES);
    if (json_object_get(libraries, trial->path))
      return rh_trial_fail(trial, "is declared unloadable, but stays loaded");
  }
  return RH_OK;
#endif
}
