#include "internal.h"

#include "../engine/reduction/reduction.h"
#include "measure/measure.h"

static const double budget_s = 0.3;
/* A launch takes at least this, so no device is faster than a host strategy that takes no
 * longer. */
static const double least_launch_s = 30e-6;
static const uint64_t most_bytes = 128u << 20;
enum { HOSTS = 2, DEVICES = 3, SAMPLES = 9 };

typedef struct calibration {
  rh_context *context;
  const rh_job_spec *spec;
  rh_tunedb *tuned;
  uint64_t n;     /* the size of which a time is kept */
  uint64_t have;  /* of these elements, those that are measured: what could be written in time */
  rh_array array; /* bytes of all operands, made when they are first needed */
  double deadline;
  double best_s; /* of a host strategy; 0: none was measured */
  rh_text found; /* for the message */
} calibration;

/* ---- What is known ---- */

/* How data get to the device.  Each way is kept like a strategy of this name and file, with bytes
 * as elements. */
typedef struct way {
  const char *name;
  uint64_t file, bytes[2];
} way;

/* From where they are, and through pinned memory: as chunks of a ring, or as a whole. */
static const way upload = {RH_TUNEDB_UPLOAD, UINT64_C(0x2d75706c6f61642d), {4096, 32u << 20}},
                 stream = {RH_TUNEDB_STREAM, UINT64_C(0x2d73747265616d2d), {32u << 20, 128u << 20}};

/* Before the first call can begin on the device, whatever its size. */
static const way opening = {RH_TUNEDB_OPENING, UINT64_C(0x2d6f70656e696e67), {1, 1}};

static rh_asked as_strategy(const way *of, uint64_t bytes) {
  return (rh_asked){of->name, of->file, rh_operator_builtin(RH_OP_sum, RH_TYPE_u8), bytes, {0}};
}

static double kept_s(const rh_tunedb *tuned, const way *of, uint64_t bytes) {
  const rh_tunedb_timed exactly = {RH_TUNED_HERE, RH_TUNED_HERE, RH_TUNED_SAME, bytes, bytes, 0};
  const rh_asked asked = as_strategy(of, bytes);
  const rh_tunedb_entry *entry = rh_tunedb_find_timed(tuned, &exactly, &asked);
  return entry ? entry->time_s : 0;
}

/* A copy takes a time of its own, and one for each byte. */
static double estimate_s(const rh_tunedb *tuned, const way *of, uint64_t bytes) {
  double small = kept_s(tuned, of, of->bytes[0]), large = kept_s(tuned, of, of->bytes[1]);
  if (small == 0 || large == 0) return 0;
  double per_byte = (large - small) / (double)(of->bytes[1] - of->bytes[0]);
  if (per_byte < 0) per_byte = 0;
  double seconds = small + per_byte * ((double)bytes - (double)of->bytes[0]);
  return seconds > per_byte * (double)bytes ? seconds : per_byte * (double)bytes;
}

static uint64_t bytes_of(const rh_job_spec *spec) {
  return spec->operation.n * rh_operator_element_bytes(spec->operation.op);
}

static const way *way_of(const rh_context *context, const rh_job_spec *spec) {
  uint64_t most = spec->in_pieces ? context->most_whole_bytes : RH_CL_STAGED_BYTES - 1;
  return bytes_of(spec) > most ? &stream : &upload;
}

double rh_transfer_s(const rh_context *context, const rh_tunedb *tuned, const rh_job_spec *spec) {
  double seconds = estimate_s(tuned, way_of(context, spec), bytes_of(spec));
  return seconds > 0 ? seconds : estimate_s(tuned, &upload, bytes_of(spec));
}

double rh_opening_s(const rh_tunedb *tuned) { return kept_s(tuned, &opening, 1); }

/* A time within a factor of 8 of the size; other operators and types may take ten times as long. */
static int is_known(const calibration *t, const rh_known_strategy *one) {
  const rh_tunedb_timed near = {RH_TUNED_HERE, RH_TUNED_SHIPPED, RH_TUNED_SAME,
                                t->n / 8,      8 * t->n,         0};
  const rh_asked asked = {one->entry->says.name, one->plugin, t->spec->operation.op, t->n, {0}};
  return rh_tunedb_find_timed(t->tuned, &near, &asked) != NULL;
}

