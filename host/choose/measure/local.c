#include "measure.h"

/* Requests events for the first and last command of a batch only, because each event costs 7 to
 * 8 us on NVIDIA; where it is not known which one is the last, for each of them. */
typedef struct ends {
  uint64_t commands, last_index; /* commands so far; index of the batch's last one */
  cl_event first, last;
} ends;
enum { UNKNOWN = 0 }; /* of a last index and of commands: one run enqueues at least one */

typedef struct local {
  rh_local_shared *shared;
  char name[64];
  char *path;
  rh_setting *settings; /* their strings are the caller's */
  uint64_t n_settings;
  /* its job's instance and data are created here, whose input belongs to the pool; of a whole array
   * only that job is used */
  rh_segments of;
  rh_bench_data data;
  rh_job_spec spec;
  cl_mem results;     /* of segments, on a device */
  uint64_t next;      /* the copy to be read next */
  uint64_t commands;  /* enqueued by one run, or UNKNOWN */
  int enqueues_alone; /* it enqueues without the host, so that the host cannot time it */
  int has_values;     /* the host has those of the segments */
  int asked;          /* the job is open and query has answered */
  int ran;            /* at least once */
} local;

static void enter_phase(const local *l, rh_phase phase) {
  if (l->shared->enter) l->shared->enter(l->shared->user, phase);
}

/* ---- Runs ---- */

static rh_data copy_of(local *l, uint64_t copy) {
  const rh_data *first = &l->of.job.data;
  uint64_t offset = copy * l->data.stride;
  if (l->data.region) return *first; /* in place, without copies */
  return rh_operands_data(&l->of.job.operands, l->data.op, l->spec.offsets, first->buffer, offset,
                          (const char *)first->host + offset);
}

/* All segments of a copy; to: null for the memory of the host. */
static rh_status run_segments(local *l, const rh_data *data, cl_mem to, rh_error *error) {
  const rh_data first = l->of.job.data;
  l->of.job.data = *data;
  rh_status status = rh_segments_run_to(&l->of, to, 0, error);
  l->of.job.data = first;
  return status;
}

static rh_status run_batch(local *l, uint32_t batch, rh_error *error) {
  for (uint32_t k = 0; k < batch; k++) {
    rh_data data = copy_of(l, l->next);
    RH_TRY(l->data.lengths ? run_segments(l, &data, l->results, error)
                           : rh_instance_run(l->of.job.instance, &data, l->data.n, error));
    l->next = l->next + 1 < l->data.copies ? l->next + 1 : 0;
  }
  return RH_OK;
}

/* Waits for both queues: a plugin that enqueues directly uses the queue that it got in setup. */
static rh_status wait_for_queue(local *l, rh_error *error) {
  rh_bench_device *bench_device = l->shared->bench_device;
  if (!l->of.job.device) return RH_OK;
  RH_CL_TRY(error, rh_cl_finish(l->of.job.instance_spec.session->queue), "waiting for the device");
  if (bench_device) RH_CL_TRY(error, rh_cl_finish(bench_device->plain), "waiting for the device");
  return RH_OK;
}

/* The value of a batch's last run. */
static rh_status fetch(local *l, rh_taken *taken, rh_error *error) {
  _Alignas(16) unsigned char value[RH_MOST_VALUE_BYTES];
  if (l->data.lengths) return RH_OK;
  RH_TRY(rh_instance_value(l->of.job.instance, value, error));
  rh_job_result(&l->spec, l->name, value, &taken->result);
  return RH_OK;
}

/* ---- Samples ---- */

static cl_event *at_ends(void *of_ends, const char *stage) {
  ends *e = of_ends;
  uint64_t index = e->commands++;
  (void)stage;
  if (index == 0) return &e->first;
  rh_cl_release_event(e->last);
  e->last = NULL;
  return e->last_index == UNKNOWN || index == e->last_index ? &e->last : NULL;
}

/* Keeps the device busy while the host enqueues the batch, so that the batch runs without gaps.  A
 * CPU device goes without, because the sweep would compete with the enqueueing thread. */
