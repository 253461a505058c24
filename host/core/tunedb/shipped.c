#include "shipped.h"

#include "tuned_nvidia.json.h"
#include "tuned_pocl.json.h"

#include <string.h>

static const struct {
  const char *text;
  size_t length;
} files[] = {{tuned_nvidia_json, sizeof tuned_nvidia_json - 1},
             {tuned_pocl_json, sizeof tuned_pocl_json - 1}};

json_t *rh_tunedb_shipped(size_t place, int *valid) {
  json_t *document = NULL;
  *valid = 1;
  if (place >= sizeof files / sizeof *files) return NULL;
  *valid =
      rh_tunedb_document_read(files[place].text, files[place].length, 1, &document, NULL) == RH_OK;
  return document ? document : json_object();
}

int rh_tunedb_shipped_is_timed(const json_t *document, const rh_cl_device *device) {
  char host[RH_PROCESSOR_WORD] = "";
  const char *family = json_string_value(json_object_get(document, "family"));
  if (!device) rh_processor_family(host);
  return family && *family && strcmp(family, device ? device->family : host) == 0;
}

/* Every key of "match" must fit, and there must be at least one. */
int rh_tunedb_shipped_fits(const json_t *document, const rh_cl_device *device) {
  const json_t *match = json_object_get(document, "match");
  const char *kind = json_string_value(json_object_get(match, "kind"));
  const char *platform = json_string_value(json_object_get(match, "platform"));
  const json_t *vendor = json_object_get(match, "vendor_id");
  if (!kind) return 0;
  if (!device) return strcmp(kind, "cpu") == 0;
  if (strcmp(kind, rh_device_kind_name(device->about.kind)) != 0) return 0;
  if (platform && strcmp(platform, device->platform_name) != 0) return 0;
  return !vendor || json_integer_value(vendor) == device->about.vendor_id;
}
