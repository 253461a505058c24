#include "selftest.h"
#include "../base/error.h"
#include "../base/report.h"
#include "../base/text.h"
#include "../verify/verify.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* All that the outcome hangs on. */
static rh_status make_key(rh_text *key, const char *strategy, const char *plugin,
                          const rh_cl_device *device, rh_error *error) {
  struct stat st;
  if (stat(plugin, &st) != 0) return rh_fail(error, RH_E_PLUGIN, "%s: %s", plugin, strerror(errno));
  rh_text_add(key, "self-test 1\n%s\n%s\n%lld %lld.%09ld\n%s\n%s\n%s\n%s\n", strategy, plugin,
              (long long)st.st_size, (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec, rh_version(),
              device ? device->platform_version : "host", device ? device->name : "",
              device ? device->driver : "");
  return key->failed ? rh_fail(error, RH_E_NOMEM, "no memory for a key") : RH_OK;
}

static rh_status try(const rh_app *app, const char *strategy, const char *plugin, rh_error *error) {
  rh_verify_spec spec = {
      .file = plugin, .strategy = strategy, .include = "V42,V43", .seed = 1, .quick = 2};
  rh_verify_report report;
  RH_TRY(rh_verify(&report, &app->redhost->options, &spec, error));
  rh_status status = RH_OK;
  for (uint32_t k = 0; k < report.n && status == RH_OK; k++)
    if (rh_outcome_is_bad(report.results[k].outcome))
      status = rh_fail(error, RH_E_WRONG,
                       "strategy '%s' fails its self-test here and is not run unchecked: %s",
                       strategy, report.results[k].text);
  rh_verify_report_finish(&report);
  return status;
}

rh_status rh_selftest(const rh_app *app, const char *strategy, const char *plugin,
                      const rh_cl_device *device, rh_error *error) {
  static const unsigned char passed[] = "passed";
  rh_cache *cache = &app->redhost->cache;
  rh_text key = {0};
  size_t bytes;
  rh_status status = make_key(&key, strategy, plugin, device, error);
  unsigned char *known = status == RH_OK ? rh_cache_load(cache, key.s, &bytes) : NULL;
  if (status == RH_OK && !known) {
    rh_report(&app->redhost->options.reporter, RH_LOG_INFO,
              "the first unchecked run of '%s' here: a self-test goes before it", strategy);
    status = try(app, strategy, plugin, error);
    if (status == RH_OK) rh_cache_store(cache, key.s, passed, sizeof passed);
  }
  free(known);
  rh_text_finish(&key);
  return status;
}