static rh_status prime(local *l, uint32_t batch, rh_error *error) {
  rh_bench_device *bench_device = l->shared->bench_device;
  if (l->of.job.device->about.kind == RH_DEVICE_CPU) return RH_OK;
  uint64_t commands = l->commands == UNKNOWN ? l->of.job.answer.launches : l->commands;
  double needed = 1.5 * (double)(commands * batch) * bench_device->calibration.launch_s;
  return rh_bench_device_occupy(bench_device, needed, error);
}

/* *whole: both ends of the batch have events.  They lack them if the runs that were counted
 * enqueued additional commands to prepare; then this batch gives the correct count. */
static rh_status run_between_ends(local *l, uint32_t batch, ends *e, int *whole, rh_error *error) {
  rh_cl_session *session = l->of.job.instance_spec.session;
  const rh_cl_tap tap = {e, at_ends};
  int is_known = l->commands != UNKNOWN;
  *e = (ends){.last_index = is_known ? l->commands * batch - 1 : UNKNOWN};
  RH_TRY(prime(l, batch, error));
  session->tap = &tap;
  rh_status status = run_batch(l, batch, error);
  session->tap = NULL;
  if (status == RH_OK) status = wait_for_queue(l, error);
  *whole = (!is_known || e->commands == l->commands * batch) && e->first &&
           (e->last || e->commands == 1);
  l->commands = e->commands / batch;
  l->enqueues_alone = status == RH_OK && l->commands == UNKNOWN;
  if (status == RH_OK && *whole) return RH_OK;
  rh_cl_release_event(e->first);
  rh_cl_release_event(e->last);
  return status;
}

/* Only runs that finish on the device can be timed by its clock: a run that waits for partial
 * results cannot be batched. */
static int may_be_stamped(const local *l) {
  const rh_bench_device *bench_device = l->shared->bench_device; /* null if nothing is measured */
  return l->of.job.device && !l->data.region && !l->of.is_loop &&
         !l->of.job.answer.finishes_on_host && bench_device && !bench_device->host_clock &&
         !l->enqueues_alone;
}

static rh_status take_host(local *l, uint32_t batch, rh_taken *taken, rh_error *error) {
  double start = rh_now();
  RH_TRY(run_batch(l, batch, error));
  RH_TRY(wait_for_queue(l, error));
  taken->seconds = (rh_now() - start) / batch;
  return RH_OK;
}

static rh_status take_device(local *l, uint32_t batch, rh_taken *taken, rh_error *error) {
  ends e;
  int whole;
  RH_TRY(run_between_ends(l, batch, &e, &whole, error));
  if (l->enqueues_alone) return take_host(l, batch, taken, error);
  if (!whole) RH_TRY(run_between_ends(l, batch, &e, &whole, error));
  if (!whole)
    return rh_fail(error, RH_E_CL, "the number of commands that a run enqueues has changed");
  RH_TRY(rh_span(e.first, e.last ? e.last : e.first, &taken->seconds, error));
  taken->seconds /= batch;
  taken->stamped = 1;
  return RH_OK;
}

static rh_status local_values(void *self, void *to, rh_error *error) {
  local *l = self;
  const rh_segments *of = &l->of;
  if (!l->results || l->has_values) {
    memcpy(to, of->values, of->n * of->value_bytes);
    return RH_OK;
  }
  RH_CL_TRY(error,
            rh_cl_read(of->job.instance_spec.session->queue, l->results, CL_TRUE, 0,
                       of->n * of->value_bytes, to, NULL),
            "reading the results from the device");
  return RH_OK;
}

/* Until the value is on the host, or those of all segments. */
static rh_status take_calls(local *l, uint64_t n, uint32_t calls, rh_taken *taken,
                            rh_error *error) {
  _Alignas(16) unsigned char value[RH_MOST_VALUE_BYTES];
  rh_data data = copy_of(l, 0);
  l->has_values = l->data.lengths != NULL;
  double start = rh_now();
  for (uint32_t k = 0; k < calls; k++)
    RH_TRY(l->has_values ? run_segments(l, &data, NULL, error)
                         : rh_instance_call(l->of.job.instance, &data, n, value, error));
  taken->seconds = (rh_now() - start) / calls;
  if (!l->has_values) rh_job_result(&l->spec, l->name, value, &taken->result);
  return RH_OK;
}