static void keep(calibration *t, const rh_asked *of, int on_device, double seconds) {
  char size[32], time[32];
  rh_tunedb_entry entry = rh_tunedb_entry_of(of);
  entry.time_s = entry.latency_s = seconds;
  entry.trial = 1;
  entry.on_device = (uint32_t)on_device;
  rh_tunedb_put(t->tuned, &entry, NULL);
  rh_text_add(&t->found, "%s%s at %s %s", t->found.length ? ", " : "", of->strategy,
              rh_format_size(size, of->n), rh_format_seconds(time, seconds));
}

static void keep_way(calibration *t, const way *of, uint64_t bytes, double seconds) {
  const rh_asked asked = as_strategy(of, bytes);
  keep(t, &asked, 0, seconds);
}

/* ---- Measuring ---- */

/* Written, because all pages that were not are the same one.  The values are ordinary ones in every
 * type.  A virtual machine may have to obtain the memory from its host, which can take 0.9 s for
 * 128 MiB: what is not there in a third of the time is left out. */
static int make_data(calibration *t) {
  enum { PIECE = 1 << 20 };
  rh_job_spec spec = *t->spec;
  if (t->have) return 1;
  spec.operation.n = t->n;
  uint64_t bytes = rh_operand_layout(&spec, spec.offsets), done = 0;
  if (rh_array_reserve(&t->array, RH_TYPE_u8, bytes, 0, NULL) != RH_OK) return 0;
  unsigned char *at = (unsigned char *)t->array.region.address + t->array.offset_bytes;
  double end = rh_now() + budget_s / 3;
  do {
    uint64_t piece = bytes - done < PIECE ? bytes - done : PIECE;
    memset(at + done, 0x3c, piece);
    done += piece;
  } while (done < bytes && rh_now() < end);
  /* Each operand has as many as are sure to lie in what was written. */
  uint64_t gaps = bytes - t->n * rh_operator_element_bytes(spec.operation.op);
  t->have = done == bytes ? t->n : (done - gaps) / rh_operator_element_bytes(spec.operation.op);
  return 1;
}

/* The time of a call: the median of some batches, of calls that are long enough for the clock, or
 * from a part of the data if there is no time for whole ones.  0 if a call fails. */
static double time_calls(const calibration *t, const rh_sampler *sampler) {
  enum { PART = 64, CALLS = 4, MOST_CALLS = 4096 };
  static const double batch_s = 20e-6;
  static const rh_take part = {RH_TAKE_PART, PART};
  rh_series calls = {{RH_TAKE_LATENCY, 1}, SAMPLES, 0};
  rh_taken taken;
  rh_spread found;
  double end = rh_now() + (t->deadline - rh_now()) / 2;
  if (t->have >= 1024 * PART)
    for (int k = 0; k < 2; k++) /* the first one starts threads */
      if (sampler->take(sampler->self, &part, &taken, NULL) != RH_OK) return 0;
  if (t->have >= 1024 * PART && CALLS * PART * taken.seconds > t->deadline - rh_now())
    return PART * taken.seconds;
  for (int k = 0; k < 2; k++)
    if (sampler->take(sampler->self, &calls.how, &taken, NULL) != RH_OK) return 0;
  double wanted = ceil(batch_s / fmax(taken.seconds, 1e-9));
  calls.how.batch = (uint32_t)fmin(wanted, MOST_CALLS);
  calls.budget_s = end - rh_now();
  return rh_measure_series(sampler, &calls, NULL, &found, NULL) == RH_OK ? found.median : 0;
}

/* The time of a call at t->have, set up for this operator and size; 0 if that fails.  Setting up
 * does not count: a user's operator may have to be compiled. */
static double time_strategy(calibration *t, const rh_entry *entry) {
  rh_job_spec spec = *t->spec;
  rh_local_shared shared = {.context = t->context, .what = "a short measurement"};
  rh_found found = {.path = entry->file->path};
  rh_sampler sampler;
  rh_opened opened;
  double seconds = 0, start = rh_now();
  snprintf(found.name, sizeof found.name, "%s", entry->says.name);
  spec.operation.n = t->have;
  rh_operand_layout(&spec, spec.offsets);
  const rh_bench_data data = {.op = spec.operation.op,
                              .n = t->have,
                              .elements = rh_array_data(&t->array),
                              .region = &t->array.region,
                              .offset = t->array.offset_bytes,
                              .offsets = spec.offsets};
  if (rh_local_sampler(&sampler, &shared, &found, NULL, 0, NULL) != RH_OK) return 0;
  rh_status status = sampler.open(sampler.self, &data, &opened, NULL);
  t->deadline += rh_now() - start;
  if (status == RH_OK) seconds = time_calls(t, &sampler);
  sampler.close(sampler.self, NULL);
  sampler.finish(sampler.self);
  return seconds;
}

