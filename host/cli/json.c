#include "json.h"
#include "../core/base/error.h"
#include "../core/base/vocabulary.h"
#include "offers.h"
#include "revision.h"

#include <errno.h>
#include <string.h>

static json_t *text(const char *s) {
  return s ? json_string(s) : json_null();
}

static json_t *integer(uint64_t number) {
  return json_integer((json_int_t)number);
}

json_t *rh_json_document(void) {
  json_t *document = json_object(), *tool = json_object();
  json_object_set_new(document, "schema", json_string("redhost/1"));
  json_object_set_new(tool, "version", json_string(rh_version()));
  json_object_set_new(tool, "git", *REDHOST_COMMIT ? json_string(REDHOST_COMMIT) : json_null());
  json_object_set_new(tool, "dirty", json_boolean(REDHOST_DIRTY));
  json_object_set_new(tool, "build", json_string("C compiler " __VERSION__));
  json_object_set_new(document, "tool", tool);
  return document;
}

json_t *rh_json_device(const rh_cl_device *device) {
  json_t *object = json_object();
  json_object_set_new(object, "id", text(device->label));
  json_object_set_new(
      object, "key", json_sprintf("%s|%s|%s", device->platform_name, device->name, device->driver));
  json_object_set_new(object, "name", text(device->name));
  json_object_set_new(object, "vendor", text(device->vendor));
  json_object_set_new(object, "type", text(rh_device_kind_name(device->about.kind)));
  json_object_set_new(object, "platform", text(device->platform_name));
  json_object_set_new(object, "platform_version", text(device->platform_version));
  json_object_set_new(object, "driver", text(device->driver));
  json_object_set_new(object, "version", text(device->version));
  json_object_set_new(object, "c_version", text(device->c_version));
  json_object_set_new(object, "compute_units", integer(device->about.compute_units));
  json_object_set_new(object, "max_group", integer(device->about.max_group));
  json_object_set_new(object, "clock_hz", integer(device->clock_hz));
  json_object_set_new(object, "memory_bytes", integer(device->about.global_bytes));
  json_object_set_new(object, "max_alloc_bytes", integer(device->about.max_alloc_bytes));
  json_object_set_new(object, "local_bytes", integer(device->about.local_bytes));
  json_object_set_new(object, "cache_reported_bytes", integer(device->cache_bytes));
  json_object_set_new(object, "shares_host_memory", json_boolean(device->shares_memory));
  return object;
}

static json_t *availability(const rh_offer *offer) {
  json_t *object = json_object();
  int ok = offer->status == RH_OK;
  json_object_set_new(object, "ok", json_boolean(ok));
  if (ok) {
    json_object_set_new(object, "launches", integer(offer->answer.launches));
    json_object_set_new(object, "finishes_on",
                        text(offer->answer.finishes_on_host ? "host" : "device"));
    json_object_set_new(object, "scratch_bytes", integer(offer->answer.scratch_bytes));
    json_object_set_new(object, "local_bytes", integer(offer->answer.local_bytes));
    json_object_set_new(object, "depth",
                        offer->answer.depth ? integer(offer->answer.depth) : json_null());
    json_object_set_new(object, "score", json_integer(offer->answer.score));
  } else {
    json_object_set_new(object, "code", text(rh_why_code(offer->answer.why)));
    json_object_set_new(object, "reason", text(offer->answer.reason));
  }
  return object;
}

static json_t *parameters(const rh_entry *entry) {
  json_t *array = json_array();
  for (uint32_t k = 0; k < entry->n_params; k++) {
    const rh_param *param = &entry->params[k];
    json_t *object = json_object();
    json_object_set_new(object, "key", text(param->key));
    json_object_set_new(object, "doc", text(param->doc));
    json_object_set_new(object, "choices", text(param->choices));
    json_object_set_new(object, "min", json_integer(param->min));
    json_object_set_new(object, "max", json_integer(param->max));
    json_object_set_new(object, "initial", json_integer(param->initial));
    json_object_set_new(object, "step", json_integer(param->step));
    json_array_append_new(array, object);
  }
  return array;
}

json_t *rh_json_strategy(const rh_app *app, const rh_entry *entry) {
  const rh_cl_device *device = app->context->device;
  json_t *object = json_object(), *available = json_object();
  json_object_set_new(object, "name", text(entry->name));
  json_object_set_new(object, "summary", text(entry->summary));
  json_object_set_new(object, "plugin", rh_json_bytes(entry->path));
  json_object_set_new(object, "plugin_version", text(entry->version));
  json_object_set_new(object, "author", text(entry->author));
  json_object_set_new(object, "license", text(entry->license));
  json_object_set_new(object, "reproducible", text(rh_determinism_name(entry->determinism)));
  json_object_set_new(object, "keeps_order", json_boolean((entry->promises & RH_KEEPS_ORDER) != 0));
  json_object_set_new(object, "canonical_order",
                      json_boolean((entry->promises & RH_CANONICAL_ORDER) != 0));
  json_object_set_new(object, "params", parameters(entry));
  json_object_set_new(available, device ? device->label : "host",
                      availability(rh_offer_for(app, entry)));
  json_object_set_new(object, "available", available);
  json_object_set_new(object, "shadowed_by", rh_json_bytes(entry->shadowed_by));
  return object;
}

rh_status rh_json_print(json_t *document, rh_error *error) {
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
