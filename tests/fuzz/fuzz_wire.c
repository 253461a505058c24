/* host/core/plug: a line from a child process that runs untrusted code, as a probe's description of
 * a strategy; and a request to a child. */
#include "../../host/core/plug/plug.h"
#include "fuzz.h"

static void try_entry(const char *line, size_t length) {
  rh_entry entry;
  json_t *json = json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL);
  memset(&entry, 0x55, sizeof entry);
  if (rh_wire_read_entry(json, &entry) == 0) {
    RULE(rh_strategy_name_is_valid(entry.says.name));
    RULE(entry.says.summary && entry.says.about && entry.says.version && entry.says.author &&
         entry.says.license);
    RULE(entry.build && !entry.file && !entry.shadowed_by && entry.says.n_params <= 64);
    for (uint32_t k = 0; k < entry.says.n_params; k++)
      RULE(entry.says.params[k].key && entry.says.params[k].doc);
    for (uint32_t op = 0; op <= RH_N_OPS; op++)
      for (uint32_t type = 0; type <= RH_N_TYPES; type++) {
        const rh_answer *answer = &entry.offers[op][type].answer;
        RULE(memchr(answer->reason, 0, sizeof answer->reason));
      }
    rh_entry_finish(&entry);
  }
  RULE(!entry.says.name && !entry.says.params && !entry.says.n_params);
  json_decref(json);
}

static void try_request(const uint8_t *data, size_t size) {
  rh_child_request request;
  rh_device device;
  uint64_t max_n;
  char *bytes = malloc(size ? size : 1);
  RULE(bytes);
  if (size) memcpy(bytes, data, size);
  if (rh_request_parse(&request, bytes, size) != 0) return;
  size_t length = 0;
  for (const char *path = NULL; (path = rh_request_next(&request, "file", path));)
    length += strlen(path) + sizeof "file=";
  RULE(length < size);
  if (rh_wire_read_request(&request, &device, &max_n) == 0)
    RULE(device.name && device.driver && device.extensions);
  rh_request_finish(&request);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  try_entry((const char *)data, size);
  try_request(data, size);
  return 0;
}
