/* The probe process, which examines plugins, so that a faulty one takes down only this process. */
#include "../base/error.h"
#include "../base/json_value.h"
#include "../child/channel.h"
#include "plugin.h"
#include "wire.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PARAMS = 64 };

typedef struct prober {
  rh_device device;
  uint64_t max_n;
  const rh_op *(*find_op)(uint32_t op, rh_type type);
  rh_channel channel;
} prober;

static int send_frame(const prober *probe, json_t *frame) {
  return rh_channel_say(&probe->channel, frame);
}

/* Queries every operator on every type, with the default parameters. */
static void answer_offers(const prober *probe, const rh_strategy *strategy, rh_offers offers) {
  int64_t params[MOST_PARAMS + 1];
  for (uint32_t k = 0; k < strategy->n_params; k++)
    params[k] = rh_strategy_param(strategy, k)->initial;
  rh_wire_clear_offers(offers);
  for (uint32_t op = 1; op <= RH_N_OPS; op++)
    for (rh_type type = 1; type <= RH_N_TYPES; type++) {
      rh_offer *offer = &offers[op][type];
      rh_error error;
      rh_problem problem = {.struct_size = sizeof problem,
                            .type = type,
                            .op = probe->find_op(op, type),
                            .device = &probe->device,
                            .max_n = probe->max_n};
      if (!problem.op) continue;
      offer->status = rh_strategy_query(strategy, &problem, params, &offer->answer, &error);
      if (offer->status >= RH_OK) continue;
      size_t most = sizeof offer->answer.reason - 1;
      offer->status = RH_E_PLUGIN;
      memset(offer->answer.reason, 0, most + 1);
      memcpy(offer->answer.reason, error.message, strnlen(error.message, most));
    }
}

static json_t *describe(const prober *probe, const rh_plugin *plugin, uint32_t k) {
  json_t *strategies = json_array();
  rh_offer(*offers)[RH_N_TYPES + 1] = malloc(sizeof(rh_offers));
  for (uint32_t j = 0; offers && strategies && j < plugin->n_strategies; j++) {
    const rh_strategy *strategy = plugin->strategies[j];
    send_frame(probe, json_pack("{s:s, s:s}", "phase", "query", "strategy", strategy->name));
    answer_offers(probe, strategy, offers);
    if (json_array_append_new(strategies, rh_wire_strategy(strategy, plugin->build, offers)) == 0)
      continue;
    json_decref(strategies);
    strategies = NULL;
  }
  free(offers);
  return json_pack("{s:i, s:o}", "plugin", (int)k, "strategies", strategies);
}

static rh_refusal_kind kind_of(rh_status status) {
  if (status == RH_DECLINED) return RH_REFUSED_BY_INTENT;
  return status == RH_E_PLUGIN ? RH_REFUSED_FOR_FAULT : RH_REFUSED_UNREAD;
}

static int examine(const prober *probe, uint32_t k, const char *path) {
  const rh_plugin *plugin;
  rh_error error;
  if (send_frame(probe, json_pack("{s:i}", "begin", (int)k)) != 0) return -1;
  rh_status status = rh_plugin_open(path, &plugin, &error);
  if (status == RH_OK) return send_frame(probe, describe(probe, plugin, k));
  return send_frame(probe, json_pack("{s:i, s:i, s:o}", "refused", (int)k, "kind",
                                     (int)kind_of(status), "reason", rh_json_bytes(error.message)));
}

static int examine_all(const prober *probe, const rh_child_request *request) {
  uint32_t n = 0;
  if (send_frame(probe, json_pack("{s:i}", "redhost-probe", RH_WIRE_VERSION)) != 0) return -1;
  for (const char *path = NULL; (path = rh_request_next(request, "file", path)); n++)
    if (examine(probe, n, path) != 0) return -1;
  return send_frame(probe, json_pack("{s:i}", "end", (int)n));
}

int rh_probe_main(const rh_op *(*find_op)(uint32_t op, rh_type type)) {
  prober probe = {.find_op = find_op, .channel = {-1}};
  rh_child_request request;
  int code = 2;
  if (rh_request_receive(&request) != 0) return code;
  if (rh_wire_read_request(&request, &probe.device, &probe.max_n) == 0) {
    int failed =
        rh_channel_open(&probe.channel, request.parent) != 0 || examine_all(&probe, &request) != 0;
    code = failed ? 3 : 0;
  }
  rh_channel_close(&probe.channel);
  rh_request_finish(&request);
  return code;
}
