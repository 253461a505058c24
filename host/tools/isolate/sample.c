/* The child's side of an isolated sampler: redhost --work for one run, redhost --sample for a
 * benchmark.  It offers its one strategy as a peer program offers a peer (docs/extend/peers.md),
 * sends additional lines (internal.h), and takes samples as the parent would. */
#include "internal.h"

#include <sys/mman.h>

#include "../../choose/choose.h"

/* ---- Lines that are said while the strategy works ---- */

/* A plugin may log on any thread, and while the process ends: so it is static. */
typedef struct outlet {
  int channel;
  pthread_mutex_t lock;
  uint64_t logs;
} outlet;

/* A word and the struct behind it. */
static int tell_parent(outlet *to, const char *word, const void *from, size_t bytes) {
  RH_FINISHED(rh_text) line = {0};
  rh_own_line_add(&line, word, from, bytes);
  pthread_mutex_lock(&to->lock);
  int failed = line.failed || rh_write_all(to->channel, line.s, line.length, RH_BYTES_HERE) != 0;
  pthread_mutex_unlock(&to->lock);
  return failed ? -1 : 0;
}

static int tell_error(outlet *to, const rh_error *error) {
  return tell_parent(to, "error", error, sizeof *error);
}

/* Further lines would only be dropped by the parent, and endless logging must not count as
 * progress. */
static void tell_log(void *to, uint32_t level, const char *text) {
  outlet *out = to;
  rh_own_log log = {.level = level > RH_LOG_DEBUG ? RH_LOG_DEBUG : level};
  rh_copy_plain(log.text, sizeof log.text, text);
  if (__atomic_fetch_add(&out->logs, 1, __ATOMIC_RELAXED) < RH_MOST_LOGS)
    tell_parent(out, "log", &log, sizeof log);
}

static int tell_progress(void *to, const char *activity, uint64_t done, uint64_t total) {
  rh_own_progress progress = {.done = done, .total = total};
  rh_copy_plain(progress.activity, sizeof progress.activity, activity);
  tell_parent(to, "progress", &progress, sizeof progress);
  return 0; /* this process does not outlive its parent */
}

/* ---- The child ---- */

typedef struct sampling {
  rh_sample_order order;
  outlet parent;
  rh_phase phase;
  int data;
  rh_context *context;
  rh_bench_device bench_device;
  rh_local_shared shared;
  rh_sampler sampler; /* not created yet if `self` is null */
  rh_bench_data point;
  rh_custom *own[RH_MOST_OWN]; /* of order.own; null: not made yet */
  rh_own_point asked;
  rh_lengths lengths; /* of a point with segments, whose offsets stand in the region */
  rh_region region;   /* the data, mapped */
} sampling;

/* ---- Answers ---- */

static void send_phase(void *user, rh_phase phase) {
  sampling *s = user;
  if (s->phase != phase) tell_parent(&s->parent, "phase", &phase, sizeof phase);
  s->phase = phase;
}

/* ---- Beginning ---- */

enum { MOST_SETTINGS = 1024 };

/* 0, or -1. */
static int read_settings(const rh_child_request *request, rh_sample_order *order) {
  rh_setting *settings = calloc(MOST_SETTINGS, sizeof *settings);
  uint64_t n = 0;
  if (!settings) return -1;
  order->settings = settings;
  for (const char *value = NULL; n < MOST_SETTINGS; n++) {
    settings[n].key = rh_request_next(request, "setting", value);
    if (!settings[n].key) break;
    value = settings[n].value = rh_request_next(request, "value", settings[n].key);
    if (!value) return -1;
  }
  order->n_settings = n;
  return n < MOST_SETTINGS ? 0 : -1;
}

int rh_sample_read(const rh_child_request *request, rh_sample_order *order) {
  const char *own = NULL;
  *order = (rh_sample_order){
      .options = rh_request_options(request),
      .strategy = rh_request_get(request, "strategy"),
      .plugin = rh_request_get(request, "plugin"),
      .what = rh_request_get(request, "what"),
  };
  while (order->n_own < RH_MOST_OWN && (own = rh_request_next(request, "own", own)))
    order->own[order->n_own++] = own;
  int is_whole = order->strategy && order->plugin && read_settings(request, order) == 0 &&
                 rh_request_struct(request, "is", &order->is, sizeof order->is) == 0 &&
                 order->is.answer_bytes == RH_ANSWER_BYTES;
  return is_whole ? 0 : -1;
}

/* The parent has already reported faults of the tuning database, so they are silent here. */
static rh_status open_tuned(rh_context *context, rh_error *error) {
  rh_tunedb *tuned;
  const rh_reporter *reporter = context->cache.reporter;
  context->cache.reporter = NULL;
  rh_status status = rh_context_tuned(context, &tuned, error);
  context->cache.reporter = reporter;
  return status;
}

