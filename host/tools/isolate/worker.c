#include "isolate.h"

enum { ELEMENTS_AT = 4096 }; /* behind the chunk's head */

struct rh_isolated_worker {
  rh_remote remote; /* the first */
  rh_isolated_worker_spec spec;
  rh_options options; /* the context's, with a reporter of its own */
  rh_sampler sampler;
  rh_region region;
  rh_bench_data data;
  uint64_t offsets[RH_MOST_OPERANDS];
  rh_opened opened;
  int is_set_up;
};

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

rh_remote *rh_isolated_worker_remote(rh_isolated_worker *w) { return &w->remote; }

const rh_opened *rh_isolated_worker_opened(const rh_isolated_worker *w) { return &w->opened; }

rh_status rh_isolated_worker_start(rh_isolated_worker *w, rh_error *error) {
  RH_TRY(place(w, w->spec.job->operation.op, w->spec.most_n, error));
  return rh_isolated_start(&w->sampler, &w->data, error);
}
