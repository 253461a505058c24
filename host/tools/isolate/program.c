#include "internal.h"

#include <sys/mman.h>

enum { MOST_LOSSES = 3 };

/* ---- The program ---- */

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
  const char *wrong = NULL;
  uint32_t k = 0;
  RH_TRY(rh_peers_ask(peers, &listen_only, error));
  if (peers->word == RH_PEER_FAILED) {
    rh_status status =
        rh_fail(error, RH_E_PLUGIN, "peer program %s: %s", peers->program, peers->said.text);
    rh_peers_end_process(peers);
    return status;
  }
  if (peers->word != RH_PEER_HELLO) wrong = "did not begin with 'redhost-peer 1'";
  while (!wrong) {
    RH_TRY(rh_peers_ask(peers, &listen_only, error));
    int is_ready = peers->word == RH_PEER_READY;
    if (is_ready && k == peers->n && k) return RH_OK;
    if (is_ready) wrong = k ? "offered fewer peers than before" : "offered no peer";
    else if (peers->word == RH_PEER_NAMED) wrong = add_peer(peers, k++, &peers->said, first);
    else wrong = "answered out of order";
  }
  return rh_peers_protocol_error(peers, wrong, error);
}

/* A descriptor in another process cannot be exchanged, so a program keeps one file. */
static rh_status open_data(rh_peers *peers, rh_error *error) {
  char path[40];
  if (peers->reader >= 0) return RH_OK;
  peers->data = memfd_create("redhost-peer-data", MFD_CLOEXEC);
  snprintf(path, sizeof path, "/proc/self/fd/%d", peers->data);
  if (peers->data >= 0) peers->reader = open(path, O_RDWR | O_CLOEXEC);
  if (peers->reader >= 0) return RH_OK;
  return rh_fail(error, RH_E_NOMEM, "cannot create a file for a peer's data: %s", strerror(errno));
}

/* The process gets its region at its start, so another region needs another process. */
static rh_status bind_data(rh_peers *peers, const rh_bench_data *data, rh_error *error) {
  if (!data->region) return open_data(peers, error);
  if (!data->region->shared)
    return rh_fail(error, RH_E_INTERNAL, "data that cannot be shared with another process");
  if (peers->region != data->region) rh_peers_end_process(peers);
  if (!data->in_chunks) rh_region_seal(data->region);
  peers->region = data->region;
  return RH_OK;
}

rh_status rh_peers_run(rh_peers *peers, const rh_bench_data *data, rh_error *error) {
  RH_TRY(bind_data(peers, data, error));
  if (peers->runs) return RH_OK;
  if (peers->losses >= MOST_LOSSES)
    return rh_fail(error, RH_E_PLUGIN, "not tried again after %u losses in a row: %s",
                   peers->losses, peers->why);
  RH_TRY(rh_peers_start_process(peers, error));
  return peers->role ? RH_OK : greet(peers, peers->n == 0, error);
}

void rh_peers_finish(rh_peers *peers) {
  if (!peers) return;
  rh_peers_end_process(peers);
  if (peers->reader >= 0) close(peers->reader);
  if (peers->data >= 0) close(peers->data);
  free(peers->program);
  rh_found_finish(&peers->found);
  rh_text_finish(&peers->request);
  free(peers);
}

/* ---- Peer programs ---- */

rh_status rh_peers_make(rh_peers **made, char *program, const rh_options *options, double limit_s,
                        rh_error *error) {
  rh_status status = RH_NEW(made, 1, "a process", error);
  if (status != RH_OK) {
    free(program);
    return status;
  }
  **made = (rh_peers){
      .program = program, .options = options, .limit_s = limit_s, .data = -1, .reader = -1};
  return program ? RH_OK : rh_fail(error, RH_E_NOMEM, "no memory for a path");
}

rh_status rh_peers_start(rh_peers **peers, const char *program, const rh_options *options,
                         double limit_s, rh_error *error) {
  rh_status status = rh_peers_make(peers, rh_copy_string(program), options, limit_s, error);
  if (status == RH_OK) status = rh_peers_run(*peers, &(rh_bench_data){0}, error);
  if (status == RH_OK) return RH_OK;
  rh_peers_finish(*peers);
  *peers = NULL;
  return status;
}

uint32_t rh_peers_count(const rh_peers *peers) { return peers->n; }

const char *rh_peers_about(const rh_peers *peers, uint32_t k) { return peers->list[k].about; }