/* The device sees what another process has written. */
static rh_status renew_input(local *l, rh_error *error) {
  rh_job *job = &l->of.job;
  rh_cl_session *session = job->instance_spec.session;
  void *mapped;
  if (!job->device) return RH_OK;
  if (!job->input.in_place)
    return rh_cl_input_write(&job->input, session, l->data.elements, job->input.bytes, error);
  RH_CL_TRY(error,
            rh_cl_map(session->queue, job->input.buffer, CL_MAP_WRITE_INVALIDATE_REGION,
                      job->input.bytes, &mapped),
            "mapping the input");
  RH_CL_TRY(error, rh_cl_unmap(session->queue, job->input.buffer, mapped, NULL),
            "unmapping the input");
  return RH_OK;
}

static rh_status take_chunk(local *l, rh_taken *taken, rh_error *error) {
  rh_chunk *chunk = l->data.region->address;
  rh_job *job = &l->of.job;
  double start = rh_now();
  RH_TRY(renew_input(l, error));
  if (job->data.operands) {
    memcpy(job->operands.constants, chunk->constants, job->spec.operation.op->abi->constants_size);
    if (job->operands.count_slot >= 0)
      job->operands.whole_n = chunk->constants[job->operands.count_slot];
  }
  RH_TRY(rh_instance_call(job->instance, &job->data, chunk->n, chunk->value, error));
  taken->seconds = rh_now() - start;
  rh_job_result(&l->spec, l->name, chunk->value, &taken->result);
  return RH_OK;
}

static void use_queue(local *l, int timed) {
  rh_cl_session *session = l->of.job.instance_spec.session;
  if (session && !l->data.region)
    session->queue = timed ? l->shared->bench_device->timed : l->shared->bench_device->plain;
}

static rh_status local_take(void *self, const rh_take *how, rh_taken *taken, rh_error *error) {
  local *l = self;
  rh_status status;
  *taken = (rh_taken){0};
  enter_phase(l, l->ran && how->kind != RH_TAKE_CHUNK ? RH_PHASE_measuring : RH_PHASE_run);
  l->ran = 1;
  l->has_values = 0;
  if (how->kind == RH_TAKE_CHUNK) return take_chunk(l, taken, error);
  if (how->kind == RH_TAKE_LATENCY) return take_calls(l, l->data.n, how->batch, taken, error);
  if (how->kind == RH_TAKE_PART) return take_calls(l, l->data.n / how->batch, 1, taken, error);
  int stamped = how->kind == RH_TAKE_DEVICE && may_be_stamped(l);
  use_queue(l, stamped);
  status =
      stamped ? take_device(l, how->batch, taken, error) : take_host(l, how->batch, taken, error);
  if (status == RH_OK) status = fetch(l, taken, error);
  use_queue(l, 0);
  return status;
}

/* ---- Parts ---- */

typedef struct parts_tap {
  cl_event events[RH_MAX_PARTS];
  rh_parts *parts;
} parts_tap;

static cl_event *at_every(void *of_tap, const char *stage) {
  parts_tap *tap = of_tap;
  rh_parts *parts = tap->parts;
  if (parts->n == RH_MAX_PARTS) return NULL;
  char *named = parts->list[parts->n].stage;
  snprintf(named, sizeof parts->list->stage, "%s", *stage ? stage : "command");
  rh_make_plain(named); /* it may have any content, and may be cut within a character */
  return &tap->events[parts->n++];
}

