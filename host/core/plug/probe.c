/* The probe process, which examines plugins, so that a faulty one takes down only this process. */
#include "plug.h"

typedef struct prober {
  rh_device device;
  rh_examiner by;
  rh_describe *describe;
  int channel;
} prober;

static void say_query(void *of_probe, const char *strategy) {
  const prober *probe = of_probe;
  rh_channel_say(probe->channel, json_pack("{s:s, s:s}", "phase", "query", "strategy", strategy));
}

static int examine(const prober *probe, uint32_t k, const char *path) {
  const rh_plugin *plugin;
  rh_error error;
  rh_status status = rh_plugin_open(path, probe->describe, &plugin, &error);
  if (status == RH_OK)
    return rh_channel_say(probe->channel, json_pack("{s:i, s:o}", "plugin", (int)k, "strategies",
                                                    rh_examine_plugin(&probe->by, plugin)));
  return rh_channel_say(probe->channel, json_pack("{s:i, s:i, s:o}", "refused", (int)k, "kind",
                                                  (int)rh_refusal_kind_of(status), "reason",
                                                  rh_json_bytes(error.message)));
}

static int examine_all(const prober *probe, const rh_child_request *request) {
  uint32_t n = 0;
  json_t *hello = json_pack("{s:i}", "redhost-probe", RH_WIRE_VERSION);
  if (rh_channel_say(probe->channel, hello) != 0) return -1;
  for (const char *path = NULL; (path = rh_request_next(request, "file", path)); n++)
    if (examine(probe, n, path) != 0) return -1;
  return rh_channel_say(probe->channel, json_pack("{s:i}", "end", (int)n));
}

int rh_probe_main(rh_find_op *find_op, rh_describe *describe) {
  prober probe = {.by = {.find_op = find_op, .on_query = say_query}, .describe = describe};
  probe.by.device = &probe.device;
  probe.by.user = &probe;
  rh_child_request request;
  int code = 2;
  if (rh_request_receive(&request) != 0) return code;
  if (rh_wire_read_request(&request, &probe.device, &probe.by.max_n) == 0) {
    probe.channel = rh_channel_open(request.parent);
    code = probe.channel < 0 || examine_all(&probe, &request) != 0 ? 3 : 0;
  }
  rh_request_finish(&request);
  return code;
}
