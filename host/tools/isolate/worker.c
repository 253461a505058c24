#include "internal.h"

/* ---- The sampler ---- */

void rh_sample_order_write(rh_text *to, const rh_isolated_spec *spec) {
  rh_sample_numbers is = {.answer_bytes = RH_ANSWER_BYTES,
                          .untuned = spec->untuned,
                          .strict = spec->strict,
                          .is_known = spec->bench_device != NULL};
  const rh_options options = {.device = spec->device ? spec->device->label : NULL,
                              .cache_dir = spec->options->cache_dir,
                              .no_cache = spec->options->no_cache};
  if (spec->bench_device) is.known = *spec->bench_device;
  rh_request_begin(to);
  rh_request_add_options(to, &options);
  rh_request_add(to, "strategy", spec->found->name);
  rh_request_add(to, "plugin", spec->found->path);
  rh_request_add(to, "what", spec->what);
  for (uint64_t k = 0; k < spec->n_settings; k++) {
    rh_request_add(to, "setting", spec->settings[k].key);
    rh_request_add(to, "value", spec->settings[k].value);
  }
  rh_request_add_struct(to, "is", &is, sizeof is);
}

static rh_status take_order(rh_peers *peers, const rh_isolated_spec *spec, rh_error *error) {
  rh_sample_order_write(&peers->request, spec);
  for (uint32_t k = 0; k < spec->n_own; k++) {
    if (!spec->own[k]) continue;
    const rh_operation operation = {.op = &spec->own[k]->face};
    RH_FREED(char) text = rh_operation_text(&operation, NULL);
    if (!text) return rh_fail(error, RH_E_NOMEM, "no memory for an operator");
    rh_request_add(&peers->request, "own", text);
    peers->own[peers->n_own++] = spec->own[k];
  }
  RH_TRY(rh_request_end(&peers->request, error));
  peers->role = spec->role ? spec->role : "--sample";
  peers->n = 1;
  peers->list[0] = (rh_peer){.peers = peers};
  snprintf(peers->list[0].name, sizeof peers->list[0].name, "%s", spec->found->name);
  return rh_copy(&peers->plugin, spec->found->path, "a path", error);
}

rh_status rh_isolated_job(rh_sampler *sampler, const rh_options *options, const rh_job_spec *job,
                          const rh_cl_device *device, double limit_s, rh_error *error) {
  rh_custom *const own[] = {(rh_custom *)(uintptr_t)job->operation.op}; /* read-only */
  rh_found found = {.path = (char *)(uintptr_t)job->plugin};
  snprintf(found.name, sizeof found.name, "%s", job->strategy);
  const rh_isolated_spec spec = {.options = options,
                                 .found = &found,
                                 .device = device,
                                 .settings = job->settings,
                                 .n_settings = job->n_settings,
                                 .own = own,
                                 .n_own = job->operation.op->is_custom != 0,
                                 .strict = 1,
                                 .what = job->operation.what,
                                 .role = "--work",
                                 .limit_s = limit_s};
  return rh_isolated_sampler(sampler, &spec, error);
}

rh_status rh_isolated_sampler(rh_sampler *sampler, const rh_isolated_spec *spec, rh_error *error) {
  char *program;
  rh_peers *made;
  RH_TRY(rh_child_program(spec->options, &program, error));
  rh_status status = rh_peers_make(&made, program, spec->options, spec->limit_s, error);
  if (status == RH_OK) status = take_order(made, spec, error);
  if (status != RH_OK) {
    rh_peers_finish(made);
    return status;
  }
  *sampler = rh_peers_sampler(made, 0);
  return RH_OK;
}

/* ---- A job's remote ---- */

enum { ELEMENTS_AT = 4096 }; /* behind the chunk's head */

static void pass_log(void *of_worker, uint32_t level, const char *text) {
  const rh_isolated_worker *w = of_worker;
  rh_log(&w->spec.context->options.reporter, level, "%s", text);
}

static int pass_progress(void *of_worker, const char *activity, uint64_t done, uint64_t total) {
  const rh_isolated_worker *w = of_worker;
  if (w->spec.stop && atomic_load(w->spec.stop)) return 1;
  return w->spec.is_first &&
         rh_progress(&w->spec.context->options.reporter, activity, done, total, NULL) != RH_OK;
}

/* ---- The problem ---- */

/* The region has room for most_n elements of each operand. */
static rh_status place(rh_isolated_worker *w, const rh_operator *op, uint64_t n, rh_error *error) {
  rh_job_spec job = {.operation = {.op = op, .n = w->spec.most_n}};
  uint64_t bytes = rh_operand_layout(&job, w->offsets);
  if (n > w->spec.most_n)
    return rh_fail(error, RH_E_INTERNAL, "%llu elements for a process that has room for %llu",
                   (unsigned long long)n, (unsigned long long)w->spec.most_n);
  if (!w->region.address) RH_TRY(rh_region_alloc_shared(&w->region, ELEMENTS_AT + bytes, error));
  w->data = (rh_bench_data){.op = op,
                            .n = n,
                            .elements = (char *)w->region.address + ELEMENTS_AT,
                            .region = &w->region,
                            .offset = ELEMENTS_AT,
                            .in_chunks = 1,
                            .offsets = w->offsets,
                            .custom_bytes = bytes};
  return RH_OK;
}

