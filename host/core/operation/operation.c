#include "operation.h"
#include "../base/json_value.h"
#include "../base/path.h"

#include <float.h>
#include <redhost/plugin.h>
#include <stdlib.h>
#include <string.h>

const char *rh_check_name(uint32_t check) {
  static const char *const names[] = {"full", "sampled", "none"};
  return check < sizeof names / sizeof *names ? names[check] : "unknown";
}

/* Of redhost and of the machine, what decides the answer or how values and states are read. */
static int add_version(json_t *to) {
  const char *build = rh_env("REDHOST_BUILD_OPTIONS");
  const uint16_t one = 1;
  unsigned char first;
  memcpy(&first, &one, 1);
  return json_object_set_new(
             to, "version",
             json_sprintf("%s, plugin ABI %d.%d", rh_version(), RH_ABI_MAJOR, RH_ABI_MINOR)) |
         json_object_set_new(to, "machine",
                             json_sprintf("%s byte first, long double of %d bits",
                                          first ? "low" : "high", LDBL_MANT_DIG)) |
         (build ? json_object_set_new(to, "build", rh_json_bytes(build)) : 0);
}

static int add_operator(json_t *to, const rh_operator *op) {
  json_t *constants = op->calls->constants ? op->calls->constants(op) : json_object();
  json_object_del(to, "constants");
  int failed = !constants;
  if (json_object_size(constants)) failed |= json_object_set(to, "constants", constants);
  json_decref(constants);
  return failed | json_object_set_new(to, "name", rh_json_bytes(op->name)) |
         json_object_set_new(to, "operator", json_loads(op->key, 0, NULL));
}

static char *write_line(json_t *text, int failed) {
  char *line = failed ? NULL : json_dumps(text, JSON_COMPACT | JSON_SORT_KEYS);
  json_decref(text);
  return line;
}

char *rh_operation_text(const rh_operation *operation, json_t *more) {
  json_t *text = more ? more : json_object();
  int failed =
      add_version(text) | add_operator(text, operation->op) |
      json_object_set_new(text, "accuracy", json_string(operation->accuracy ? "exact" : "plain")) |
      json_object_set_new(text, "check", json_string(rh_check_name(operation->check)));
  return write_line(text, failed);
}

int rh_operation_is_foreign(const char *text, rh_difference *found) {
  json_t *mine = json_loads(text, 0, NULL);
  char *line = write_line(mine, !mine || add_version(mine));
  int is_foreign = !line || rh_operation_differ(text, line, found);
  free(line);
  return is_foreign;
}