static rh_status local_parts(void *self, rh_parts *parts, rh_error *error) {
  local *l = self;
  parts_tap all = {.parts = parts};
  const rh_cl_tap tap = {&all, at_every};
  rh_taken taken;
  *parts = (rh_parts){.n = 0};
  if (!l->of.job.device || l->data.region || l->shared->bench_device->host_clock) return RH_OK;
  rh_cl_session *session = l->of.job.instance_spec.session;
  use_queue(l, 1);
  session->tap = &tap;
  rh_status status = take_calls(l, l->data.n, 1, &taken, error);
  session->tap = NULL;
  if (status == RH_OK) status = wait_for_queue(l, error);
  use_queue(l, 0);
  parts->host_share_s = taken.seconds;
  for (uint32_t k = 0; k < parts->n; k++) {
    double *seconds = &parts->list[k].seconds;
    if (!all.events[k]) continue;
    if (status != RH_OK || rh_span(all.events[k], all.events[k], seconds, NULL) != RH_OK)
      *seconds = 0;
    if (status != RH_OK) rh_cl_release_event(all.events[k]);
    parts->host_share_s -= *seconds;
  }
  parts->host_share_s = fmax(0, parts->host_share_s);
  if (status != RH_OK) parts->n = 0;
  return status;
}

/* ---- Copies of the data ---- */

/* *first: the first of data->copies copies on the host. */
static rh_status pool_host(rh_pool *pool, const rh_bench_data *data, const void **first,
                           rh_error *error) {
  uint64_t bytes = data->copies * data->stride;
  *first = data->elements;
  if (data->copies <= 1) return RH_OK;
  if (pool->region.bytes < bytes) {
    rh_region_finish(&pool->region);
    pool->region_of = 0;
    RH_TRY(rh_region_alloc(&pool->region, bytes, error));
  }
  if (pool->region_of != data->serial)
    for (uint64_t k = 0; k < data->copies; k++)
      memcpy((char *)pool->region.address + k * data->stride, data->elements,
             rh_bench_data_bytes(data));
  pool->region_of = data->serial;
  *first = pool->region.address;
  return RH_OK;
}

/* Uploads one copy; the device then doubles the copies until there are enough. */
static rh_status upload(rh_pool *pool, const rh_bench_data *data, rh_bench_device *bench_device,
                        rh_error *error) {
  cl_command_queue queue = bench_device->plain;
  uint64_t bytes = data->copies * data->stride;
  if (pool->input.bytes < bytes) {
    rh_cl_input_finish(&pool->input);
    RH_TRY(rh_cl_input_reserve(&pool->input, bench_device->session, bytes, 1, error));
  }
  double start = rh_now();
  cl_int code = rh_cl_write(queue, pool->input.buffer, CL_TRUE, 0, rh_bench_data_bytes(data),
                            data->elements, NULL);
  if (code != CL_SUCCESS)
    return rh_cl_fail_short(error, code, "copying the input to the device",
                            bench_device->session->device, pool->input.bytes, 1);
  pool->upload_s = rh_now() - start;
  for (uint64_t there = 1; there < data->copies;) {
    uint64_t more = data->copies - there < there ? data->copies - there : there;
    RH_CL_TRY_IN(bench_device->session, error,
                 rh_cl_copy(queue, pool->input.buffer, 0, there * data->stride,
                            (more - 1) * data->stride + rh_bench_data_bytes(data)),
                 "copying the input on the device");
    there += more;
  }
  RH_CL_TRY_IN(bench_device->session, error, rh_cl_finish(queue), "waiting for the device");
  return RH_OK;
}

/* Puts the copies in one buffer.  If the device shares the host's memory, it wraps the host's
 * copies. */
static rh_status pool_device(rh_pool *pool, const rh_bench_data *data,
                             rh_bench_device *bench_device, rh_error *error) {
  if (!bench_device->session->device->shares_memory) {
    RH_TRY(upload(pool, data, bench_device, error));
  } else {
    const void *first;
    uint64_t bytes = data->copies <= 1 ? rh_bench_data_bytes(data) : data->copies * data->stride;
    rh_cl_input_finish(&pool->input);
    RH_TRY(pool_host(pool, data, &first, error));
    pool->upload_s = 0;
    RH_TRY(rh_cl_input_init(&pool->input, bench_device->session, (void *)(uintptr_t)first, 0, bytes,
                            1, error));
  }
  pool->input_of = data->serial;
  return RH_OK;
}

