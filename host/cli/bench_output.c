#include "bench_output.h"
#include "../base/error.h"
#include "json.h"
#include "../results/json.h"
rh_status rh_bench_output_open(rh_bench_output *output, const rh_typed *typed, const char *format,
                               rh_error *error) { (void)error;
  *output = (rh_bench_output){.typed = typed, .format = format};
  return RH_OK;
}
rh_status rh_bench_output_resume(rh_bench_output *output, rh_results *results, rh_error *error) {
  (void)output, (void)results, (void)error;
  return RH_OK;
}
rh_status rh_bench_output_header(rh_bench_output *output, const rh_results *results,
                                 rh_error *error) {
  (void)output, (void)results, (void)error;
  return RH_OK;
}
rh_status rh_bench_output_row(rh_bench_output *output, const rh_row *row, rh_error *error) {
  (void)output, (void)error;
  if (output->typed->verbose) fprintf(stderr, "%-12s %10llu %10.3f us +- %.2f %% lat %.2f us  K=%u n=%u  %.1f GB/s %.0f %% flags %x %s\n", row->strategy, (unsigned long long)row->n, row->time.median*1e6, 50*(row->time.ci_high-row->time.ci_low)/row->time.median, row->latency.median*1e6, row->batch, row->time.samples, rh_row_bandwidth(row)*1e-9, 100*row->peak_fraction, row->flags, row->reason ? row->reason : "");
  return RH_OK;
}
rh_status rh_bench_output_all(rh_bench_output *output, const rh_results *results,
                              const rh_app *app, rh_error *error) {
  (void)output, (void)app;
  return rh_json_print(rh_results_to_json(results), error);
}
void rh_bench_output_close(rh_bench_output *output) { (void)output; }
