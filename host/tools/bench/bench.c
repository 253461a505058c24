#include "bench.h"

enum { MOST_DISCARDS = 5 };
/* The number of rounds that must agree, and the number that is enough if they never do. */
enum { FEWEST_ROUNDS = 5, MANY_ROUNDS = 20 };

typedef struct contest {
  const rh_bench_spec *spec;
  rh_contender *contenders;
  uint64_t *order;
  uint64_t random;
  uint32_t rounds, discarded;
  int warned, throttled;
} contest;

rh_row rh_bench_row(const rh_stage *stage, const rh_point *point, const rh_sampler *sampler) {
  const rh_bench_data *data = &point->data;
  const rh_operator *op = data->op;
  rh_row row = {.op = op->is_custom ? 0 : op->base,
                .type = op->operands[0].type,
                .n = data->n,
                .bytes = data->lengths ? rh_lengths_bytes(data->lengths, op)
                                       : data->n * rh_operator_element_bytes(op),
                .is_peer = sampler->is_peer,
                .reproducible = sampler->reproducible,
                .status = RH_ROW_skipped,
                .peak_fraction = NAN};
  if (data->lengths)
    row.segments = (rh_row_segments){data->lengths->kind, data->lengths->length,
                                     data->lengths->layout.segments};
  snprintf(row.device, sizeof row.device, "%s", rh_stage_label(stage));
  snprintf(row.strategy, sizeof row.strategy, "%s", sampler->name);
  if (op->is_custom) snprintf(row.own_op, sizeof row.own_op, "%s", op->name);
  return row;
}

/* Skips a contender if a single run would take longer than a whole point may. */
static rh_status start(contest *p, rh_row *rows, rh_error *error) {
  const rh_bench_spec *spec = p->spec;
  double most_s = spec->rules->max_time_s;
  char reason[128];
  for (uint32_t k = 0; k < spec->n; k++) {
    rh_contender *c = &p->contenders[k];
    *c = (rh_contender){.sampler = &spec->samplers[k], .row = &rows[k], .spec = spec};
    rows[k] = rh_bench_row(spec->stage, spec->point, c->sampler);
    p->order[k] = k;
  }
  for (uint32_t k = 0; k < spec->n; k++) {
    rh_contender *c = &p->contenders[k];
    RH_TRY(spec->on_turn(spec->user, c->sampler->name, error));
    c->done = spec->expected_s && spec->expected_s[k] > most_s;
    if (c->done)
      snprintf(reason, sizeof reason, "one run would take about %.2g s; --max-time allows %.3g s",
               spec->expected_s[k], most_s);
    RH_TRY(c->done ? rh_row_note(c->row, RH_ROW_skipped, reason, error)
                   : rh_contender_start(c, error));
  }
  return RH_OK;
}

/* Fisher-Yates. */
void rh_shuffle(uint64_t *list, uint32_t n, uint64_t *random) {
  for (uint32_t k = n; k > 1; k--) {
    uint64_t with = rh_random_next(random) % k, kept = list[k - 1];
    list[k - 1] = list[with];
    list[with] = kept;
  }
}

/* ---- Rounds ---- */

static void forget_round(rh_contender *c) {
  if (c->done || c->n_rounds < 2) return; /* keep at least one round */
  c->n_rounds--;
  c->n_samples -= c->n_last;
}

static void use_host_clock(rh_contender *c) {
  c->host_only = 1;
  c->n_samples = c->n_rounds = c->n_host = c->n_latency = 0;
  c->spent_s = 0;
}

/* Over the last few rounds only: the span over all rounds could only grow. */
static double span_of_rounds(const rh_contender *c) {
  double least = INFINITY, most = 0;
  for (uint32_t k = c->n_rounds - FEWEST_ROUNDS; k < c->n_rounds; k++) {
    least = fmin(least, c->rounds[k]);
    most = fmax(most, c->rounds[k]);
  }
  return least > 0 ? most / least - 1 : INFINITY;
}

/* Is the precision reached, or the time over? */
static int is_settled(const rh_contender *c) {
  const rh_bench_rules *rules = c->spec->rules;
  if (c->n_samples == 0) return 0;
  if (c->spent_s >= rules->max_time_s || c->n_rounds == RH_MAX_ROUNDS) return 1;
  if (c->n_samples >= rules->max_samples) return 1;
  if (c->n_samples < rules->min_samples || c->n_rounds < FEWEST_ROUNDS) return 0;
  rh_spread spread = rh_spread_of(c->samples, c->n_samples);
  double wider = rh_spread_precision(&spread) / rules->precision;
  if (wider <= 1) return span_of_rounds(c) <= 2 * rules->precision || c->n_rounds >= MANY_ROUNDS;
  /* The interval shrinks with the square root of the number of samples.  Stop if the precision
   * cannot be reached in time. */
  return c->n_samples >= 2 * rules->min_samples && c->spent_s * wider * wider > rules->max_time_s;
}