void rh_pool_finish(rh_pool *pool) {
  rh_cl_input_finish(&pool->input);
  rh_region_finish(&pool->region);
  *pool = (rh_pool){0};
}

/* ---- Opening ---- */

static rh_status attach_data(local *l, rh_opened *opened, rh_error *error) {
  rh_local_shared *shared = l->shared;
  l->of.job.data = (rh_data){0};
  if (!l->of.job.device) return pool_host(&shared->pool, &l->data, &l->of.job.data.host, error);
  RH_TRY(rh_context_session(shared->context, &l->of.job.instance_spec.session, error));
  if (!shared->pool.input.buffer || shared->pool.input_of != l->data.serial)
    RH_TRY(pool_device(&shared->pool, &l->data, shared->bench_device, error));
  l->of.job.data.buffer = shared->pool.input.buffer;
  opened->upload_s = shared->pool.upload_s;
  return RH_OK;
}

/* The parameters, as a list and as text. */
static void note_params(const rh_job *job, rh_opened *opened) {
  size_t used = 0;
  opened->params_from = job->params_from.from;
  snprintf(opened->params_note, sizeof opened->params_note, "%s", job->params_from.note);
  opened->n_used = job->strategy->n_params;
  for (uint32_t k = 0; k < opened->n_used; k++) {
    const rh_param *param = rh_strategy_param(job->strategy, k);
    rh_used_param *to = &opened->used[k];
    to->number = job->instance_spec.params[k];
    to->is_word = param->choices != NULL;
    snprintf(to->key, sizeof to->key, "%s", param->key);
    rh_param_format(param, to->number, to->text, sizeof to->text);
    if (used < sizeof opened->params)
      used += (size_t)snprintf(opened->params + used, sizeof opened->params - used, "%s%s=%s",
                               k ? " " : "", to->key, to->text);
  }
}

void rh_opened_note(const rh_job *job, rh_opened *opened) {
  const rh_answer *answer = &job->answer;
  opened->launches = answer->launches;
  opened->finishes_on_host = answer->finishes_on_host;
  opened->depth = answer->depth;
  opened->scratch_bytes = answer->scratch_bytes;
  opened->local_bytes = answer->local_bytes;
  note_params(job, opened);
}

static void note_answer(const local *l, rh_opened *opened) {
  rh_opened_note(&l->of.job, opened);
  opened->host_clock = !may_be_stamped(l);
}

/* A device's queue takes microseconds for each of them. */
enum { MOST_IN_A_LOOP = 1 << 16 };

/* What columns take to be copied would not be measured. */
static rh_status open_segments(local *l, rh_opened *opened, rh_error *error) {
  RH_TRY(rh_layout_check(&l->data.lengths->layout, l->data.op, l->data.n, error));
  l->spec.operation.layout = &l->data.lengths->layout;
  RH_TRY(rh_segments_open(&l->of, l->shared->context, &l->spec, NULL, error));
  opened->params_from = l->of.job.params_from.from;
  if (l->of.was_copied)
    return rh_fail(error, RH_DECLINED, "it reads columns only after they were copied into rows");
  if (l->of.is_loop && l->of.job.device && l->of.n > MOST_IN_A_LOOP)
    return rh_fail(error, RH_DECLINED, "it would run once for each of %llu segments",
                   (unsigned long long)l->of.n);
  return RH_OK;
}

static rh_status local_ask(void *self, const rh_bench_data *data, rh_opened *opened,
                           rh_error *error) {
  local *l = self;
  const rh_local_shared *shared = l->shared;
  *opened = (rh_opened){0};
  l->data = *data;
  l->next = 0;
  l->commands = UNKNOWN;
  l->enqueues_alone = l->ran = 0;
  l->spec = (rh_job_spec){.strategy = l->name,
                          .plugin = l->path,
                          .operation.op = data->op,
                          .operation.n = data->n,
                          .settings = l->settings,
                          .n_settings = l->n_settings,
                          .others_too = !shared->strict,
                          .untuned = shared->untuned,
                          .operation.what = shared->what};
  if (data->op->is_custom) memcpy(l->spec.offsets, data->offsets, sizeof l->spec.offsets);
  enter_phase(l, RH_PHASE_loading);
  if (data->lengths) {
    RH_TRY(open_segments(l, opened, error));
  } else {
    RH_TRY(rh_job_open(&l->of.job, shared->context, &l->spec, error));
    opened->params_from = l->of.job.params_from.from; /* also if query declined */
    enter_phase(l, RH_PHASE_query);
    RH_TRY(rh_job_ask(&l->of.job, error));
  }
  note_answer(l, opened);
  l->asked = 1;
  return RH_OK;
}

