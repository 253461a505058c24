#include "bench.h"

/* Much longer than the clock's declared step (1 us on NVIDIA), and too short to fill the
 * driver's queue. */
static const double batch_s = 1e-3;
enum { MOST_COMMANDS = 256, MOST_HOST_CALLS = 1 << 20 };
/* for slower runs, every run counts, and a round has one sample */
static const double slow_s = 0.05;
static const double warm_up_s = 0.1;

/* ---- Ending ---- */

void rh_contender_close(rh_contender *c) {
  if (c->open) c->sampler->close(c->sampler->self, NULL); /* the measured samples are kept */
  c->open = 0;
}

rh_status rh_row_note(rh_row *row, uint32_t status, const char *reason, rh_error *error) {
  free(row->reason);
  row->status = status;
  return rh_copy(&row->reason, reason, "a row", error);
}

static rh_status end_row(rh_contender *c, uint32_t status, const char *reason, rh_error *error) {
  c->done = 1;
  rh_contender_close(c);
  return rh_row_note(c->row, status, reason, error);
}

/* Most failures end the point for this contender; some end the benchmark. */
static rh_status fail(rh_contender *c, const rh_error *why, rh_error *error) {
  if (why->status == RH_E_CANCELLED || why->status == RH_E_NOMEM)
    return rh_error_pass(error, why->status, why);
  int declined =
      why->status == RH_DECLINED || why->status == RH_E_DEVICE || why->status == RH_E_USAGE;
  return end_row(c, declined ? RH_ROW_unsupported : RH_ROW_failed, why->message, error);
}

/* Of the row, which takes it over. */
static void note(rh_contender *c, const char *key, json_t *fact) {
  json_object_set_new(c->row->facts, key, fact);
}

/* ---- Judging ---- */

static int same_result(const rh_result *a, const rh_result *b) {
  if (a->n_fields != b->n_fields) return 0;
  for (uint32_t k = 0; k < a->n_fields; k++)
    if (a->fields[k].value.u != b->fields[k].value.u) return 0;
  return a->type == b->type && a->indexed == b->indexed && a->value.u == b->value.u &&
         (!a->indexed || a->index == b->index);
}

/* Checks every answer.  One with the same bits as an answer that passed before passes, too. */
static rh_status judge_result(rh_contender *c, const rh_result *result, rh_error *error) {
  rh_verdict verdict;
  char got[64], exact[64], reason[512];
  const rh_reference *reference = &c->spec->point->reference;
  const rh_cl_device *device = c->spec->stage->device;
  int is_f64 = c->spec->point->data.op->type == RH_TYPE_f64;
  if (c->has_judged && same_result(&c->judged, result)) return RH_OK;
  uint32_t flushes = device ? is_f64 ? device->flushes_f64 : device->flushes_f32 : 0;
  rh_reference_judge(reference, result, c->opened.depth, (int)flushes, &verdict);
  rh_format_answer(got, result);
  rh_format_answer(exact, &reference->answer);
  note(c, "check",
       rh_json("value:s reference:s error_ulp:f bound_fraction:f", got, exact, verdict.error_ulp,
               verdict.bound > 0 ? verdict.error / verdict.bound : (double)NAN));
  c->row->unjudged = verdict.verdict == RH_VERDICT_UNJUDGED;
  c->is_weak |= verdict.weak;
  c->judged = *result;
  c->has_judged = 1;
  if (verdict.verdict != RH_VERDICT_WRONG) return RH_OK;
  snprintf(reason, sizeof reason, "returned %s, expected %s (%s)", got, exact, verdict.text);
  return end_row(c, RH_ROW_wrong, reason, error);
}

/* Segments are judged after the first sample and after the last. */
static rh_status judge_segments(rh_contender *c, rh_error *error) {
  rh_segments *segments = &c->spec->point->segments;
  rh_segments_check check;
  rh_error why = {0};
  char got[64], exact[64], reason[512];
  rh_status status = c->sampler->values(c->sampler->self, segments->values, &why);
  segments->job.answer.depth = c->opened.depth;
  if (status == RH_OK) status = rh_segments_judge(segments, 0, &check, &why);
  if (status == RH_E_WRONG) return end_row(c, RH_ROW_wrong, why.message, error);
  if (status != RH_OK) return fail(c, &why, error);
  c->row->unjudged = check.unjudged > 0;
  c->has_judged = 1;
  if (!check.is_wrong) return RH_OK;
  snprintf(reason, sizeof reason, "segment %llu: returned %s, expected %s (%s)",
           (unsigned long long)check.wrong, rh_format_answer(got, &check.got),
           rh_format_answer(exact, &check.expected), check.verdict.text);
  return end_row(c, RH_ROW_wrong, reason, error);
}

/* ---- Samples ---- */

