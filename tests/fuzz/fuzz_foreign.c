/* host/operators/foreign: the description of a foreign function. */
#include "../../host/core/plug/plug.h"
#include "../../host/operators/foreign/foreign.h"
#include "fuzz.h"

static int is_plain(const char *s) { return s && rh_is_plain_utf8(s, strlen(s)); }

static void check_values(const rh_foreign *foreign) {
  uint32_t data = 0, n = 0, results = foreign->returns.role == RH_ROLE_RESULT;
  RULE(foreign->n_arguments <= RH_FOREIGN_MOST_ARGUMENTS);
  for (uint32_t k = 0; k < foreign->n_arguments; k++) {
    const rh_foreign_value *value = &foreign->arguments[k];
    RULE(value->role < RH_N_ROLES && value->type);
    data += value->role == RH_ROLE_DATA;
    n += value->role == RH_ROLE_N;
    results += value->role == RH_ROLE_RESULT;
  }
  RULE(data == 1 && n == 1 && results == 1);
  RULE(foreign->result_type && foreign->base <= 1 && foreign->max_n >= 1);
}

static void check_foreign(const rh_foreign *foreign) {
  RULE(rh_strategy_name_is_valid(foreign->name));
  RULE(is_plain(foreign->summary) && is_plain(foreign->version) && is_plain(foreign->author));
  RULE(is_plain(foreign->license) && is_plain(foreign->library) && is_plain(foreign->symbol));
  RULE(foreign->about && *foreign->library && *foreign->symbol);
  RULE(rh_op_is_defined(foreign->op, foreign->type));
  RULE(foreign->keeps_order <= 1 && foreign->reproducible <= 1);
  RULE(foreign->score >= 0 && foreign->score <= 1000);
  check_values(foreign);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  rh_foreign foreign;
  rh_error error = {0};
  memset(&foreign, 0x55, sizeof foreign);
  rh_status status =
      rh_foreign_read(&foreign, "/a/some.foreign.json", (const char *)data, size, &error);
  if (status == RH_OK) {
    check_foreign(&foreign);
  } else {
    fuzz_check_refusal(status, &error, RH_E_PLUGIN);
    RULE(rh_is_plain_utf8(error.message, strlen(error.message)));
    RULE(!foreign.json);
  }
  rh_foreign_finish(&foreign);
  return 0;
}