/* Sets up, with the data in place or with copies of them; segments were set up with the layout. */
static rh_status set_up(local *l, rh_opened *opened, rh_error *error) {
  const rh_bench_data *data = &l->data;
  rh_job *job = &l->of.job;
  if (data->region) {
    RH_TRY(rh_job_setup(job, data->region->address, data->offset, error));
    opened->setup_s = job->setup_s;
    opened->upload_s = job->input.upload_s;
    opened->in_place = (uint32_t)job->input.in_place;
    return RH_OK;
  }
  RH_TRY(attach_data(l, opened, error));
  if (!data->lengths) {
    RH_TRY(rh_job_instantiate(job, error));
    opened->setup_s = job->setup_s;
    return RH_OK;
  }
  if (!job->device || job->answer.finishes_on_host || l->of.n == 0) return RH_OK;
  return rh_cl_buffer(job->instance_spec.session, CL_MEM_READ_WRITE, l->of.n * l->of.value_bytes,
                      NULL, "allocating the results", &l->results, error);
}

static rh_status open_point(void *self, const rh_bench_data *data, rh_opened *opened,
                            rh_error *error) {
  local *l = self;
  rh_cl_session *session = NULL;
  if (!l->asked) RH_TRY(local_ask(self, data, opened, error));
  l->asked = 0;
  l->data = *data;
  *opened = (rh_opened){.params_from = l->of.job.params_from.from};
  enter_phase(l, RH_PHASE_setup);
  if (l->of.job.device) RH_TRY(rh_context_session(l->shared->context, &session, error));
  uint32_t builds = session ? session->builds : 0, cached = session ? session->builds_cached : 0;
  double built = session ? session->build_s : 0;
  RH_TRY(set_up(l, opened, error));
  opened->build_s = session ? session->build_s - built : 0;
  opened->build_cached = session && session->builds > builds &&
                         session->builds - builds == session->builds_cached - cached;
  note_answer(l, opened);
  return RH_OK;
}

static rh_status close_it(void *self, rh_error *error) {
  local *l = self;
  (void)error; /* a plugin that fails here takes this process down */
  enter_phase(l, RH_PHASE_teardown);
  use_queue(l, 0);
  rh_cl_release_buffer(l->results);
  l->results = NULL;
  rh_segments_finish(&l->of);
  l->asked = 0;
  return RH_OK;
}

static void local_finish(void *self) {
  local *l = self;
  free(l->path);
  free(l->settings);
  free(l);
}

rh_status rh_local_sampler(rh_sampler *sampler, rh_local_shared *shared, const rh_found *found,
                           const rh_setting *settings, uint64_t n_settings, rh_error *error) {
  local *l;
  RH_TRY(RH_NEW(&l, 1, "a sampler", error));
  l->shared = shared;
  l->path = rh_copy_string(found->path);
  l->settings = malloc((n_settings + 1) * sizeof *settings);
  if (!l->path || !l->settings) {
    local_finish(l);
    return rh_fail(error, RH_E_NOMEM, "no memory for a sampler");
  }
  for (; l->n_settings < n_settings; l->n_settings++)
    l->settings[l->n_settings] = settings[l->n_settings];
  snprintf(l->name, sizeof l->name, "%s", found->name);
  *sampler = (rh_sampler){.self = l,
                          .ask = local_ask,
                          .open = open_point,
                          .take = local_take,
                          .parts = local_parts,
                          .values = local_values,
                          .close = close_it,
                          .finish = local_finish};
  snprintf(sampler->name, sizeof sampler->name, "%s", found->name);
  return RH_OK;
}