/* Takes and checks one sample.  If it fails, the contender is done and *seconds is 0. */
static rh_status sample(rh_contender *c, uint32_t kind, double *seconds, rh_error *error) {
  rh_error why = {0};
  rh_taken taken;
  const rh_take how = {kind, kind == RH_TAKE_LATENCY ? 1 : c->batch};
  double start = rh_now();
  *seconds = 0;
  rh_status status = c->sampler->take(c->sampler->self, &how, &taken, &why);
  c->spent_s += rh_now() - start;
  if (status != RH_OK) return fail(c, &why, error);
  if (kind == RH_TAKE_DEVICE) c->opened.host_clock = !taken.stamped;
  if (!c->spec->point->data.lengths) RH_TRY(judge_result(c, &taken.result, error));
  else if (!c->has_judged) RH_TRY(judge_segments(c, error));
  *seconds = taken.seconds;
  return RH_OK;
}

static uint32_t headline(const rh_contender *c) {
  return c->host_only ? RH_TAKE_HOST : RH_TAKE_DEVICE;
}

static void choose_batch(rh_contender *c) {
  double wanted = ceil(batch_s / c->about_s);
  double least = c->about_s < 5e-3 ? 2 : 1;
  uint32_t launches = c->opened.launches ? c->opened.launches : 1;
  double most = c->opened.host_clock ? MOST_HOST_CALLS : MOST_COMMANDS / launches;
  if (wanted < least) wanted = least;
  if (wanted > most) wanted = most;
  c->batch = wanted < 1 ? 1 : (uint32_t)wanted;
}

/* For slow contenders, every run counts, unless the first one took long to prepare. */
static rh_status keep_slow(rh_contender *c, double latency, double seconds, rh_error *error) {
  c->samples[0] = c->rounds[0] = seconds;
  c->n_samples = c->n_rounds = c->n_last = 1;
  if (latency > 1.25 * seconds) RH_TRY(sample(c, RH_TAKE_LATENCY, &latency, error));
  if (!c->done) c->latency[c->n_latency++] = latency;
  return RH_OK;
}

/* Runs until two consecutive samples agree: clock rates rise, and pages are touched for the
 * first time.  Some drivers finish compiling in the first run. */
static rh_status warm_up(rh_contender *c, rh_error *error) {
  double before = 0, latency, seconds;
  RH_TRY(sample(c, RH_TAKE_LATENCY, &latency, error));
  if (c->done) return RH_OK;
  c->batch = 1;
  double start = rh_now();
  for (int k = 0; k < 64; k++) {
    RH_TRY(sample(c, headline(c), &seconds, error));
    if (c->done) return RH_OK;
    c->about_s = seconds > 0 ? seconds : 1e-9;
    if (seconds > slow_s) return keep_slow(c, latency, seconds, error);
    choose_batch(c);
    if (k >= 2 && fabs(seconds - before) <= 0.02 * before) break;
    if (rh_now() - start > warm_up_s) break;
    before = seconds;
  }
  return RH_OK;
}

/* "256" is a number, "0256" and "device" are words. */
static json_t *param_value(const char *text) {
  char *end, back[32];
  long long number = strtoll(text, &end, 10);
  snprintf(back, sizeof back, "%lld", number);
  return strcmp(back, text) == 0 ? json_integer(number) : rh_json_bytes(text);
}

/* {"tile": 256, "finish": "device"} of "tile=256 finish=device" */
static json_t *params_of(const char *text) {
  json_t *params = json_object();
  char copy[sizeof((rh_opened *)0)->params], *rest = copy;
  snprintf(copy, sizeof copy, "%s", text);
  for (char *word; (word = strsep(&rest, " "));) {
    char *equals = strchr(word, '=');
    if (!equals) continue;
    *equals = 0;
    json_object_set_new(params, word, param_value(equals + 1));
  }
  return params;
}

static json_t *setup_of(const rh_opened *opened) {
  if (opened->build_s == 0 && opened->upload_s == 0 && opened->setup_s == 0 &&
      !opened->build_cached)
    return json_null();
  return rh_json("build:f build_cached:b upload:f setup:f", opened->build_s, opened->build_cached,
                 opened->upload_s, opened->setup_s);
}

rh_status rh_contender_start(rh_contender *c, rh_error *error) {
  rh_error why = {0};
  double start = rh_now();
  c->open = 1;
  rh_status status = c->sampler->open(c->sampler->self, &c->spec->point->data, &c->opened, &why);
  rh_row *row = c->row;
  row->passes = c->opened.launches;
  row->facts = json_object();
  if (*c->opened.params) note(c, "params", params_of(c->opened.params));
  note(c, "params_from", json_string(rh_params_from_name(c->opened.params_from)));
  note(c, "finishes_on", json_string(c->opened.finishes_on_host ? "host" : "device"));
  note(c, "setup_s", setup_of(&c->opened));
  if (status != RH_OK) return fail(c, &why, error);
  if (c->spec->rules->once) { /* for external profilers: only the run and its answer */
    RH_TRY(sample(c, RH_TAKE_LATENCY, &c->latency[0], error));
    c->n_latency = 1;
  } else {
    RH_TRY(warm_up(c, error));
  }
  if (c->about_s <= slow_s) {
    c->spent_s = 0;
    return RH_OK;
  }
  /* Setup and upload do not count against the time limit; the runs of a slow strategy do, also the
   * one on exact data at the end. */
  c->spent_s = rh_now() - start - c->opened.setup_s - c->opened.upload_s;
  if (c->is_weak) c->spent_s += c->about_s;
  return RH_OK;
}

