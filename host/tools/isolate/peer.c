/* The samplers of peer programs, and of strategies in processes of their own. */
#include "internal.h"

/* ---- Peer programs ---- */

rh_status rh_peers_start(rh_peers **peers, const char *program, const rh_options *options,
                         double limit_s, rh_error *error) {
  rh_text who = {0};
  *peers = NULL;
  rh_text_add(&who, "peer program %s", program);
  rh_peers *made = rh_peers_make(rh_copy_string(program), who.s, options, limit_s);
  if (!made) return rh_fail(error, RH_E_NOMEM, "no memory for a peer program");
  rh_status status = rh_peers_run(made, &(rh_bench_data){0}, error);
  if (status != RH_OK) {
    rh_peers_finish(made);
    return status;
  }
  *peers = made;
  return RH_OK;
}

uint32_t rh_peers_count(const rh_peers *peers) { return peers->n; }

const char *rh_peers_about(const rh_peers *peers, uint32_t k) { return peers->list[k].about; }

/* All samplers share the process, which ends with rh_peers_finish. */
static void finish_sampler(void *self) { (void)self; }

rh_sampler rh_peers_sampler(rh_peers *peers, uint32_t k) {
  rh_sampler sampler = {
      .self = &peers->list[k],
      .is_peer = 1,
      .reproducible = RH_BITS_VARY, /* peers promise nothing */
      .open = rh_peer_open,
      .take = rh_peer_take,
      .values = rh_peer_values,
      .close = rh_peer_close,
      .finish = finish_sampler,
  };
  snprintf(sampler.name, sizeof sampler.name, "%s", peers->list[k].name);
  return sampler;
}

/* ---- Strategies ---- */

static void finish_all(void *self) { rh_peers_finish(((rh_peer *)self)->peers); }

/* Adds the texts that the child makes the operators of. */
static rh_status add_own(rh_peers *peers, const rh_isolated_spec *spec, rh_error *error) {
  for (uint32_t k = 0; k < spec->n_own; k++) {
    if (!spec->own[k]) continue;
    const rh_operation operation = {.op = &spec->own[k]->face};
    char *text = rh_operation_text(&operation, NULL);
    if (!text) return rh_fail(error, RH_E_NOMEM, "no memory for an operator");
    rh_request_add(&peers->order, "own", text);
    free(text);
    peers->own[peers->n_own++] = spec->own[k];
  }
  return RH_OK;
}

static rh_status take_order(rh_peers *peers, const rh_isolated_spec *spec, rh_error *error) {
  rh_sample_order_write(&peers->order, spec);
  RH_TRY(add_own(peers, spec, error));
  peers->found = (rh_found){.path = rh_copy_string(spec->found->path)};
  snprintf(peers->found.name, sizeof peers->found.name, "%s", spec->found->name);
  if (peers->order.failed || !peers->found.path)
    return rh_fail(error, RH_E_NOMEM, "no memory to ask for a strategy");
  peers->process.own = (rh_peer_own){.role = spec->role ? spec->role : "--sample",
                                     .strategy = peers->found.name,
                                     .plugin = peers->found.path};
  return RH_OK;
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

rh_status rh_isolated_start(const rh_sampler *sampler, const rh_bench_data *data, rh_error *error) {
  return rh_peers_run(((rh_peer *)sampler->self)->peers, data, error);
}

rh_status rh_isolated_sampler(rh_sampler *sampler, const rh_isolated_spec *spec, rh_error *error) {
  char *program;
  RH_TRY(rh_child_program(spec->options, &program, error));
  rh_peers *made =
      rh_peers_make(program, rh_copy_string(spec->found->name), spec->options, spec->limit_s);
  if (!made) return rh_fail(error, RH_E_NOMEM, "no memory for a strategy's process");
  rh_status status = take_order(made, spec, error);
  if (status != RH_OK) {
    rh_peers_finish(made);
    return status;
  }
  made->n = 1;
  made->list[0] = (rh_peer){.peers = made};
  snprintf(made->list[0].name, sizeof made->list[0].name, "%s", spec->found->name);
  *sampler = rh_peers_sampler(made, 0);
  sampler->is_peer = 0;
  sampler->ask = rh_peer_ask;
  sampler->parts = rh_peer_parts;
  sampler->finish = finish_all;
  return RH_OK;
}
