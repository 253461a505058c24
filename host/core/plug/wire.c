#include "plug.h"

static const rh_request_field numbers[] = {
    RH_REQUEST_FIELD(rh_device, kind),         RH_REQUEST_FIELD(rh_device, cl_version),
    RH_REQUEST_FIELD(rh_device, vendor_id),    RH_REQUEST_FIELD(rh_device, compute_units),
    RH_REQUEST_FIELD(rh_device, max_group),    RH_REQUEST_FIELD(rh_device, subgroup_min),
    RH_REQUEST_FIELD(rh_device, subgroup_max), RH_REQUEST_FIELD(rh_device, local_bytes),
    RH_REQUEST_FIELD(rh_device, global_bytes), RH_REQUEST_FIELD(rh_device, max_alloc_bytes),
    RH_REQUEST_FIELD(rh_device, features),
};
enum { N_NUMBERS = sizeof numbers / sizeof *numbers };

void rh_wire_request(rh_text *to, const rh_device *device, uint64_t max_n) {
  if (!device) device = rh_examine_host();
  rh_request_begin(to);
  rh_request_add_number(to, "max_n", max_n);
  rh_request_add_fields(to, numbers, N_NUMBERS, device);
  rh_request_add(to, "name", device->name ? device->name : "");
  rh_request_add(to, "driver", device->driver ? device->driver : "");
  rh_request_add(to, "extensions", device->extensions ? device->extensions : "");
}

int rh_wire_read_request(const rh_child_request *request, rh_device *device, uint64_t *max_n) {
  *device = (rh_device){.struct_size = sizeof *device,
                        .name = rh_request_get(request, "name"),
                        .driver = rh_request_get(request, "driver"),
                        .extensions = rh_request_get(request, "extensions")};
  if (!device->name || !device->driver || !device->extensions) return -1;
  if (rh_request_fields(request, numbers, N_NUMBERS, device) != 0) return -1;
  return rh_request_number(request, "max_n", max_n);
}
