#include "internal.h"

#include "tuned_nvidia.json.h"
#include "tuned_pocl_amd.json.h"
#include "tuned_pocl_intel.json.h"

/* The first of those that fit a device equally well serves.  On a processor of an unknown maker
 * that is AMD's, which reads one page of memory after another: several side by side gain where the
 * processor prefetches in all of them, and lose elsewhere. */
static const struct {
  const char *text;
  size_t length;
} files[] = {{tuned_nvidia_json, sizeof tuned_nvidia_json - 1},
             {tuned_pocl_amd_json, sizeof tuned_pocl_amd_json - 1},
             {tuned_pocl_intel_json, sizeof tuned_pocl_intel_json - 1}};

/* All but the entries, which take long to read and are needed of one document. */
static json_t *head_of(size_t place) {
  const char *text = files[place].text, *entries = strstr(text, ",\n \"entries\"");
  RH_FINISHED(rh_text) head = {0};
  rh_text_add(&head, "%.*s}", entries ? (int)(entries - text) : 0, text);
  return json_loads(rh_text_get(&head), 0, NULL);
}

typedef enum { UNFIT, FITS, SAME_MAKER, SAME_FAMILY } likeness;

/* Every key of "match" must fit, and there must be at least one. */
static int matches(const json_t *document, const rh_cl_device *device) {
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

/* A family's first word is its maker. */
static int is_of_maker(const char *family, const char *other) {
  size_t length = strcspn(family, " ");
  return length > 0 && length == strcspn(other, " ") && strncmp(family, other, length) == 0;
}

static likeness likeness_of(const json_t *document, const rh_cl_device *device) {
  char host[RH_PROCESSOR_WORD] = "";
  const char *theirs = json_string_value(json_object_get(document, "family"));
  if (!matches(document, device)) return UNFIT;
  if (!device) rh_processor_family(host);
  const char *ours = device ? device->family : host;
  if (!theirs || !is_of_maker(theirs, ours)) return FITS;
  return strcmp(theirs, ours) == 0 ? SAME_FAMILY : SAME_MAKER;
}

json_t *rh_tunedb_shipped_for(const rh_cl_device *device, int *timed) {
  size_t best = 0;
  likeness most = UNFIT;
  for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
    json_auto_t *head = head_of(k);
    likeness this_one = likeness_of(head, device);
    if (this_one <= most) continue;
    best = k;
    most = this_one;
  }
  *timed = most == SAME_FAMILY;
  if (most == UNFIT) return NULL;
  return json_loadb(files[best].text, files[best].length, 0, NULL);
}
