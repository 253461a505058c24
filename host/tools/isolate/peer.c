/* The samplers of peer programs, and of strategies in processes of their own. */
#include "internal.h"

#include <sys/mman.h>

enum { MOST_LOSSES = 3 };

/* ---- A program and its process ---- */

/* Takes over `program` and `who`, malloc'ed.  Null if out of memory. */
static rh_peers *make(char *program, char *who, const rh_options *options, double limit_s) {
  rh_peers *made = program && who ? calloc(1, sizeof *made) : NULL;
  if (!made) {
    free(program);
    free(who);
    return NULL;
  }
  made->data = made->reader = -1;
  made->program = program;
  made->who = who;
  made->process = (rh_peer_process){
      .program = program, .who = who, .options = options, .limit_s = limit_s, .data = -1};
  return made;
}

/* The first start creates the list; later starts must offer the same peers. */
static const char *add_peer(rh_peers *peers, uint32_t k, const rh_peer_message *said, int first) {
  if (k == RH_PEERS_MOST) return "offered more than 32 peers";
  if (!first)
    return k < peers->n && strcmp(peers->list[k].name, said->name) == 0
               ? NULL
               : "offered other peers than before";
  for (uint32_t other = 0; other < peers->n; other++)
    if (strcmp(peers->list[other].name, said->name) == 0) return "offered two peers of one name";
  rh_peer *added = &peers->list[peers->n++];
  *added = (rh_peer){.peers = peers};
  snprintf(added->name, sizeof added->name, "%s", said->name);
  rh_copy_plain(added->about, sizeof added->about, said->text);
  return NULL;
}

static rh_status greet(rh_peers *peers, int first, rh_error *error) {
  static const rh_peer_question listen_only = {.verb = "its greeting"};
  rh_peer_process *process = &peers->process;
  const char *wrong = NULL;
  uint32_t k = 0;
  RH_TRY(rh_peer_process_ask(process, &listen_only, error));
  if (process->word == RH_PEER_FAILED) {
    rh_status status = rh_fail(error, RH_E_PLUGIN, "%s: %s", peers->who, process->said.text);
    rh_peer_process_end(process);
    return status;
  }
  if (process->word != RH_PEER_HELLO) wrong = "did not begin with 'redhost-peer 1'";
  while (!wrong) {
    RH_TRY(rh_peer_process_ask(process, &listen_only, error));
    int is_ready = process->word == RH_PEER_READY;
    if (is_ready && k == peers->n && k) return RH_OK;
    if (is_ready) wrong = k ? "offered fewer peers than before" : "offered no peer";
    else if (process->word == RH_PEER_NAMED) wrong = add_peer(peers, k++, &process->said, first);
    else wrong = "answered out of order";
  }
  return rh_peer_process_protocol_error(process, wrong, error);
}

/* For a strategy's process: describes the data that it will find. */
static rh_status write_request(rh_peers *peers, rh_error *error) {
  rh_text *request = &peers->request;
  const rh_region *region = peers->process.own.region;
  rh_sample_data data = {0};
  if (region) data = (rh_sample_data){region->bytes, peers->offset, peers->in_chunks};
  rh_text_finish(request);
  *request = (rh_text){0};
  rh_text_append(request, peers->order.s, peers->order.length);
  rh_sample_data_write(request, &data);
  RH_TRY(rh_request_end(request, error));
  peers->process.request = request->s;
  peers->process.request_bytes = request->length;
  return RH_OK;
}

static rh_status ensure_running(rh_peers *peers, rh_error *error) {
  rh_peer_process *process = &peers->process;
  if (process->runs) return RH_OK;
  if (process->losses >= MOST_LOSSES)
    return rh_fail(error, RH_E_PLUGIN, "not tried again after %u losses in a row: %s",
                   process->losses, process->why);
  if (process->own.role) RH_TRY(write_request(peers, error));
  RH_TRY(rh_peer_process_start(process, error));
  return process->own.role ? RH_OK : greet(peers, peers->n == 0, error);
}

/* A descriptor in another process cannot be exchanged, so a program keeps one file. */
static rh_status open_data(rh_peers *peers, rh_error *error) {
  char path[40];
  if (peers->reader >= 0) return RH_OK;
  peers->data = memfd_create("redhost-peer-data", MFD_CLOEXEC);
  snprintf(path, sizeof path, "/proc/self/fd/%d", peers->data);
  if (peers->data >= 0) peers->reader = open(path, O_RDWR | O_CLOEXEC);
  peers->process.data = peers->reader;
  if (peers->reader >= 0) return RH_OK;
  return rh_fail(error, RH_E_NOMEM, "cannot create a file for a peer's data: %s", strerror(errno));
}

/* The process gets its region at its start, so another region needs another process. */
static rh_status bind_data(rh_peers *peers, const rh_bench_data *data, rh_error *error) {
  rh_peer_process *process = &peers->process;
  if (!data->region) return open_data(peers, error);
  if (!data->region->shared)
    return rh_fail(error, RH_E_INTERNAL, "data that cannot be shared with another process");
  if (process->own.region != data->region || peers->offset != data->offset)
    rh_peer_process_end(process);
  if (!data->in_chunks) rh_region_seal(data->region);
  process->own.region = data->region;
  peers->offset = data->offset;
  peers->in_chunks = data->in_chunks;
  process->data = data->region->file;
  return RH_OK;
}

rh_status rh_peers_run(rh_peers *peers, const rh_bench_data *data, rh_error *error) {
  RH_TRY(bind_data(peers, data, error));
  return ensure_running(peers, error);
}

void rh_peers_finish(rh_peers *peers) {
  if (!peers) return;
  rh_peer_process_end(&peers->process);
  if (peers->reader >= 0) close(peers->reader);
  if (peers->data >= 0) close(peers->data);
  free(peers->program);
  free(peers->who);
  rh_found_finish(&peers->found);
  rh_text_finish(&peers->order);
  rh_text_finish(&peers->request);
  free(peers);
}

/* ---- Peer programs ---- */

rh_status rh_peers_start(rh_peers **peers, const char *program, const rh_options *options,
                         double limit_s, rh_error *error) {
  rh_text who = {0};
  *peers = NULL;
  rh_text_add(&who, "peer program %s", program);
  rh_peers *made = make(rh_copy_string(program), who.s, options, limit_s);
  if (!made) return rh_fail(error, RH_E_NOMEM, "no memory for a peer program");
  rh_status status = open_data(made, error);
  if (status == RH_OK) status = ensure_running(made, error);
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
  rh_peers *made = make(program, rh_copy_string(spec->found->name), spec->options, spec->limit_s);
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
