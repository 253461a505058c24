#include "peer.h"
#include "../../core/base/error.h"
#include "../../core/base/text.h"
#include "../../core/base/vocabulary.h"
#include "peer_process.h"
#include "request.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_LOSSES = 3 };

typedef struct peer {
  rh_peers *peers;
  char name[64], about[256];
  uint32_t holds_data; /* it counts among those that the data stand there for */
  uint32_t opened_in;  /* the start of the process that has its point open; 0: none has */
  uint32_t op;
  rh_type type;
  uint32_t has_parts;
} peer;

struct rh_peers {
  char *program, *who;
  rh_found found; /* of a strategy's own process; its name and its file */
  rh_text order;  /* what that is asked for, whatever the data */
  rh_text request;
  rh_peer_process process;
  peer list[RH_PEERS_MOST];
  uint32_t n;
  int data, reader; /* a file without a name; the program has it for reading */
  uint32_t n_holding;
  const void *filled_from;
  uint64_t filled_bytes;
  uint64_t offset; /* of the data in process.own.region */
};

/* ---- The data ---------------------------------------------------------------------------------------------------- */

/* One file for as long as the program lives, since a descriptor cannot be exchanged in another process; it holds the
 * data only while a point is open. */
static rh_status open_data(rh_peers *peers, rh_error *error) {
  char path[40];
  if (peers->reader >= 0) return RH_OK;
  peers->data = memfd_create("redhost-peer-data", MFD_CLOEXEC);
  snprintf(path, sizeof path, "/proc/self/fd/%d", peers->data);
  if (peers->data >= 0) peers->reader = open(path, O_RDONLY | O_CLOEXEC);
  peers->process.data = peers->reader;
  if (peers->reader >= 0) return RH_OK;
  return rh_fail(error, RH_E_NOMEM, "no file for a peer's data: %s", strerror(errno));
}

/* Data that lie in a region the process has from its start: another region means another process. */
static rh_status bind_region(rh_peers *peers, const rh_bench_data *data, rh_error *error) {
  rh_peer_process *process = &peers->process;
  if (!data->region) return open_data(peers, error);
  if (!data->region->shared)
    return rh_fail(error, RH_E_INTERNAL, "data that cannot be shared with another process");
  if (process->own.region != data->region || peers->offset != data->offset)
    rh_peer_process_end(process);
  rh_region_seal(data->region);
  process->own.region = data->region;
  peers->offset = data->offset;
  process->data = data->region->file;
  return RH_OK;
}

