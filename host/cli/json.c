#include "offers.h"
#include "revision.h"

json_t *rh_json_document(json_t *members) {
  json_t *document =
      json_pack("{s:s, s:{s:s, s:s?, s:b, s:s}}", "schema", "redhost/1", "tool", "version",
                rh_version(), "git", *REDHOST_COMMIT ? REDHOST_COMMIT : NULL, "dirty",
                REDHOST_DIRTY, "build", "C compiler " __VERSION__);
  int failed = json_object_update(document, members) != 0;
  json_decref(members);
  if (!failed) return document;
  json_decref(document);
  return NULL;
}

json_t *rh_json_strings(char *const *list, uint32_t n) {
  json_t *array = json_array();
  for (uint32_t k = 0; k < n; k++) json_array_append_new(array, rh_json_bytes(list[k]));
  return array;
}

json_t *rh_json_device(const rh_cl_device *device) {
  const rh_device *about = &device->about;
  return json_pack(
      "{s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b}",
      "id", rh_json_bytes(device->label), "key",
      json_sprintf("%s|%s|%s", device->platform_name, device->name, device->driver), "name",
      rh_json_bytes(device->name), "vendor", rh_json_bytes(device->vendor), "type",
      rh_device_kind_name(about->kind), "platform", rh_json_bytes(device->platform_name),
      "platform_version", rh_json_bytes(device->platform_version), "driver",
      rh_json_bytes(device->driver), "version", rh_json_bytes(device->version), "c_version",
      rh_json_bytes(device->c_version), "compute_units", (json_int_t)about->compute_units,
      "max_group", (json_int_t)about->max_group, "clock_hz", (json_int_t)device->clock_hz,
      "memory_bytes", (json_int_t)about->global_bytes, "max_alloc_bytes",
      (json_int_t)about->max_alloc_bytes, "local_bytes", (json_int_t)about->local_bytes,
      "cache_reported_bytes", (json_int_t)device->cache_bytes, "shares_host_memory",
      (int)device->shares_memory);
}

json_t *rh_json_devices(const rh_cl_device *device) {
  return device ? json_pack("[o]", rh_json_device(device)) : json_array();
}

static json_t *availability(const rh_offer *offer) {
  const rh_answer *answer = &offer->answer;
  if (offer->status != RH_OK)
    return json_pack("{s:b, s:s?, s:o}", "ok", 0, "code", rh_why_code(answer->why), "reason",
                     rh_json_bytes(answer->reason));
  return json_pack(
      "{s:b, s:I, s:s, s:I, s:I, s:o, s:i}", "ok", 1, "launches", (json_int_t)answer->launches,
      "finishes_on", answer->finishes_on_host ? "host" : "device", "scratch_bytes",
      (json_int_t)answer->scratch_bytes, "local_bytes", (json_int_t)answer->local_bytes, "depth",
      answer->depth && answer->depth != RH_DEPTH_ONE_ROUNDING
          ? json_integer((json_int_t)answer->depth)
          : json_null(),
      "score", (int)answer->score);
}

static json_t *parameters(const rh_entry *entry) {
  json_t *array = json_array();
  for (uint32_t k = 0; k < entry->n_params; k++) {
    const rh_param *param = &entry->params[k];
    json_array_append_new(
        array, json_pack("{s:s, s:s?, s:s?, s:I, s:I, s:I, s:I}", "key", param->key, "doc",
                         param->doc, "choices", param->choices, "min", (json_int_t)param->min,
                         "max", (json_int_t)param->max, "initial", (json_int_t)param->initial,
                         "step", (json_int_t)param->step));
  }
  return array;
}

json_t *rh_json_strategy(const rh_app *app, const rh_entry *entry) {
  const rh_cl_device *device = app->context->device;
  return json_pack("{s:s, s:s?, s:o, s:s?, s:s?, s:s?, s:s?, s:b, s:b, s:o, s:{s:o}, s:o}", "name",
                   entry->name, "summary", entry->summary, "plugin", rh_json_bytes(entry->path),
                   "plugin_version", entry->version, "author", entry->author, "license",
                   entry->license, "reproducible", rh_determinism_name(entry->determinism),
                   "keeps_order", (entry->promises & RH_KEEPS_ORDER) != 0, "canonical_order",
                   (entry->promises & RH_CANONICAL_ORDER) != 0, "params", parameters(entry),
                   "available", device ? device->label : "host",
                   availability(rh_offer_for(app, entry)), "shadowed_by",
                   rh_json_bytes(entry->shadowed_by));
}

rh_status rh_json_print(json_t *members, rh_error *error) {
  json_t *document = rh_json_document(members);
  if (!document) return rh_fail(error, RH_E_NOMEM, "no memory for a JSON document");
  errno = 0;
  int failed = json_dumpf(document, stdout, JSON_INDENT(2)) != 0, code = errno;
  json_decref(document);
  if (failed)
    return rh_fail(error, RH_E_FILE, "standard output: %s",
                   code ? strerror(code) : "the JSON document cannot be written");
  putchar('\n');
  return RH_OK;
}
