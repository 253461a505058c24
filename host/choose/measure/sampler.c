#include "measure.h"

static const struct {
  const char *name, *words;
} phases[] = {
#define RH_X(name, words) {#name, words},
    RH_PHASE_LIST(RH_X)
#undef RH_X
};

const char *rh_phase_name(rh_phase phase) { return phases[phase].name; }

const char *rh_phase_words(rh_phase phase) { return phases[phase].words; }

int rh_phase_find(const char *name, rh_phase *phase) {
  for (size_t k = 0; k < sizeof phases / sizeof *phases; k++)
    if (strcmp(name, phases[k].name) == 0) {
      *phase = (rh_phase)k;
      return 1;
    }
  return 0;
}

uint64_t rh_bench_data_bytes(const rh_bench_data *data) {
  return data->op->is_custom ? data->custom_bytes : data->n * rh_type_size(data->op->type);
}

rh_status rh_sampler_once(const rh_sampler *sampler, const rh_bench_data *data, rh_result *result,
                          rh_error *error) {
  static const rh_take once = {RH_TAKE_LATENCY, 1};
  rh_opened opened;
  rh_taken taken;
  rh_status status = sampler->open(sampler->self, data, &opened, error);
  if (status == RH_OK) status = sampler->take(sampler->self, &once, &taken, error);
  rh_status closed = sampler->close(sampler->self, status == RH_OK ? error : NULL);
  if (status == RH_OK) *result = taken.result;
  return status == RH_OK ? closed : status;
}
