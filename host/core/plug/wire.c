#include "plug.h"

/* Without a device only host strategies are queried; the others are declined. */
static rh_device host_alone(void) {
  rh_device device = {.struct_size = sizeof device, .kind = RH_DEVICE_HOST, .name = "host"};
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  device.compute_units = processors > 0 ? (uint32_t)processors : 1;
  device.max_group = 1;
  return device;
}

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
  rh_device host = host_alone();
  if (!device) device = &host;
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
