#include "bench.h"

/* ---- Progress ---- */

/* A point takes at least 20 samples of a millisecond and their overhead; a large one takes some
 * 30 runs at a rate well below the peak. */
static double weight(const rh_stage *stage, uint64_t bytes) {
  double read_peak = stage->bench_device.calibration.read_peak;
  double runs = read_peak > 0 ? 30 * (double)bytes / (0.4 * read_peak) : 0;
  return 0.06 + fmin(runs, stage->settings->rules.max_time_s);
}

/* ---- One point ---- */

/* Of one sampler, at one point? */
static int is_at(const rh_row *row, const rh_row *at) {
  return rh_row_point_order(row, at) == 0 && strcmp(row->strategy, at->strategy) == 0;
}

static const rh_row *find_row(const rh_bench_runner *r, const rh_row *at) {
  for (uint32_t k = 0; k < r->results->n_rows; k++)
    if (is_at(&r->results->rows[k], at)) return &r->results->rows[k];
  return NULL;
}

/* The row, nearer to `at` in size than *nearest, that was measured. */
static void look_for_nearest(const rh_records *in, const rh_row *at, const rh_row **nearest) {
  for (uint32_t k = 0; k < in->n_rows; k++) {
    const rh_row *row = &in->rows[k];
    rh_row like = *at;
    like.n = row->n;
    like.segments.length = row->segments.length;
    if (row->n >= at->n || row->n < 65536 || !rh_row_is_timed(row) || !is_at(row, &like)) continue;
    if (!*nearest || row->n > (*nearest)->n) *nearest = row;
  }
}

/* The time of one run, extrapolated linearly from the largest size that was measured. */
static double expected_s(const rh_bench_runner *r, const rh_row *at) {
  const rh_row *nearest = NULL;
  look_for_nearest(r->results, at, &nearest);
  look_for_nearest(&r->parts, at, &nearest);
  return nearest ? nearest->time.median * ((double)at->n / (double)nearest->n) : 0;
}

/* Is a wrong result the operator's fault?  Then the row says that. */
static int is_the_operators(const rh_bench_runner *r, rh_row *row) {
  rh_error why = {0};
  const rh_bench_data *data = &r->point.data;
  const rh_job_spec *problem = &r->point.problem;
  const void *operands[RH_MOST_OPERANDS];
  const rh_job_part all = {operands, 0, data->n, data->n, 0, 0};
  rh_job_operands_at(problem, data->elements, operands);
  if (rh_job_trust_on(r->stage->context, problem, &all, &why) == RH_OK) return 0;
  rh_row_note(row, RH_ROW_failed, why.message, NULL);
  return 1;
}

/* `auto` must no longer choose a strategy whose result was wrong, unless the operator is at
 * fault. */
static void blame(const rh_bench_runner *r, rh_row *row) {
  const rh_stage *stage = r->stage;
  if (row->status != RH_ROW_wrong || row->is_peer || is_the_operators(r, row)) return;
  for (uint32_t k = 0; k < stage->n_found; k++)
    if (strcmp(stage->found[k].name, row->strategy) == 0)
      rh_context_blame(stage->context, row->strategy, stage->found[k].path, r->point.data.op,
                       row->n);
}

static rh_status keep_row(rh_bench_runner *r, rh_row *row, rh_error *error) {
  rh_status status = r->on_row(r->user, row, error);
  rh_status kept = rh_records_add(r->results, row, status == RH_OK ? error : NULL);
  return status == RH_OK ? kept : status;
}

static uint32_t processes_of(const rh_bench_runner *r) { return r->stage->settings->processes; }

static rh_status keep_rows(rh_bench_runner *r, rh_row *rows, uint32_t n, rh_error *error) {
  rh_status status = RH_OK;
  for (uint32_t k = 0; k < n; k++) {
    blame(r, &rows[k]);
    rh_error *why = status == RH_OK ? error : NULL;
    rh_status kept = processes_of(r) == 1 ? keep_row(r, &rows[k], why)
                                          : rh_records_add(&r->parts, &rows[k], why);
    if (status == RH_OK) status = kept;
  }
  return status;
}

/* ---- Several processes ---- */

/* The point's rows, one of each process; an interrupted one only if there is no other. */
static uint32_t collect_parts(const rh_bench_runner *r, const rh_row *at,
                              const rh_row *list[RH_MAX_PROCESSES]) {
  uint32_t n = 0;
  const rh_row *skipped = NULL;
  for (uint32_t k = 0; k < r->parts.n_rows && n < RH_MAX_PROCESSES; k++) {
    const rh_row *row = &r->parts.rows[k];
    if (!is_at(row, at)) continue;
    if (row->status == RH_ROW_skipped) skipped = row;
    else list[n++] = row;
  }
  if (!n && skipped) list[n++] = skipped;
  return n;
}

/* The rows of a point, after the last process; null: of all that an interrupted benchmark measured,
 * in fewer processes.  on_row does not get those: --resume measures them again. */
