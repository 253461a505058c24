#include "isolate.h"

enum { MOST_SETTINGS = 1024 };

#define KNOWN(member) RH_REQUEST_FIELD(rh_bench_device_known, member)
static const rh_request_field known[] = {
    KNOWN(calibration.timer_declared_s),
    KNOWN(calibration.timer_step_s),
    KNOWN(calibration.launch_s),
    KNOWN(calibration.empty_kernel_s),
    KNOWN(calibration.read_peak),
    KNOWN(calibration.upload),
    KNOWN(calibration.download),
    KNOWN(calibration.cold_bytes),
    KNOWN(sweep_s),
    KNOWN(scratch_bytes),
    KNOWN(items),
    KNOWN(order),
    KNOWN(width),
    KNOWN(group),
    KNOWN(host_clock),
};
static const rh_request_field flags[] = {
    RH_REQUEST_FIELD(rh_sample_order, on_host),
    RH_REQUEST_FIELD(rh_sample_order, untuned),
    RH_REQUEST_FIELD(rh_sample_order, strict),
    RH_REQUEST_FIELD(rh_sample_order, is_known),
};
static const rh_request_field places[] = {
    RH_REQUEST_FIELD(rh_sample_data, region_bytes),
    RH_REQUEST_FIELD(rh_sample_data, offset),
    RH_REQUEST_FIELD(rh_sample_data, in_chunks),
};
#define COUNT(fields) (sizeof(fields) / sizeof *(fields))

void rh_sample_order_write(rh_text *to, const rh_sample_order *order) {
  rh_request_begin(to);
  rh_request_add_options(to, &order->options);
  rh_request_add(to, "strategy", order->strategy);
  rh_request_add(to, "plugin", order->plugin);
  rh_request_add(to, "what", order->what);
  for (uint64_t k = 0; k < order->n_settings; k++) {
    rh_request_add(to, "setting", order->settings[k].key);
    rh_request_add(to, "value", order->settings[k].value);
  }
  rh_request_add_fields(to, flags, COUNT(flags), order);
  if (order->is_known) rh_request_add_fields(to, known, COUNT(known), &order->known);
}

void rh_sample_data_write(rh_text *to, const rh_sample_data *data) {
  rh_request_add_fields(to, places, COUNT(places), data);
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

static void read_own(const rh_child_request *request, rh_sample_order *order) {
  const char *own = NULL;
  while (order->n_own < RH_MOST_OWN && (own = rh_request_next(request, "own", own)))
    order->own[order->n_own++] = own;
}

int rh_sample_read(const rh_child_request *request, rh_sample_order *order, rh_sample_data *data) {
  *order = (rh_sample_order){
      .options = rh_request_options(request),
      .strategy = rh_request_get(request, "strategy"),
      .plugin = rh_request_get(request, "plugin"),
      .what = rh_request_get(request, "what"),
  };
  read_own(request, order);
  if (order->strategy && order->plugin && read_settings(request, order) == 0 &&
      rh_request_fields(request, flags, COUNT(flags), order) == 0 &&
      rh_request_fields(request, places, COUNT(places), data) == 0 &&
      (!order->is_known || rh_request_fields(request, known, COUNT(known), &order->known) == 0))
    return 0;
  free((void *)(uintptr_t)order->settings); /* the type says const */
  order->settings = NULL;
  return -1;
}
