#include "bench_plan.h"
#include "../core/base/json_value.h"
#include "../tools/bench/pace.h"
#include "../tools/bench/problem.h"
#include "plain.h"
#include "table.h"

#include <stdio.h>

static void print_sizes(const rh_bench_settings *settings, uint32_t t) {
  char first[32], last[32];
  uint32_t n = settings->n_sizes[t];
  rh_format_size(first, settings->sizes[t][0]);
  rh_format_size(last, settings->sizes[t][n - 1]);
  if (n == 1)
    printf("%s", first);
  else
    printf("%u sizes from %s to %s", n, first, last);
}

static int shares_memory(const rh_stage *stage) {
  return stage->device && stage->device->shares_memory;
}

static void print_lengths(const rh_bench_settings *settings) {
  char first[32], last[32];
  if (!settings->n_lengths) return;
  rh_format_size(first, settings->lengths[0]);
  rh_format_size(last, settings->lengths[settings->n_lengths - 1]);
  printf("segments    %u lengths from %s to %s:", settings->n_lengths, first, last);
  for (uint32_t k = 0; k < settings->distributions.n; k++)
    printf(" %s", rh_lengths_name(settings->distributions.list[k]));
  printf("\n");
}

/* The copies, the original data, and the scratch memory of sweeps. *of_device is 0 if the device
 * shares the host's memory. */
static void estimate_memory(const rh_stage *stage, uint64_t *of_host, uint64_t *of_device) {
  const rh_bench_settings *settings = stage->settings;
  uint64_t most = 0, cold = RH_COLD_BYTES;
  for (uint32_t t = 0; t < settings->types.n; t++) {
    uint64_t bytes =
        settings->sizes[t][settings->n_sizes[t] - 1] * rh_bench_element_bytes(settings, t);
    if (bytes > most) most = bytes;
  }
  uint64_t copies = settings->hot || most > cold ? most : cold;
  int on_host = !stage->device || shares_memory(stage);
  *of_host = most + (on_host ? copies + cold : 0);
  *of_device = on_host ? 0 : copies + 2 * cold;
}

static void print_memory(const rh_stage *stage) {
  char text[32];
  uint64_t host, device;
  estimate_memory(stage, &host, &device);
  printf("memory      about %s of the host's", rh_format_bytes(text, host));
  if (device) printf(", %s of the device's", rh_format_bytes(text, device));
  printf("\n");
}

static double least_s(const rh_bench_pace *pace) {
  return 0.06 * pace->total;
}

static double most_s(const rh_bench_pace *pace) {
  return (0.5 + pace->max_time_s) * pace->total;
}

void rh_bench_plan_print(const rh_stage *stage) {
  const rh_bench_settings *settings = stage->settings;
  rh_bench_pace pace;
  rh_bench_pace_begin(&pace, stage);
  if (stage->device)
    printf("device      %s %s\n", stage->device->label, rh_plain(stage->device->name));
  else
    printf("device      none: host strategies only\n");
  printf("strategies ");
  for (uint32_t k = 0; k < stage->n_found; k++) printf(" %s", stage->found[k].name);
  for (uint32_t k = 0; k < stage->n_peers; k++)
    for (uint32_t j = 0; j < rh_peers_count(stage->peers[k]); j++)
      printf(" %s", rh_peers_sampler(stage->peers[k], j).name);
  printf("\n");
  for (uint32_t t = 0; t < settings->types.n; t++) {
    printf("points      %s:", rh_type_name(settings->types.list[t]));
    for (uint32_t k = 0; k < settings->ops.n; k++)
      if (rh_bench_is_defined(settings, t, settings->ops.list[k]))
        printf(" %s", rh_bench_op_name(settings, settings->ops.list[k]));
    printf(", ");
    print_sizes(settings, t);
    printf("\n");
  }
  print_lengths(settings);
  printf("            %u in all, %s", pace.total / settings->processes,
         settings->hot ? "hot" : "cold");
  if (settings->processes > 1) printf(", each in %u processes", settings->processes);
  printf("\n");
  print_memory(stage);
  printf("time        %.0f s at the least, %.0f s at the most\n", least_s(&pace), most_s(&pace));
}

static json_t *integer(uint64_t number) {
  return json_integer((json_int_t)number);
}

static json_t *names_of(const rh_stage *stage) {
  json_t *names = json_array();
  for (uint32_t k = 0; k < stage->n_found; k++)
    json_array_append_new(names, json_string(stage->found[k].name));
  for (uint32_t k = 0; k < stage->n_peers; k++)
    for (uint32_t j = 0; j < rh_peers_count(stage->peers[k]); j++)
      json_array_append_new(names, json_string(rh_peers_sampler(stage->peers[k], j).name));
  return names;
}

static json_t *points_of(const rh_bench_settings *settings, uint32_t t) {
  const char *type = rh_type_name(settings->types.list[t]);
  json_t *ops = json_array(), *sizes = json_array();
  for (uint32_t k = 0; k < settings->ops.n; k++)
    if (rh_bench_is_defined(settings, t, settings->ops.list[k]))
      json_array_append_new(ops, json_string(rh_bench_op_name(settings, settings->ops.list[k])));
  for (uint32_t k = 0; k < settings->n_sizes[t]; k++)
    json_array_append_new(sizes, integer(settings->sizes[t][k]));
  return json_pack("{s:s, s:o, s:o}", "type", type, "ops", ops, "n", sizes);
}

json_t *rh_bench_plan_json(const rh_stage *stage) {
  const rh_bench_settings *settings = stage->settings;
  rh_bench_pace pace;
  uint64_t host, device;
  json_t *points = json_array();
  rh_bench_pace_begin(&pace, stage);
  estimate_memory(stage, &host, &device);
  for (uint32_t t = 0; t < settings->types.n; t++)
    json_array_append_new(points, points_of(settings, t));
  return json_pack("{s:s, s:o, s:o, s:i, s:i, s:s, s:o, s:o, s:o, s:o}", "device",
                   rh_stage_label(stage), "strategies", names_of(stage), "points", points, "total",
                   (int)(pace.total / settings->processes), "processes", (int)settings->processes,
                   "cache", settings->hot ? "hot" : "cold", "host_bytes", integer(host),
                   "device_bytes", integer(device), "least_s", rh_json_number(least_s(&pace)),
                   "most_s", rh_json_number(most_s(&pace)));
}
