/* redhost without arguments: a summary of this machine, and suggestions. */
#include "../choose/choose.h"
#include "app.h"

static void print_device(const rh_app *app, const rh_error *no_device) {
  const rh_cl_device *device = app->context->device;
  if (!device) {
    printf("device      none: %s\n", rh_plain(no_device->message));
    return;
  }
  printf("device      %s  %s  (%s, driver %s)", device->label, rh_plain(device->name),
         rh_plain(device->platform_name), rh_plain(device->driver));
  if (app->context->devices.n > 1)
    printf("   %u more: redhost --devices", app->context->devices.n - 1);
  putchar('\n');
}

rh_status rh_mode_summary(const rh_app *app, rh_error *error) {
  const rh_registry *registry;
  rh_tunedb *tuned;
  rh_error no_device = {0};
  RH_TRY(rh_context_registry(app->context, (uint64_t)1 << RH_DEFAULT_LOG2_SIZE, &registry,
                             &no_device, error));
  RH_TRY(rh_context_tuned(app->context, &tuned, error));
  uint32_t installed = 0, runnable = 0, n_tuned = rh_tunedb_count(tuned);
  for (uint32_t k = 0; k < registry->n_entries; k++) {
    if (registry->entries[k].shadowed_by) continue;
    installed++;
    runnable += rh_offer_for(app, &registry->entries[k])->status == RH_OK;
  }
  if (app->typed->json)
    return rh_json_print(rh_json("devices:o installed:i runnable:i tuned:i",
                                 rh_json_one(rh_json_device(app->context->device)), installed,
                                 runnable, n_tuned),
                         error);
  printf("redhost %s - parallel reductions on OpenCL\n\n", rh_version());
  print_device(app, &no_device);
  printf("strategies  %u installed, %u can run here", installed, runnable);
  if (registry->n_refusals) printf(", %u not loaded", registry->n_refusals);
  printf("   redhost --list\n");
  if (n_tuned == 0) printf("tuned       not yet on this device   redhost --tune\n");
  else
    printf("tuned       %u entr%s for this device   redhost --tune\n", n_tuned,
           n_tuned == 1 ? "y" : "ies");
  printf("\n"
         "Try   redhost --run auto -n 2^24      reduce 16 Mi floats with the best strategy\n"
         "      redhost --input x.npy --op max  reduce a file with the best strategy\n"
         "      redhost --help\n");
  return RH_OK;
}
