/* The request to a strategy's process. */
#include "internal.h"

enum { MOST_SETTINGS = 1024 };

void rh_sample_order_write(rh_text *to, const rh_isolated_spec *spec) {
  rh_sample_numbers is = {.answer_bytes = RH_ANSWER_BYTES,
                          .untuned = spec->untuned,
                          .strict = spec->strict,
                          .is_known = spec->bench_device != NULL};
  const rh_options options = {.device = spec->device ? spec->device->label : NULL,
                              .cache_dir = spec->options->cache_dir,
                              .no_cache = spec->options->no_cache};
  if (spec->bench_device) is.known = *spec->bench_device;
  rh_request_begin(to);
  rh_request_add_options(to, &options);
  rh_request_add(to, "strategy", spec->found->name);
  rh_request_add(to, "plugin", spec->found->path);
  rh_request_add(to, "what", spec->what);
  for (uint64_t k = 0; k < spec->n_settings; k++) {
    rh_request_add(to, "setting", spec->settings[k].key);
    rh_request_add(to, "value", spec->settings[k].value);
  }
  rh_request_add_struct(to, "is", &is, sizeof is);
}

/* 0, or -1. */
static int read_settings(const rh_child_request *request, rh_sample_order *order) {
  rh_setting *settings = calloc(MOST_SETTINGS, sizeof *settings);
  uint64_t n = 0;
  if (!settings) return -1;
  order->settings = settings;
  for (const char *value = NULL; n < MOST_SETTINGS; n++) {
    settings[n].key = rh_request_next(request, "setting", value);
    if (!settings[n].key) break;
    value = settings[n].value = rh_request_next(request, "value", settings[n].key);
    if (!value) return -1;
  }
  order->n_settings = n;
  return n < MOST_SETTINGS ? 0 : -1;
}

int rh_sample_read(const rh_child_request *request, rh_sample_order *order) {
  const char *own = NULL;
  *order = (rh_sample_order){
      .options = rh_request_options(request),
      .strategy = rh_request_get(request, "strategy"),
      .plugin = rh_request_get(request, "plugin"),
      .what = rh_request_get(request, "what"),
  };
  while (order->n_own < RH_MOST_OWN && (own = rh_request_next(request, "own", own)))
    order->own[order->n_own++] = own;
  if (order->strategy && order->plugin && read_settings(request, order) == 0 &&
      rh_request_struct(request, "is", &order->is, sizeof order->is) == 0 &&
      order->is.answer_bytes == RH_ANSWER_BYTES)
    return 0;
  free((void *)(uintptr_t)order->settings); /* the type says const */
  order->settings = NULL;
  return -1;
}
