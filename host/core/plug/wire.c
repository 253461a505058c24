#include "wire.h"
#include "../base/error.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

json_t *rh_wire_text(const char *s) {
  json_t *json = json_string(s);
  if (json || !s) return json;
  char *plain = strdup(s);
  for (char *p = plain; p && *p; p++)
    if ((unsigned char)*p >= 0x80) *p = '?';
  json = plain ? json_string(plain) : NULL;
  free(plain);
  return json;
}

/* Host strategies alone are asked then; the others say that they need a device. */
static rh_device host_alone(void) {
  rh_device device = {.struct_size = sizeof device, .kind = RH_DEVICE_HOST, .name = "host"};
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  device.compute_units = processors > 0 ? (uint32_t)processors : 1;
  device.max_group = 1;
  return device;
}

/* All 64 bits of an unsigned number, in JSON's signed one. */
static json_int_t signed_bits(uint64_t value) {
  return (json_int_t)value;
}

static json_t *pack_device(const rh_device *device) {
  const char *name = device->name ? device->name : "", *driver = device->driver;
  return json_pack("{s:[I,I,I,I,I,I,I], s:[I,I,I,I], s:o, s:o, s:o}", "numbers",
                   (json_int_t)device->kind, (json_int_t)device->cl_version,
                   (json_int_t)device->vendor_id, (json_int_t)device->compute_units,
                   (json_int_t)device->max_group, (json_int_t)device->subgroup_min,
                   (json_int_t)device->subgroup_max, "bytes", signed_bits(device->local_bytes),
                   signed_bits(device->global_bytes), signed_bits(device->max_alloc_bytes),
                   signed_bits(device->features), "name", rh_wire_text(name), "driver",
                   rh_wire_text(driver ? driver : ""), "extensions",
                   rh_wire_text(device->extensions ? device->extensions : ""));
}

rh_status rh_wire_request(rh_text *to, const rh_device *device, uint64_t max_n,
                          const char *const *paths, uint32_t n, rh_error *error) {
  rh_device host = host_alone();
  json_t *json = json_pack("{s:i, s:I, s:I, s:i, s:o}", "redhost-probe", RH_WIRE_VERSION, "parent",
                           (json_int_t)getpid(), "max_n", signed_bits(max_n), "n", (int)n, "device",
                           pack_device(device ? device : &host));
  char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
  if (text) rh_text_append(to, text, strlen(text) + 1);
  for (uint32_t k = 0; k < n; k++) rh_text_append(to, paths[k], strlen(paths[k]) + 1);
  json_decref(json);
  free(text);
  if (!text || to->failed) return rh_fail(error, RH_E_NOMEM, "no memory to ask about plugins");
  return RH_OK;
}

static int unpack_device(json_t *json, rh_device *device) {
  json_int_t kind, version, vendor, units, group, least, most, local, global, alloc, features;
  memset(device, 0, sizeof *device);
  if (json_unpack(json, "{s:[I,I,I,I,I,I,I], s:[I,I,I,I], s:s, s:s, s:s}", "numbers", &kind,
                  &version, &vendor, &units, &group, &least, &most, "bytes", &local, &global,
                  &alloc, &features, "name", &device->name, "driver", &device->driver, "extensions",
                  &device->extensions) != 0)
    return -1;
  device->struct_size = sizeof *device;
  device->kind = (uint32_t)kind;
  device->cl_version = (uint32_t)version;
  device->vendor_id = (uint32_t)vendor;
  device->compute_units = (uint32_t)units;
  device->max_group = (uint32_t)group;
  device->subgroup_min = (uint32_t)least;
  device->subgroup_max = (uint32_t)most;
  device->local_bytes = (uint64_t)local;
  device->global_bytes = (uint64_t)global;
  device->max_alloc_bytes = (uint64_t)alloc;
  device->features = (uint64_t)features;
  return 0;
}

/* n strings, one behind the other, up to `end`. */
static int split_paths(rh_request_in *request, const char *at, const char *end) {
  request->paths = calloc(request->n + 1u, sizeof *request->paths);
  if (!request->paths) return -1;
  for (uint32_t k = 0; k < request->n; k++) {
    size_t length = strnlen(at, (size_t)(end - at));
    if (at + length == end) return -1;
    request->paths[k] = at;
    at += length + 1;
  }
  return at == end ? 0 : -1;
}

int rh_wire_read_request(rh_request_in *request, char *bytes, size_t length) {
  int version, n;
  json_int_t parent, max_n;
  json_t *device;
  memset(request, 0, sizeof *request);
  request->bytes = bytes;
  size_t head = strnlen(bytes, length);
  request->json = head < length ? json_loadb(bytes, head, 0, NULL) : NULL;
  int good = request->json &&
             json_unpack(request->json, "{s:i, s:I, s:I, s:i, s:o}", "redhost-probe", &version,
                         "parent", &parent, "max_n", &max_n, "n", &n, "device", &device) == 0 &&
             version == RH_WIRE_VERSION && n >= 0 && unpack_device(device, &request->device) == 0;
  if (good) {
    request->parent = parent;
    request->max_n = (uint64_t)max_n;
    request->n = (uint32_t)n;
    good = (size_t)n <= length && split_paths(request, bytes + head + 1, bytes + length) == 0;
  }
  if (good) return 0;
  rh_wire_finish_request(request);
  return -1;
}

void rh_wire_finish_request(rh_request_in *request) {
  json_decref(request->json);
  free(request->bytes);
  free(request->paths);
  memset(request, 0, sizeof *request);
}
