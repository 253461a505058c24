#include "app.h"
#include "revision.h"

json_t *rh_json_document(json_t *members) {
  json_t *tool =
      rh_json("version:s git:s dirty:b build:s", rh_version(),
              *REDHOST_COMMIT ? REDHOST_COMMIT : NULL, REDHOST_DIRTY, "C compiler " __VERSION__);
  json_auto_t *document = rh_json("schema:s tool:o", "redhost/1", tool), *own = members;
  return json_object_update(document, own) == 0 ? json_incref(document) : NULL;
}

json_t *rh_json_strings(char *const *list, uint32_t n) {
  json_t *array = json_array();
  for (uint32_t k = 0; k < n; k++) json_array_append_new(array, rh_json_bytes(list[k]));
  return array;
}

json_t *rh_json_device(const rh_cl_device *device) {
  if (!device) return NULL;
  const rh_device *about = &device->about;
  return rh_json(
      "id:s key:s name:s vendor:s type:s platform:s platform_version:s driver:s version:s "
      "c_version:s compute_units:i max_group:i clock_hz:u memory_bytes:u "
      "max_alloc_bytes:u local_bytes:u cache_reported_bytes:u shares_host_memory:b",
      device->label, rh_show("%s|%s|%s", device->platform_name, device->name, device->driver),
      device->name, device->vendor, rh_device_kind_name(about->kind), device->platform_name,
      device->platform_version, device->driver, device->version, device->c_version,
      about->compute_units, about->max_group, device->clock_hz, about->global_bytes,
      about->max_alloc_bytes, about->local_bytes, device->cache_bytes, (int)device->shares_memory);
}

json_t *rh_json_one(json_t *value) {
  json_t *array = json_array();
  if (value) json_array_append_new(array, value);
  return array;
}

static json_t *availability(const rh_offer *offer) {
  const rh_answer *answer = &offer->answer;
  if (offer->status != RH_OK)
    return rh_json("ok:b code:s reason:s", 0, rh_why_code(answer->why), answer->reason);
  int has_depth = answer->depth && answer->depth != RH_DEPTH_ONE_ROUNDING;
  return rh_json("ok:b launches:i finishes_on:s scratch_bytes:u local_bytes:u depth:u score:i", 1,
                 answer->launches, answer->finishes_on_host ? "host" : "device",
                 answer->scratch_bytes, answer->local_bytes, has_depth ? answer->depth : UINT64_MAX,
                 (int)answer->score);
}

static json_t *parameters(const rh_entry *entry) {
  json_t *array = json_array();
  for (uint32_t k = 0; k < entry->says.n_params; k++) {
    const rh_param *param = &entry->says.params[k];
    json_array_append_new(array, rh_json("key:s doc:s choices:s min:n max:n initial:n step:n",
                                         param->key, param->doc, param->choices, param->min,
                                         param->max, param->initial, param->step));
  }
  return array;
}

json_t *rh_json_strategy(const rh_app *app, const rh_entry *entry) {
  const rh_cl_device *device = app->context->device;
  json_t *available = json_object();
  json_object_set_new(available, device ? device->label : "host",
                      availability(rh_offer_for(app, entry)));
  return rh_json("name:s summary:s plugin:s plugin_version:s author:s license:s reproducible:s "
                 "keeps_order:b canonical_order:b params:o available:o shadowed_by:s",
                 entry->says.name, entry->says.summary, entry->file->path, entry->says.version,
                 entry->says.author, entry->says.license,
                 rh_determinism_name(entry->says.determinism),
                 (entry->says.promises & RH_KEEPS_ORDER) != 0,
                 (entry->says.promises & RH_CANONICAL_ORDER) != 0, parameters(entry), available,
                 entry->shadowed_by);
}

rh_status rh_json_print(json_t *members, rh_error *error) {
  json_auto_t *document = rh_json_document(members);
  if (!document) return rh_fail(error, RH_E_NOMEM, "no memory for a JSON document");
  errno = 0;
  if (json_dumpf(document, stdout, JSON_INDENT(2)) != 0)
    return rh_fail(error, RH_E_FILE, "standard output: %s",
                   errno ? strerror(errno) : "the JSON document cannot be written");
  putchar('\n');
  return RH_OK;
}