static rh_status ask_strategy(rh_remote *remote, const rh_instance_spec *spec, rh_answer *answer,
                              rh_error *error) {
  rh_isolated_worker *w = (rh_isolated_worker *)remote;
  RH_TRY(rh_isolated_worker_rest(w, error));
  RH_TRY(place(w, spec->op, spec->max_n, error));
  RH_TRY(w->sampler.ask(w->sampler.self, &w->data, &w->opened, error));
  *answer = (rh_answer){.struct_size = sizeof *answer,
                        .launches = w->opened.launches,
                        .finishes_on_host = 1,
                        .depth = w->opened.depth,
                        .scratch_bytes = w->opened.scratch_bytes,
                        .local_bytes = w->opened.local_bytes};
  return RH_OK;
}

/* An operator by code combines the parts' values in this process. */
static rh_status set_up(rh_remote *remote, const rh_instance_spec *spec, rh_error *error) {
  rh_isolated_worker *w = (rh_isolated_worker *)remote;
  RH_TRY(rh_by_code_prepare(spec->op, w->spec.context, error));
  RH_TRY(rh_isolated_worker_rest(w, error));
  RH_TRY(place(w, spec->op, spec->max_n, error));
  w->is_set_up = 1;
  return w->sampler.open(w->sampler.self, &w->data, &w->opened, error);
}

static void copy_operands(const rh_isolated_worker *w, const rh_run *run) {
  const rh_operator *op = w->data.op;
  char *to = (char *)w->region.address + ELEMENTS_AT;
  rh_chunk *chunk = w->region.address;
  chunk->n = run->n;
  if (run->n_operands) memcpy(chunk->constants, run->constants, op->abi->constants_size);
  for (uint32_t k = 0; k < op->n_operands && run->n; k++) {
    uint32_t size = rh_type_size(op->operands[k].type);
    const char *from = run->n_operands ? run->host_operands[k] : run->host_input;
    memcpy(to + w->offsets[k], from + (run->n_operands ? 0 : run->first) * size, run->n * size);
  }
}

static rh_status run(rh_remote *remote, const rh_instance_spec *spec, const rh_run *run,
                     void *value, rh_error *error) {
  static const rh_take one = {RH_TAKE_CHUNK, 1};
  rh_isolated_worker *w = (rh_isolated_worker *)remote;
  rh_taken taken;
  if (!w->is_set_up || spec->op != w->data.op || spec->max_n != w->data.n)
    RH_TRY(set_up(remote, spec, error));
  copy_operands(w, run);
  RH_TRY(w->sampler.take(w->sampler.self, &one, &taken, error));
  memcpy(value, ((rh_chunk *)w->region.address)->value, spec->op->abi->value_size);
  return RH_OK;
}

rh_status rh_isolated_worker_rest(rh_isolated_worker *w, rh_error *error) {
  if (!w->is_set_up) return RH_OK;
  w->is_set_up = 0;
  return w->sampler.close(w->sampler.self, error);
}

/* ---- The process ---- */

/* It is asked for its functions' answers only, and checked as a strategy of the host: what it keeps
 * in the control word, or does with layouts, is not seen here. */
rh_status rh_isolated_worker_open(rh_isolated_worker **made, const rh_isolated_worker_spec *spec,
                                  rh_error *error) {
  rh_isolated_worker *w;
  RH_TRY(RH_NEW(made, 1, "a strategy's process", error));
  w = *made;
  w->spec = *spec;
  w->options = spec->context->options;
  w->options.device = NULL;
  w->options.reporter = (rh_reporter){w, pass_log, pass_progress};
  w->remote = (rh_remote){
      .strategy = {.struct_size = sizeof(rh_strategy),
                   .device_kinds = RH_DEVICE_HOST,
                   .name = spec->found->name,
                   .promises = spec->found->promises & ~(RH_KEEPS_FP_CONTROL | RH_SERVES_LAYOUTS)},
      .device = spec->device,
      .ask = ask_strategy,
      .set_up = set_up,
      .run = run};
  return rh_isolated_job(&w->sampler, &w->options, spec->job, spec->device, spec->limit_s, error);
}

void rh_isolated_worker_close(rh_isolated_worker *w) {
  if (!w) return;
  rh_isolated_worker_rest(w, NULL);
  if (w->sampler.self) w->sampler.finish(w->sampler.self);
  rh_region_finish(&w->region);
  free(w);
}

rh_status rh_isolated_worker_start(rh_isolated_worker *w, rh_error *error) {
  RH_TRY(place(w, w->spec.job->operation.op, w->spec.most_n, error));
  return rh_peers_run(((rh_peer *)w->sampler.self)->peers, &w->data, error);
}
