#include "plug.h"

/* A refused plugin is not closed: it has already run code, and unloading is riskier than keeping
 * it. */
static rh_status open_object(const char *path, const rh_plugin **plugin, rh_error *error) {
  rh_dl dl;
  const void *symbol;
  RH_TRY(rh_elf_check(path, error));
  RH_TRY(rh_dl_open(&dl, path, error));
  RH_TRY(rh_dl_symbol(&dl, path, "redhost_plugin_v1", &symbol, error));
  *plugin = symbol;
  return RH_OK;
}

rh_status rh_plugin_open(const char *path, rh_describe *describe, const rh_plugin **plugin,
                         rh_error *error) {
  RH_TRY(rh_path_check_privileges(path, error));
  if (rh_is_foreign(path) && !describe)
    return rh_fail(error, RH_E_PLUGIN,
                   "describes a function of another library, which this program cannot call");
  rh_fpstate before = rh_fpstate_save();
  rh_status status = (rh_is_foreign(path) ? describe : open_object)(path, plugin, error);
  int changed = rh_fpstate_restore(&before);
  if (status != RH_OK) return status;
  if (changed)
    return rh_fail(error, RH_E_PLUGIN,
                   "changes the floating-point control word when loaded (linked with "
                   "-ffast-math?)");
  return rh_plugin_judge(*plugin, error);
}