/* Compares minimum times, since noise can only lengthen a time, with a safety margin in both
 * directions: a noisy machine is not a broken clock.  The host's batch may legitimately be
 * longer, because some drivers (PoCL) start nothing before everything is enqueued, and because
 * it includes one wait. */
static int clocks_differ(const rh_contender *c) {
  double launch_s = c->spec->stage->bench_device.calibration.launch_s;
  if (c->n_host < 5 || c->host_only) return 0;
  rh_spread device = rh_spread_of(c->samples, c->n_samples);
  rh_spread latency = rh_spread_of(c->latency, c->n_latency);
  rh_spread host = rh_spread_of(c->host, c->n_host);
  /* up to 5 % more has been observed with correct clocks */
  int too_long = device.min > 1.1 * host.median;
  double enqueueing_s = 1.5 * launch_s * (c->opened.launches + 1);
  double waiting_s = fmax(0, latency.median - device.median) / c->batch;
  double running_s = host.min - enqueueing_s - waiting_s;
  int too_short = device.median >= 20e-6 && device.median < 0.9 * running_s;
  return too_long || too_short;
}

static void pause_s(double seconds) {
  struct timespec time = {(time_t)seconds, (long)((seconds - floor(seconds)) * 1e9)};
  nanosleep(&time, NULL);
}

/* Discards the round and pauses if the device has become slower, up to a limit. */
static rh_status check_throttling(contest *p, int *counts, rh_error *error) {
  rh_stage *stage = p->spec->stage;
  int slower = 0;
  *counts = 1;
  if (!stage->device) return RH_OK;
  RH_TRY(rh_bench_device_is_throttled(&stage->bench_device, &slower, error));
  if (!slower) return RH_OK;
  if (p->discarded == MOST_DISCARDS) {
    p->throttled = 1; /* the round counts, but is flagged */
    return RH_OK;
  }
  if (stage->device->about.kind != RH_DEVICE_CPU) /* where other processes keep running */
    pause_s(fmin(0.05 * (1 << p->discarded), 0.5));
  p->discarded++;
  *counts = 0;
  return RH_OK;
}

/* The driver's times contradict the host's clock, so the host's clock is used. */
static void switch_to_host_clock(contest *p) {
  rh_stage *stage = p->spec->stage;
  if (stage->device) rh_bench_device_use_host_clock(&stage->bench_device);
  if (!p->warned)
    rh_log(&stage->context->options.reporter, RH_LOG_WARNING,
           "the device's clock contradicts the host's; from here on, times are measured with "
           "the host's clock");
  p->warned = 1;
  for (uint32_t k = 0; k < p->spec->n; k++) {
    rh_contender *c = &p->contenders[k];
    if (!c->done && !c->opened.host_clock && !c->sampler->is_peer) use_host_clock(c);
  }
}

static rh_status finish_settled(contest *p, rh_error *error) {
  for (uint32_t k = 0; k < p->spec->n; k++) {
    rh_contender *c = &p->contenders[k];
    if (c->done || !is_settled(c)) continue;
    if (clocks_differ(c)) {
      if (c->sampler->is_peer) use_host_clock(c);
      else switch_to_host_clock(p);
      continue;
    }
    RH_TRY(rh_contender_sum_up(c, error));
  }
  return RH_OK;
}

static rh_status one_round(contest *p, rh_error *error) {
  const rh_bench_spec *spec = p->spec;
  int counts;
  /* In a fixed order, each contender would always run with its predecessor's cache contents and
   * clock rate. */
  rh_shuffle(p->order, spec->n, &p->random);
  p->rounds++;
  for (uint32_t k = 0; k < spec->n; k++) {
    rh_contender *c = &p->contenders[p->order[k]];
    if (c->done) continue;
    RH_TRY(spec->on_turn(spec->user, c->sampler->name, error));
    RH_TRY(rh_contender_round(c, error));
  }
  RH_TRY(check_throttling(p, &counts, error));
  for (uint32_t k = 0; k < spec->n; k++) {
    rh_contender *c = &p->contenders[k];
    if (!counts) forget_round(c);
    if (p->throttled) c->throttled = 1;
  }
  return finish_settled(p, error);
}

static rh_status rounds(contest *p, rh_error *error) {
  if (!p->spec->rules->once) {
    RH_TRY(finish_settled(p, error)); /* a slow run may be enough */
    for (uint32_t k = 0; k < p->spec->n;)
      if (p->contenders[k].done) k++;
      else RH_TRY(one_round(p, error));
  }
  for (uint32_t k = 0; k < p->spec->n; k++) /* --once: the one run was part of the start */
    if (!p->contenders[k].done) RH_TRY(rh_contender_sum_up(&p->contenders[k], error));
  return RH_OK;
}

static void leave_point(contest *p) {
  for (uint32_t k = 0; k < p->spec->n; k++) {
    rh_contender *c = &p->contenders[k];
    if (!c->row) continue;
    rh_contender_close(c);
    if (!c->done && !c->row->reason) rh_row_note(c->row, RH_ROW_skipped, "interrupted", NULL);
  }
}