/* ---- Rounds ---- */

static rh_status sample_headline(rh_contender *c, rh_error *error) {
  double *first = &c->samples[c->n_samples], seconds;
  uint32_t wanted = c->about_s > slow_s ? 1 : RH_SAMPLES_A_ROUND, n = 0;
  while (n < wanted) {
    RH_TRY(sample(c, headline(c), &seconds, error));
    if (c->done) return RH_OK;
    first[n++] = seconds;
    if (c->spent_s > c->spec->rules->max_time_s) break;
  }
  c->n_samples += c->n_last = n;
  c->rounds[c->n_rounds++] = rh_spread_of(first, n).median;
  return RH_OK;
}

/* The latency of a single call.  Long calls need only a few samples, because the overhead hardly
 * matters there. */
static rh_status sample_latency(rh_contender *c, rh_error *error) {
  uint32_t wanted = c->about_s > slow_s / 10 ? 1 : RH_SAMPLES_A_ROUND;
  if (c->n_latency + wanted > RH_MOST_SAMPLES || (c->about_s > slow_s && c->n_latency > 1))
    return RH_OK;
  for (uint32_t k = 0; k < wanted; k++) {
    RH_TRY(sample(c, RH_TAKE_LATENCY, &c->latency[c->n_latency], error));
    if (c->done) return RH_OK;
    c->n_latency++;
  }
  return RH_OK;
}

rh_status rh_contender_round(rh_contender *c, rh_error *error) {
  RH_TRY(sample_headline(c, error));
  if (c->done || c->spent_s >= c->spec->rules->max_time_s) return RH_OK;
  RH_TRY(sample_latency(c, error));
  /* For the cross-check of the two clocks, for which slow runs are too few. */
  int is_enough = c->n_host == RH_MAX_ROUNDS || c->about_s > slow_s;
  if (c->done || c->opened.host_clock || c->host_only || is_enough) return RH_OK;
  RH_TRY(sample(c, RH_TAKE_HOST, &c->host[c->n_host], error));
  c->n_host += !c->done;
  return RH_OK;
}

/* ---- The row ---- */

static uint32_t flags_of(const rh_contender *c) {
  const rh_spread *time = &c->row->time;
  uint32_t flags = 0;
  if (rh_spread_iqr(time) > 0.05) flags |= RH_FLAG_noisy;
  /* Fewer than 6 samples give no 95 % interval. */
  if (rh_spread_precision(time) > fmax(0.02, c->spec->rules->precision) || c->n_samples < 6)
    flags |= RH_FLAG_timed_out;
  if (c->throttled) flags |= RH_FLAG_throttled;
  if (c->host_only || c->opened.host_clock) flags |= RH_FLAG_host_timer;
  return flags;
}

static rh_status add_parts(rh_contender *c, rh_error *error) {
  rh_error why = {0};
  rh_parts parts;
  if (!c->sampler->parts) return RH_OK;
  rh_status status = c->sampler->parts(c->sampler->self, &parts, &why);
  if (status == RH_E_CANCELLED) return fail(c, &why, error);
  if (status != RH_OK || parts.n == 0) return RH_OK; /* the main figures are valid without them */
  json_t *list = json_array();
  for (uint32_t k = 0; k < parts.n; k++)
    json_array_append_new(list,
                          rh_json("stage:s seconds:f", parts.list[k].stage, parts.list[k].seconds));
  note(c, "parts", list);
  note(c, "host_share_s", rh_json_number(parts.host_share_s));
  return RH_OK;
}

rh_status rh_contender_sum_up(rh_contender *c, rh_error *error) {
  rh_row *row = c->row;
  if (c->spec->point->data.lengths) RH_TRY(judge_segments(c, error));
  if (c->done) return RH_OK;
  row->time = rh_spread_of(c->samples, c->n_samples);
  row->latency = rh_spread_of(c->latency, c->n_latency);
  if (c->n_host) note(c, "host_batch_s", rh_json_number(rh_spread_of(c->host, c->n_host).median));
  RH_TRY(RH_NEW(&row->raw, c->n_samples, "a point's results", error));
  RH_TRY(RH_NEW(&row->rounds, c->n_rounds, "a point's results", error));
  memcpy(row->raw, c->samples, c->n_samples * sizeof *row->raw);
  memcpy(row->rounds, c->rounds, c->n_rounds * sizeof *row->rounds);
  row->n_raw = c->n_samples;
  row->n_rounds = c->n_rounds;
  row->batch = c->batch;
  row->flags = flags_of(c);
  row->status = RH_ROW_ok;
  double read_peak = c->spec->stage->bench_device.calibration.read_peak;
  if (read_peak > 0) row->peak_fraction = rh_row_bandwidth(row) / read_peak;
  c->done = 1;
  int affordable = !c->spec->rules->once && c->about_s < c->spec->rules->max_time_s / 8;
  rh_status status = affordable ? add_parts(c, error) : RH_OK;
  rh_contender_close(c);
  return status;
}