/* Before the plugin is loaded, so that the plugin is not blamed for a driver. */
static rh_status find_device(sampling *s, rh_error *error) {
  const rh_cl_device *device;
  rh_cl_session *session;
  if (!s->order.options.device) return RH_OK;
  send_phase(s, RH_PHASE_devices);
  if (!s->order.is.is_known) return rh_context_device(s->context, &device, error);
  RH_TRY(rh_context_session(s->context, &session, error));
  rh_bench_device_close(&s->bench_device); /* from a failed attempt */
  RH_TRY(rh_bench_device_adopt(&s->bench_device, &s->order.is.known, session, error));
  s->shared.bench_device = &s->bench_device;
  return RH_OK;
}

/* Done at the first question, so that failures can be reported as its answer. */
static rh_status prepare(sampling *s, rh_error *error) {
  rh_sample_order *order = &s->order;
  rh_found found = {.path = (char *)(uintptr_t)order->plugin};
  if (s->sampler.self) return RH_OK;
  snprintf(found.name, sizeof found.name, "%s", order->strategy);
  order->options.reporter = (rh_reporter){&s->parent, tell_log, tell_progress};
  if (!s->context) RH_TRY(rh_context_open(&s->context, &order->options, &rh_choosing, error));
  s->shared = (rh_local_shared){
      .context = s->context,
      .untuned = order->is.untuned,
      .strict = order->is.strict,
      .what = order->what ? order->what : "--size",
      .user = s,
      .enter = send_phase,
  };
  RH_TRY(find_device(s, error));
  RH_TRY(open_tuned(s->context, error));
  return rh_local_sampler(&s->sampler, &s->shared, &found, order->settings, order->n_settings,
                          error);
}

/* ---- Questions ---- */

static void close_point(sampling *s) {
  if (s->sampler.self) s->sampler.close(s->sampler.self, NULL);
  if (s->region.address) munmap(s->region.address, s->region.bytes);
  s->region = (rh_region){0};
  s->point = (rh_bench_data){0};
}

/* A private mapping, unless chunks are exchanged: drivers that use memory in place need it
 * writable, and writes stay in this process. */
static rh_status map_data(sampling *s, rh_error *error) {
  static uint64_t serial;
  uint64_t bytes = rh_bench_data_bytes(&s->point);
  if (s->asked.region_bytes) bytes = s->asked.region_bytes;
  if (s->point.lengths) bytes = s->asked.results_at;
  if (bytes == 0) bytes = 1;
  int flags = s->point.in_chunks ? MAP_SHARED : MAP_PRIVATE;
  void *address = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags | MAP_NORESERVE, s->data, 0);
  if (address == MAP_FAILED)
    return rh_fail(error, RH_E_NOMEM, "%s: cannot be mapped a second time",
                   s->order.what ? s->order.what : "the data");
  s->region = (rh_region){.address = address, .bytes = bytes};
  s->point.elements = (const char *)address + s->point.offset;
  s->point.serial = ++serial;
  if (s->point.lengths && s->lengths.layout.length == 0) {
    uint64_t segments = s->lengths.layout.segments;
    s->lengths.offsets = (uint64_t *)(void *)((char *)address + s->asked.offsets_at);
    s->lengths.layout = rh_layout_offsets(s->lengths.offsets, s->lengths.offsets + 1, segments);
  }
  if (s->asked.region_bytes) s->point.region = &s->region;
  return RH_OK;
}

static const rh_operator *own_operator(sampling *s, uint32_t k) {
  rh_operation operation;
  if (!s->own[k]) rh_operation_read(&operation, &s->own[k], s->order.own[k], NULL);
  if (!s->own[k]) return NULL;
  if (s->point.in_chunks) rh_custom_take_base(s->own[k]);
  return &s->own[k]->face;
}

static int read_point(sampling *s, const char *digits, int opens) {
  rh_own_point *asked = &s->asked;
  rh_bench_data *point = &s->point;
  if (!rh_hex_read(digits, asked, sizeof *asked)) return -1;
  *point = asked->data;
  point->elements = NULL;
  point->region = NULL;
  point->offsets = asked->operands;
  point->lengths = point->lengths && opens ? &s->lengths : NULL;
  s->lengths = (rh_lengths){.n = point->n, .layout = asked->layout};
  point->op = asked->own < s->order.n_own ? own_operator(s, asked->own)
                                          : rh_operator_builtin(asked->op, asked->type);
  return point->op ? 0 : -1;
}

