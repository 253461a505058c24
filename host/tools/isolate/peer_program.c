#include "internal.h"

#include <sys/mman.h>

enum { MOST_LOSSES = 3 };

rh_peers *rh_peers_make(char *program, char *who, const rh_options *options, double limit_s) {
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