/* ---- Exact data, whose result is the same in every order of operations ---- */

/* Serial numbers from here on belong to exact data. */
#define EXACT_SERIAL ((uint64_t)1 << 63)

static rh_status end_row(rh_row *row, uint32_t status, const char *reason, rh_error *error) {
  row->time = row->latency = (rh_spread){0};
  row->n_raw = row->n_rounds = 0;
  json_object_del(row->facts, "parts");
  row->peak_fraction = (double)NAN;
  return rh_row_note(row, status, reason, error);
}

static void note_check(rh_row *row, const char *key, const char *text) {
  json_object_set_new(json_object_get(row->facts, "check"), key, json_string(text));
}

/* The bound alone is not a check, so the result is not judged. */
static void not_tried(rh_row *row) {
  note_check(row, "exact_data", "not tried");
  row->unjudged = 1;
}

static rh_status confirm(const rh_contender *c, const rh_bench_data *data,
                         const rh_exact_data *exact, rh_error *error) {
  rh_error why = {0};
  rh_result result;
  char got[64], expected[64], reason[320];
  rh_row *row = c->row;
  rh_status status = rh_sampler_once(c->sampler, data, &result, &why);
  if (status == RH_E_CANCELLED) return rh_error_pass(error, status, &why);
  if (rh_exact_data_is_too_much(status)) {
    not_tried(row);
    return RH_OK;
  }
  if (status != RH_OK) return end_row(row, RH_ROW_failed, why.message, error);
  int agrees = rh_exact_data_agrees(exact, &result);
  note_check(row, "exact_data", agrees ? "ok" : "wrong");
  if (agrees) return RH_OK;
  rh_format_answer(got, &result);
  rh_format_answer(expected, &exact->reference.result);
  note_check(row, "value", got);
  note_check(row, "reference", expected);
  snprintf(reason, sizeof reason, "returned %s, expected %s (exact data at this n)", got, expected);
  return end_row(row, RH_ROW_wrong, reason, error);
}

static int is_due(const rh_contender *c) {
  return c->row && c->row->status == RH_ROW_ok && c->is_weak;
}

/* Once the contenders are closed: each, peers included, that is `ok' by a weak verdict only runs
 * once more on exact data of the same size.  A different result makes its row `wrong'. */
static rh_status confirm_weak(const rh_bench_spec *spec, const rh_contender *contenders,
                              rh_error *error) {
  rh_point *point = spec->point;
  const rh_operator *op = point->data.op;
  rh_exact_data exact;
  int made = 0;
  for (uint32_t k = 0; k < spec->n && op->is_custom; k++)
    if (is_due(&contenders[k])) not_tried(contenders[k].row); /* none are known */
  if (op->is_custom || point->data.lengths) return RH_OK;
  for (uint32_t k = 0; k < spec->n; k++) {
    if (!is_due(&contenders[k])) continue;
    point->is_overwritten = 1;
    if (!made)
      RH_TRY(rh_exact_data_overwrite(&exact, &point->array, op,
                                     &spec->stage->context->options.reporter, error));
    made = 1;
    RH_TRY(spec->on_turn(spec->user, contenders[k].sampler->name, error));
    rh_bench_data data = point->data;
    data.elements = rh_array_data(&exact.array);
    data.serial |= EXACT_SERIAL;
    data.copies = 1;
    RH_TRY(confirm(&contenders[k], &data, &exact, error));
  }
  return RH_OK;
}

/* ---- The point ---- */

rh_status rh_bench_point(const rh_bench_spec *spec, rh_row *rows, rh_error *error) {
  const rh_stage *stage = spec->stage;
  const rh_bench_data *data = &spec->point->data;
  RH_FREED(rh_contender) contenders = NULL;
  RH_FREED(uint64_t) order = NULL;
  RH_TRY(RH_NEW(&contenders, spec->n + 1, "a point", error));
  RH_TRY(RH_NEW(&order, spec->n + 1, "a point", error));
  contest p = {.spec = spec,
               .contenders = contenders,
               .order = order,
               .random = stage->settings->seed ^ data->n ^ (uint64_t)data->op->base << 56};
  rh_status status = start(&p, rows, error);
  double started = rh_now();
  if (status == RH_OK) status = rounds(&p, error);
  rh_log(&stage->context->options.reporter, RH_LOG_INFO,
         "n = %llu: %u rounds, %u of them discarded, %.2f s", (unsigned long long)data->n, p.rounds,
         p.discarded, rh_now() - started);
  leave_point(&p);
  if (status != RH_OK || spec->rules->once) return status;
  return confirm_weak(spec, contenders, error);
}

void rh_bench_copies(rh_bench_data *data, uint64_t cold_bytes, uint64_t align) {
  uint64_t bytes = rh_bench_data_bytes(data);
  data->stride = (bytes + align - 1) / align * align;
  if (data->stride == 0) data->stride = align;
  data->copies = cold_bytes / data->stride;
  if (data->copies == 0) data->copies = 1;
}