static rh_status deliver(rh_bench_runner *r, const rh_row *at, rh_error *error) {
  for (uint32_t k = 0; k < r->parts.n_rows; k++) {
    const rh_row *part = &r->parts.rows[k], *list[RH_MAX_PROCESSES];
    rh_row row;
    if (find_row(r, part) || (at && rh_row_point_order(part, at) != 0)) continue;
    uint32_t n = collect_parts(r, part, list);
    RH_TRY(rh_merge_processes(list, n, processes_of(r), &row, error));
    RH_TRY(at ? keep_row(r, &row, error) : rh_records_add(r->results, &row, error));
  }
  return RH_OK;
}

/* ---- Measuring a point ---- */

static rh_status on_turn(void *user, const char *sampler, rh_error *error) {
  const rh_bench_runner *r = user;
  double spent = rh_now() - r->started, left = r->weight_total - r->weight_done;
  rh_bench_turn turn = {.done = r->done,
                        .total = r->total,
                        .left_s = r->weight_done > 0 ? spent * left / r->weight_done : left,
                        .n = r->point.data.n,
                        .strategy = sampler};
  return r->on_turn(r->user, &turn, error);
}

static rh_status measure(rh_bench_runner *r, rh_sampler *samplers, const double *expected,
                         uint32_t n, rh_error *error) {
  RH_FREED(rh_row) rows = NULL;
  RH_TRY(RH_NEW(&rows, n, "a point", error));
  const rh_bench_spec spec = {.stage = r->stage,
                              .point = &r->point,
                              .rules = &r->stage->settings->rules,
                              .samplers = samplers,
                              .n = n,
                              .expected_s = expected,
                              .on_turn = on_turn,
                              .user = r};
  rh_status status = rh_bench_point(&spec, rows, error);
  rh_status kept = keep_rows(r, rows, n, status == RH_OK ? error : NULL);
  return status != RH_OK ? status : kept;
}

/* Measures all samplers that have no row yet. */
static rh_status measure_point(rh_bench_runner *r, rh_error *error) {
  uint32_t n = 0, all = r->stage->n_samplers;
  rh_row at = {0};
  RH_FREED(rh_sampler) samplers = NULL;
  RH_FREED(double) expected = NULL;
  RH_TRY(RH_NEW(&samplers, all + 1, "a point", error));
  RH_TRY(RH_NEW(&expected, all + 1, "a point", error));
  for (uint32_t k = 0; k < all; k++) {
    const rh_sampler *sampler = &r->stage->samplers[k];
    at = rh_bench_row(r->stage, &r->point, sampler);
    const rh_row *parts[RH_MAX_PROCESSES];
    uint32_t n_parts = collect_parts(r, &at, parts);
    /* Points that the resumed file already contains are not measured again, nor is one in the next
     * process that failed in one. */
    if (find_row(r, &at) || (n_parts && parts[n_parts - 1]->status != RH_ROW_ok)) continue;
    samplers[n] = *sampler;
    expected[n++] = expected_s(r, &at);
  }
  if (n) RH_TRY(rh_point_reference(&r->point, r->stage, error));
  if (n) RH_TRY(measure(r, samplers, expected, n, error));
  if (r->process == processes_of(r)) RH_TRY(deliver(r, &at, error));
  r->done += all;
  r->weight_done += all * weight(r->stage, rh_bench_data_bytes(&r->point.data));
  return RH_OK;
}

/* ---- All points ---- */

static rh_status measure_all(rh_bench_runner *r, rh_error *error) {
  for (rh_bench_at at = {.t = 0}; rh_bench_next(r->stage->settings, &at);) {
    RH_TRY(rh_point_fill(&r->point, r->stage, &at.problem, error));
    RH_TRY(rh_point_cut(&r->point, r->stage, &at.cut, error));
    RH_TRY(measure_point(r, error));
  }
  return RH_OK;
}

rh_status rh_bench_run(rh_bench_runner *r, rh_error *error) {
  const rh_bench_settings *settings = r->stage->settings;
  uint32_t runs = r->stage->n_samplers * settings->processes;
  rh_status status = RH_OK;
  r->started = rh_now();
  for (rh_bench_at at = {.t = 0}; rh_bench_next(settings, &at);) {
    const rh_operation *of = &at.problem.operation;
    r->total += runs;
    r->weight_total += runs * weight(r->stage, of->n * rh_operator_element_bytes(of->op));
  }
  if (processes_of(r) == 1) return measure_all(r, error);
  /* All points in one process, then all in the next: so the processes of a point are spread over
   * the whole time, and what drifts slowly shows between them. */
  for (r->process = 1; r->process <= processes_of(r) && status == RH_OK; r->process++) {
    if (r->process > 1) status = rh_stage_renew(r->stage, error);
    if (status == RH_OK) status = measure_all(r, error);
  }
  rh_status delivered = deliver(r, NULL, status == RH_OK ? error : NULL);
  return status != RH_OK ? status : delivered;
}

void rh_bench_runner_finish(rh_bench_runner *runner) {
  rh_records_finish(&runner->parts);
  rh_point_finish(&runner->point);
}