static int write_at(int file, const char *from, uint64_t bytes) {
  uint64_t done = 0;
  while (done < bytes) {
    ssize_t wrote = pwrite(file, from + done, bytes - done, (off_t)done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return -1;
    done += (uint64_t)wrote;
  }
  return 0;
}

static rh_status hold_data(peer *me, const rh_bench_data *data, rh_error *error) {
  rh_peers *peers = me->peers;
  uint64_t bytes = data->n * rh_type_size(data->type);
  if (data->region) return RH_OK; /* it lies where the process finds it */
  if (peers->n_holding) {
    if (peers->filled_from != data->elements || peers->filled_bytes != bytes)
      return rh_fail(error, RH_E_INTERNAL, "%s: two points at once", peers->who);
  } else if (ftruncate(peers->data, 0) != 0 || write_at(peers->data, data->elements, bytes) != 0) {
    return rh_fail(error, RH_E_NOMEM, "%s: no memory to hand over %" PRIu64 " bytes: %s",
                   peers->who, bytes, strerror(errno));
  }
  peers->filled_from = data->elements;
  peers->filled_bytes = bytes;
  peers->n_holding++;
  me->holds_data = 1;
  return RH_OK;
}

static void let_data_go(peer *me) {
  rh_peers *peers = me->peers;
  if (!me->holds_data) return;
  me->holds_data = 0;
  /* Where this fails, memory is given back later. */
  if (--peers->n_holding == 0 && ftruncate(peers->data, 0) != 0) return;
}

/* ---- Greeting ---------------------------------------------------------------------------------------------------- */

/* The first start makes the list, a later one has to agree with it. */
static const char *add_peer(rh_peers *peers, uint32_t k, const rh_peer_said *said, int first) {
  if (k == RH_PEERS_MOST) return "offered more than 32 peers";
  if (!first)
    return k < peers->n && strcmp(peers->list[k].name, said->name) == 0
               ? NULL
               : "offered other peers than before";
  for (uint32_t other = 0; other < peers->n; other++)
    if (strcmp(peers->list[other].name, said->name) == 0) return "offered two peers of one name";
  peer *added = &peers->list[peers->n++];
  *added = (peer){.peers = peers};
  snprintf(added->name, sizeof added->name, "%s", said->name);
  snprintf(added->about, sizeof added->about, "%s", said->text);
  return NULL;
}

static rh_status greet(rh_peers *peers, int first, rh_error *error) {
  static const rh_peer_question listen_only = {.verb = "its greeting"};
  rh_peer_process *process = &peers->process;
  rh_peer_word word;
  rh_peer_said said;
  const char *wrong = NULL;
  uint32_t k = 0;
  RH_TRY(rh_peer_process_ask(process, &listen_only, &word, &said, error));
  if (word == RH_PEER_FAILED) {
    rh_peer_process_end(process);
    return rh_fail(error, RH_E_PLUGIN, "%s: %s", peers->who, said.text);
  }
  if (word != RH_PEER_HELLO) wrong = "did not begin with 'redhost-peer 1'";
  while (!wrong) {
    RH_TRY(rh_peer_process_ask(process, &listen_only, &word, &said, error));
    if (word == RH_PEER_READY && k == peers->n && k) return RH_OK;
    if (word == RH_PEER_READY)
      wrong = k ? "offered fewer peers than before" : "offered no peer";
    else if (word == RH_PEER_NAMED)
      wrong = add_peer(peers, k++, &said, first);
    else
      wrong = "answered out of order";
  }
  return rh_peer_process_misspoke(process, &listen_only, wrong, error);
}

/* Of a strategy's own process: which data it will find. */
static rh_status write_request(rh_peers *peers, rh_error *error) {
  rh_text *request = &peers->request;
  const rh_region *region = peers->process.own.region;
  rh_sample_data data = {0};
  if (region) data = (rh_sample_data){region->bytes, peers->offset};
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
  int first = peers->n == 0;
  if (process->own.role) RH_TRY(write_request(peers, error));
  RH_TRY(rh_peer_process_start(process, error));
  return greet(peers, first, error);
}

/* ---- The sampler ------------------------------------------------------------------------------------------------- */

static rh_status said_no(const peer *me, const rh_peer_said *said, rh_status status,
                         rh_error *error) {
  return rh_fail(error, status, "%s: %s", me->name, said->text);
}

/* "open" or "ask" */
static rh_status ask_for_point(peer *me, const char *verb, const rh_bench_data *data,
                               rh_peer_word *word, rh_peer_said *said, rh_error *error) {
  char line[256];
  rh_peer_question question = {line, me->name, verb, data->op, data->type};
  snprintf(line, sizeof line, "%s %s %s %s %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", verb, me->name,
           rh_op_name(data->op), rh_type_name(data->type), data->n, data->copies, data->stride);
  /* Redhost's own are closed whatever they answer: a plugin is open there. */
  if (me->peers->process.own.role) me->opened_in = me->peers->process.starts;
  RH_TRY(rh_peer_process_ask(&me->peers->process, &question, word, said, error));
  switch (*word) {
  case RH_PEER_OPENED: return RH_OK;
  case RH_PEER_DECLINED: return said_no(me, said, RH_DECLINED, error);
  case RH_PEER_FAILED: return said_no(me, said, RH_E_PLUGIN, error);
  default:
    return rh_peer_process_misspoke(&me->peers->process, &question, "answered something else",
                                    error);
  }
}

static void note_opened(peer *me, const rh_peer_said *said, rh_opened *opened) {
  const rh_opened *noted = &me->peers->process.own.noted;
  *opened = said->opened;
  opened->launches = said->launches;
  opened->host_clock = !said->device;
  snprintf(opened->params, sizeof opened->params, "%s", said->text);
  opened->scratch_bytes = noted->scratch_bytes;
  opened->local_bytes = noted->local_bytes;
  opened->in_place = noted->in_place;
  opened->n_used = noted->n_used;
  memcpy(opened->used, noted->used, noted->n_used * sizeof *noted->used);
  snprintf(opened->params_note, sizeof opened->params_note, "%s", noted->params_note);
  me->has_parts = said->has_parts;
}

static rh_status open_point(void *self, const rh_bench_data *data, rh_opened *opened,
                            rh_error *error) {
  peer *me = self;
  rh_peer_word word;
  rh_peer_said said;
  *opened = (rh_opened){0};
  me->op = data->op;
  me->type = data->type;
  RH_TRY(bind_region(me->peers, data, error));
  RH_TRY(ensure_running(me->peers, error));
  RH_TRY(hold_data(me, data, error));
  RH_TRY(ask_for_point(me, "open", data, &word, &said, error));
  me->opened_in = me->peers->process.starts;
  note_opened(me, &said, opened);
  return RH_OK;
}

/* Of redhost's own alone. */
static rh_status ask_point(void *self, const rh_bench_data *data, rh_opened *opened,
                           rh_error *error) {
  peer *me = self;
  rh_peer_word word;
  rh_peer_said said;
  *opened = (rh_opened){0};
  RH_TRY(bind_region(me->peers, data, error));
  RH_TRY(ensure_running(me->peers, error));
  RH_TRY(ask_for_point(me, "ask", data, &word, &said, error));
  note_opened(me, &said, opened);
  return RH_OK;
}

static const char *kind_name(uint32_t kind) {
  return kind == RH_TAKE_DEVICE ? "device" : kind == RH_TAKE_HOST ? "host" : "latency";
}

static int is_open(const peer *me) {
  return me->peers->process.runs && me->opened_in == me->peers->process.starts;
}

static rh_status take_sample(void *self, const rh_take *take, rh_taken *taken, rh_error *error) {
  peer *me = self;
  rh_peer_process *process = &me->peers->process;
  char line[128];
  rh_peer_question question = {line, me->name, "take", me->op, me->type};
  rh_peer_word word;
  rh_peer_said said;
  if (!is_open(me))
    return rh_fail(error, RH_E_PLUGIN, "%s: its process was lost with another peer: %s", me->name,
                   process->why);
  snprintf(line, sizeof line, "take %s %s %u\n", me->name, kind_name(take->kind), take->batch);
  RH_TRY(rh_peer_process_ask(process, &question, &word, &said, error));
  if (word == RH_PEER_FAILED) return said_no(me, &said, RH_E_PLUGIN, error);
  if (word != RH_PEER_TAKEN)
    return rh_peer_process_misspoke(process, &question, "answered something else", error);
  if (said.device && take->kind != RH_TAKE_DEVICE)
    return rh_peer_process_misspoke(
        process, &question, "used the device's clock where the host's was asked for", error);
  process->losses = 0;
  *taken = (rh_taken){said.seconds, said.device, said.result};
  snprintf(taken->result.strategy, sizeof taken->result.strategy, "%s", me->name);
  return RH_OK;
}

static rh_status ask_parts(void *self, rh_part *parts, uint32_t *n_parts, double *host_share_s,
                           rh_error *error) {
  peer *me = self;
  rh_peer_process *process = &me->peers->process;
  char line[128];
  rh_peer_question question = {.line = line, .peer = me->name, .verb = "parts"};
  rh_peer_word word;
  rh_peer_said said;
  *n_parts = 0;
  if (!me->has_parts || !is_open(me)) return RH_OK;
  snprintf(line, sizeof line, "parts %s\n", me->name);
  RH_TRY(rh_peer_process_ask(process, &question, &word, &said, error));
  if (word == RH_PEER_FAILED) return said_no(me, &said, RH_E_PLUGIN, error);
  if (word != RH_PEER_PARTS)
    return rh_peer_process_misspoke(process, &question, "answered something else", error);
  memcpy(parts, said.parts, said.n_parts * sizeof *parts);
  *n_parts = said.n_parts;
  *host_share_s = said.host_share_s;
  return RH_OK;
}

static rh_status close_point(void *self, rh_error *error) {
  peer *me = self;
  rh_peer_process *process = &me->peers->process;
  char line[128];
  rh_peer_question question = {.line = line, .peer = me->name, .verb = "close"};
  rh_peer_word word;
  rh_peer_said said;
  rh_status status = RH_OK;
  snprintf(line, sizeof line, "close %s\n", me->name);
  /* A process that is lost here leaves its reason in `why`, for those whose points it had. */
  if (is_open(me)) status = rh_peer_process_ask(process, &question, &word, &said, error);
  if (is_open(me) && status == RH_OK && word != RH_PEER_CLOSED)
    status = rh_peer_process_misspoke(process, &question, "answered something else", error);
  process->own.logs = 0;
  me->opened_in = 0;
  let_data_go(me);
  return status;
}

/* The process is all samplers' and ends with rh_peers_finish. */
static void finish_sampler(void *self) {
  (void)self;
}

/* ---- All of them ------------------------------------------------------------------------------------------------- */

/* Takes over `program` and `who`, malloc'ed.  Null where memory runs out. */
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

static char *describe(const char *format, const char *a, const char *b) {
  rh_text text = {0};
  rh_text_add(&text, format, a, b);
  if (!text.failed) return text.s;
  rh_text_finish(&text);
  return NULL;
}

rh_status rh_peers_start(rh_peers **peers, const char *program, const rh_options *options,
                         double limit_s, rh_error *error) {
  rh_peers *made =
      make(rh_copy_string(program), describe("peer program %s%s", program, ""), options, limit_s);
  *peers = NULL;
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

uint32_t rh_peers_count(const rh_peers *peers) {
  return peers->n;
}

const char *rh_peers_about(const rh_peers *peers, uint32_t k) {
  return peers->list[k].about;
}

rh_sampler rh_peers_sampler(rh_peers *peers, uint32_t k) {
  rh_sampler sampler = {
      .self = &peers->list[k],
      .is_peer = 1,
      .reproducible = RH_BITS_VARY, /* it promises nothing */
      .open = open_point,
      .take = take_sample,
      .close = close_point,
      .finish = finish_sampler,
  };
  snprintf(sampler.name, sizeof sampler.name, "%s", peers->list[k].name);
  return sampler;
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

/* ---- A strategy in a process of its own -------------------------------------------------------------------------- */

static void finish_all(void *self) {
  rh_peers_finish(((peer *)self)->peers);
}

static rh_status take_order(rh_peers *peers, const rh_isolated_spec *spec, rh_error *error) {
  rh_sample_order order = {
      .options = {.device = spec->device ? spec->device->label : NULL,
                  .cache_dir = spec->options->cache_dir,
                  .no_cache = spec->options->no_cache},
      .strategy = spec->found->name,
      .plugin = spec->found->path,
      .what = spec->what,
      .settings = spec->settings,
      .n_settings = spec->n_settings,
      .on_host = !spec->device,
      .untuned = spec->untuned,
      .strict = spec->strict,
      .is_known = spec->range != NULL,
  };
  if (spec->range) order.known = rh_bench_device_tell(spec->range);
  rh_sample_order_write(&peers->order, &order);
  peers->found = (rh_found){.path = rh_copy_string(spec->found->path)};
  snprintf(peers->found.name, sizeof peers->found.name, "%s", spec->found->name);
  if (peers->order.failed || !peers->found.path)
    return rh_fail(error, RH_E_NOMEM, "no memory to ask for a strategy");
  peers->process.own = (rh_peer_own){.role = spec->role ? spec->role : "--sample",
                                     .strategy = peers->found.name,
                                     .plugin = peers->found.path};
  return RH_OK;
}

rh_status rh_isolated_sampler(rh_sampler *sampler, const rh_isolated_spec *spec, rh_error *error) {
  char *program;
  RH_TRY(rh_child_program(spec->options, &program, error));
  rh_peers *made = make(program, describe("strategy '%s'%s", spec->found->name, ""), spec->options,
                        spec->limit_s);
  if (!made) return rh_fail(error, RH_E_NOMEM, "no memory for a strategy's process");
  rh_status status = take_order(made, spec, error);
  if (status != RH_OK) {
    rh_peers_finish(made);
    return status;
  }
  made->n = 1;
  made->list[0] = (peer){.peers = made};
  snprintf(made->list[0].name, sizeof made->list[0].name, "%s", spec->found->name);
  *sampler = rh_peers_sampler(made, 0);
  sampler->is_peer = 0;
  sampler->ask = ask_point;
  sampler->parts = ask_parts;
  sampler->finish = finish_all;
  return RH_OK;
}