/* A strategy that cannot run stays unknown. */
static void measure(calibration *t, rh_known_strategy *one) {
  const rh_entry *of = one->entry;
  int on_device = !rh_strategy_is_host(&of->says);
  if (!make_data(t)) return;
  double seconds = time_strategy(t, of);
  if (seconds == 0) return;
  seconds *= (double)t->n / (double)t->have;
  one->plugin = rh_tunedb_file(t->tuned, of->file->path);
  const rh_asked asked = {of->says.name, one->plugin, t->spec->operation.op, t->n, {0}};
  keep(t, &asked, on_device, seconds);
  if (!on_device && (t->best_s == 0 || seconds < t->best_s)) t->best_s = seconds;
}

/* ---- The way to the device ---- */

enum { SLOTS = RH_STREAM_AHEAD + 1, SHARE = 1 << 18 };

typedef struct copies {
  const char *array;
  uint64_t bytes, chunk;
  rh_cl_session *session;
  rh_cl_input input;  /* of whole copies */
  rh_staging staging; /* of those in chunks, as is what follows */
  cl_event sent[SLOTS];
  const char *from; /* of the chunk that is read now */
  char *to;
} copies;

static void read_piece(void *of_copies, uint64_t first, uint64_t n) {
  const copies *c = of_copies;
  memcpy(c->to + first, c->from + first, n);
}

static cl_int await(copies *c, uint64_t k) {
  cl_int code = c->sent[k] ? rh_cl_wait(c->sent[k]) : CL_SUCCESS;
  rh_cl_release_event(c->sent[k]);
  c->sent[k] = NULL;
  return code;
}

/* A chunk is read by several threads while those before it are on their way.  0: it failed. */
static int copy_in_chunks(copies *c) {
  uint32_t k = 0;
  for (uint64_t at = 0; at < c->bytes; at += c->chunk, k = (k + 1) % SLOTS) {
    uint64_t n = c->bytes - at < c->chunk ? c->bytes - at : c->chunk;
    if (await(c, k) != CL_SUCCESS) return 0;
    c->from = c->array + at;
    c->to = c->staging.memory[k];
    rh_share(n, SHARE, read_piece, c);
    if (rh_staging_send(&c->staging, k, n, &c->sent[k], NULL) != RH_OK) return 0;
  }
  for (k = 0; k < SLOTS; k++)
    if (await(c, k) != CL_SUCCESS) return 0;
  return 1;
}

static int copy_whole(copies *c) {
  return rh_cl_input_write(&c->input, c->session, c->array, c->bytes, NULL) == RH_OK &&
         rh_cl_finish(c->session->queue) == CL_SUCCESS;
}

/* How long copies of an array to the context's device take: as a whole, or chunk by chunk, as
 * rh_arrays_reduce() takes them.  The shortest of some, since the first one also obtains the
 * device's memory; 0: they fail. */
static double copies_s(rh_context *context, const void *array, uint64_t bytes, int in_chunks) {
  copies c = {.array = array, .bytes = bytes, .chunk = context->chunk_bytes};
  double least = INFINITY;
  if (!c.chunk) c.chunk = (uint64_t)RH_STREAM_DEVICE_MIB << 20;
  int works = rh_context_session(context, &c.session, NULL) == RH_OK;
  if (works)
    works = (in_chunks ? rh_staging_open(&c.staging, c.session, SLOTS, c.chunk, NULL)
                       : rh_cl_input_reserve(&c.input, c.session, bytes, 1, NULL)) == RH_OK;
  for (int k = 0; k < (in_chunks ? 2 : 4) && works; k++) {
    double start = rh_now();
    works = in_chunks ? copy_in_chunks(&c) : copy_whole(&c);
    least = fmin(least, rh_now() - start);
  }
  for (int k = 0; k < SLOTS; k++) rh_cl_release_event(c.sent[k]);
  rh_staging_finish(&c.staging);
  rh_cl_input_finish(&c.input);
  return works ? least : 0;
}

