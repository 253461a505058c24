#include "measure.h"

const char *rh_phase_words(rh_phase phase) {
#define RH_X(name, words) words,
  static const char *const words[] = {RH_PHASE_LIST(RH_X)};
#undef RH_X
  return words[phase];
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
