/* redhost --devices */
#include "app.h"

static rh_status print_json(const rh_cl_devices *devices, const rh_cl_device *chosen,
                            rh_error *error) {
  json_t *array = json_array();
  for (uint32_t k = 0; k < devices->n; k++) {
    json_t *device = rh_json_device(&devices->list[k]);
    json_object_set_new(device, "default", json_boolean(&devices->list[k] == chosen));
    json_array_append_new(array, device);
  }
  return rh_json_print(rh_json("devices:o", array), error);
}

static void print_table(const rh_cl_devices *devices, const rh_cl_device *chosen) {
  rh_table table = {0};
  rh_table_begin(&table, "|ID|TYPE|DEVICE|PLATFORM|DRIVER|>CU|>MEMORY");
  for (uint32_t k = 0; k < devices->n; k++) {
    const rh_cl_device *device = &devices->list[k];
    rh_table_row(&table, "        ", device == chosen ? "*" : "", device->label,
                 rh_device_kind_name(device->about.kind), device->name, device->platform_name,
                 device->driver, rh_show("%u", device->about.compute_units),
                 rh_bytes(device->about.global_bytes));
  }
  rh_table_print(&table, "  ");
  printf("\n* what a plain --run uses. Select with -d %s, -d %s, a part of the name, or "
         "REDHOST_DEVICE.\n",
         chosen->label, rh_device_kind_name(chosen->about.kind));
}

rh_status rh_mode_devices(const rh_app *app, rh_error *error) {
  const rh_cl_devices *devices;
  const rh_cl_device *chosen;
  RH_TRY(rh_context_devices(app->context, &devices, error));
  RH_TRY(rh_context_device(app->context, &chosen, error));
  if (app->typed->json) return print_json(devices, chosen, error);
  if (!app->typed->quiet) {
    print_table(devices, chosen);
    return RH_OK;
  }
  for (uint32_t k = 0; k < devices->n; k++) printf("%s\n", devices->list[k].label);
  return RH_OK;
}