static void measure_way(calibration *t, const way *of) {
  enum { SIZES = sizeof of->bytes / sizeof *of->bytes };
  rh_cl_session *session;
  double start = rh_now();
  if (rh_context_session(t->context, &session, NULL) != RH_OK) return;
  t->deadline += rh_now() - start;
  RH_FREED(char) data = malloc(of->bytes[SIZES - 1]);
  if (!data) return;
  memset(data, 0x3c, of->bytes[SIZES - 1]);
  for (int k = 0; k < SIZES; k++) {
    uint64_t bytes = of->bytes[k];
    double seconds = copies_s(t->context, data, bytes, of == &stream);
    if (seconds > 0) keep_way(t, of, bytes, seconds);
  }
}

/* ---- Choosing what to measure ---- */

/* Measures up to `most`, by score, that run on the host or on a device and are not known yet. */
static void measure_best(calibration *t, rh_known_strategy *list, uint32_t n, int on_host,
                         uint32_t most) {
  int32_t below = INT32_MAX;
  for (uint32_t tried = 0; tried < most; tried++) {
    rh_known_strategy *best = NULL;
    int32_t highest = INT32_MIN;
    for (uint32_t k = 0; k < n; k++) {
      const rh_entry *one = list[k].entry;
      int32_t score = rh_offer_of(t->spec, one)->answer.score;
      if (!one->file->installed || rh_strategy_is_host(&one->says) != on_host) continue;
      if (score >= below || (best && score <= highest)) continue;
      best = &list[k];
      highest = score;
    }
    if (!best || rh_now() >= t->deadline) return;
    /* what the first time left out stays unknown */
    if (on_host && tried > 0 && t->best_s == 0) return;
    below = highest;
    if (!is_known(t, best)) measure(t, best);
  }
}

/* Programs of built-in operators that are not compiled make their strategies fail.  A user's
 * operator is compiled: the host evaluates it operation by operation, which may take many times as
 * long. */
static void measure_on_device(calibration *t, rh_known_strategy *list, uint32_t n) {
  rh_cl_session *session;
  if (rh_context_session(t->context, &session, NULL) != RH_OK) return;
  t->deadline =
      rh_now() + budget_s; /* its own, or a slow host would leave no time for what is faster */
  session->compiled_only = !t->spec->operation.op->is_custom;
  measure_best(t, list, n, 0, DEVICES);
  session->compiled_only = 0;
}

void rh_calibrate(rh_context *context, const rh_job_spec *spec, rh_tunedb *tuned,
                  rh_known_strategy *list, uint32_t n) {
  const rh_cl_device *device = context->device;
  int is_far = device && !device->shares_memory;
  uint64_t most = most_bytes / rh_operator_element_bytes(spec->operation.op);
  calibration t = {.context = context, .spec = spec, .tuned = tuned, .n = spec->operation.n};
  if (t.n > most) t.n = most;
  if (context->options.no_measure || !context->cache.directory || t.n == 0) return;
  double start = rh_now();
  t.deadline = start + budget_s;
  measure_best(&t, list, n, 1, HOSTS);
  if (is_far && estimate_s(tuned, way_of(context, spec), 1) == 0)
    measure_way(&t, way_of(context, spec));
  /* where a strategy on the device may be faster */
  double least = least_launch_s + (is_far ? rh_transfer_s(context, tuned, spec) : 0);
  if (device && t.best_s > 0 && least < t.best_s * (double)spec->operation.n / (double)t.n)
    measure_on_device(&t, list, n);
  if (t.found.length)
    rh_log(&context->options.reporter, RH_LOG_INFO,
           "auto: measured once, as little was known of %s of %s here: %s; %.2g s",
           spec->operation.op->name, rh_type_name(spec->operation.op->operands[0].type),
           rh_text_get(&t.found), rh_now() - start);
  if (context->session.context && rh_opening_s(tuned) == 0)
    keep_way(&t, &opening, 1, context->opening_s);
  context->device_failed = 0;
  rh_text_finish(&t.found);
  rh_array_finish(&t.array);
}