/* "ask", or "open", which also maps the data and sets the strategy up. */
static int ask_or_open(sampling *s, const char *digits, int opens) {
  rh_error error = {0};
  rh_opened opened;
  close_point(s);
  if (read_point(s, digits, opens) != 0) return -1;
  rh_status status = prepare(s, &error);
  if (status == RH_OK && opens) status = map_data(s, &error);
  const rh_sampler *sampler = &s->sampler;
  if (status == RH_OK)
    status = (opens ? sampler->open : sampler->ask)(sampler->self, &s->point, &opened, &error);
  return status == RH_OK ? tell_parent(&s->parent, "opened", &opened, sizeof opened)
                         : tell_error(&s->parent, &error);
}

static int take_sample(sampling *s, const char *line) {
  rh_error error = {0};
  rh_take take;
  rh_taken taken;
  if (sscanf(line, "take %*63s %u %u", &take.kind, &take.batch) != 2 || !s->region.address)
    return -1;
  rh_status status = s->sampler.take(s->sampler.self, &take, &taken, &error);
  return status == RH_OK ? tell_parent(&s->parent, "taken", &taken, sizeof taken)
                         : tell_error(&s->parent, &error);
}

static int show_parts(sampling *s) {
  static rh_parts parts;
  rh_error error = {0};
  if (!s->region.address) return -1;
  rh_status status = s->sampler.parts(s->sampler.self, &parts, &error);
  return status == RH_OK ? tell_parent(&s->parent, "parts", &parts, sizeof parts)
                         : tell_error(&s->parent, &error);
}

/* Writes those of the segments into the file. */
static int send_values(sampling *s) {
  rh_error error = {0};
  RH_FREED(char) values = NULL;
  uint64_t bytes = s->point.lengths ? s->lengths.layout.segments * s->point.op->abi->value_size : 0;
  if (!s->region.address || !s->point.lengths) return -1;
  rh_status status = rh_alloc(&values, bytes + 1, 1, "the values of segments", &error);
  if (status == RH_OK) status = s->sampler.values(s->sampler.self, values, &error);
  if (status == RH_OK && rh_write_all(s->data, values, bytes, s->asked.results_at) != 0)
    status = rh_fail(&error, RH_E_NOMEM, "the values of segments cannot be handed over");
  return status == RH_OK ? tell_parent(&s->parent, "valued", NULL, 0)
                         : tell_error(&s->parent, &error);
}

static int end_point(sampling *s) {
  close_point(s);
  uint64_t logs = __atomic_exchange_n(&s->parent.logs, 0, __ATOMIC_RELAXED);
  uint64_t dropped = logs > RH_MOST_LOGS ? logs - RH_MOST_LOGS : 0;
  if (dropped) tell_parent(&s->parent, "dropped", &dropped, sizeof dropped);
  return tell_parent(&s->parent, "closed", NULL, 0);
}

static int answer(sampling *s, const char *line) {
  if (strncmp(line, "ask ", 4) == 0) return ask_or_open(s, line + 4, 0);
  if (strncmp(line, "open ", 5) == 0) return ask_or_open(s, line + 5, 1);
  if (strncmp(line, "values ", 7) == 0) return send_values(s);
  if (strncmp(line, "take ", 5) == 0) return take_sample(s, line);
  if (strncmp(line, "parts ", 6) == 0) return show_parts(s);
  return strncmp(line, "close ", 6) == 0 ? end_point(s) : -1;
}

/* ---- Serving ---- */

static int work(sampling *s) {
  char line[2 * sizeof(rh_own_point) + 16];
  while (rh_channel_hear(s->parent.channel, line, sizeof line) == 0)
    if (answer(s, line) != 0) return -1;
  return 0;
}

static void finish(sampling *s) {
  close_point(s);
  if (s->sampler.self) s->sampler.finish(s->sampler.self);
  rh_pool_finish(&s->shared.pool);
  rh_bench_device_close(&s->bench_device);
  for (uint32_t k = 0; k < RH_MOST_OWN; k++) rh_custom_destroy(s->own[k]);
  rh_context_close(s->context);
  free((void *)(uintptr_t)s->order.settings); /* the type says const */
}

int rh_sample_main(void) {
  static sampling s = {.parent = {-1, PTHREAD_MUTEX_INITIALIZER, 0}, .data = -1};
  rh_child_request request;
  if (rh_request_receive(&request) != 0) return 2;
  int code = 2;
  if (rh_sample_read(&request, &s.order) == 0) {
    s.parent.channel = rh_channel_open(request.parent);
    if (s.parent.channel >= 0) s.data = rh_channel_data();
    code = s.data < 0 || work(&s) != 0 ? 3 : 0;
  }
  finish(&s);
  rh_request_finish(&request);
  return code;
}
