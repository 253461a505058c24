/* The facts around every plot: device, driver, date, version. */
#include "pictures.h"

#include <string.h>

static const char *text_of(const json_t *object, const char *key) {
  return json_string_value(json_object_get(object, key));
}

const char *rh_picture_device(const rh_view *view, const char *id) {
  const char *name = rh_records_device_text(view->results, id, "name");
  return name ? name : id;
}

static void add_fact(rh_text *note, const char *before, const char *fact, size_t most) {
  if (!fact || !*fact) return;
  rh_text_add(note, "%s%s%.*s", note->length ? ", " : "", before, (int)most, fact);
}

void rh_picture_note(rh_text *note, const rh_view *view, const char *device) {
  const char *cache = text_of(view->results->settings, "cache");
  if (cache && *cache) rh_text_add(note, "%.16s input", cache);
  rh_picture_origin(note, view, device);
}

void rh_picture_origin(rh_text *note, const rh_view *view, const char *device) {
  const rh_records *results = view->results;
  const char *git = text_of(results->tool, "git");
  if (device) add_fact(note, "driver ", rh_records_device_text(results, device, "driver"), 40);
  add_fact(note, "", text_of(results->run, "start"), strlen("2026-11-20"));
  add_fact(note, "redhost ", text_of(results->tool, "version"), 24);
  if (git && *git) rh_text_add(note, " (%.12s)", git);
}
