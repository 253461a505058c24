#include "cl.h"

#include <sched.h>
#include <stdatomic.h>

/* Eight threads copy as fast as PCIe 5 takes it; pieces are long compared with what enqueuing one
 * costs, and all of them stay in the last cache of a GPU's host. */
enum { MOST_THREADS = 8, PIECE = 4 << 20, TURNS = 2 };

static const double report_period_s = 0.1;

/* Pieces of one thread: one is filled while the other is on its way. */
typedef struct worker {
  cl_mem pinned[TURNS];
  void *memory[TURNS]; /* where it is mapped */
  cl_event sent[TURNS];
} worker;

typedef struct staging {
  rh_cl_session *session;
  cl_mem buffer;
  const char *data;
  uint64_t bytes;
  _Atomic uint64_t next, sent; /* the byte that no worker has yet; bytes that are on their way */
  atomic_int stop;
  uint32_t n; /* workers */
  worker workers[MOST_THREADS];
  pthread_t caller; /* the only thread that reports */
  double reported_at;
  pthread_mutex_t lock; /* of `failure` */
  rh_error failure;
} staging;

static void fail(staging *s, const rh_error *why) {
  pthread_mutex_lock(&s->lock);
  if (s->failure.status == RH_OK) s->failure = *why;
  atomic_store(&s->stop, 1);
  pthread_mutex_unlock(&s->lock);
}

/* The piece is no longer read. */
static cl_int await(worker *w, uint32_t turn) {
  if (!w->sent[turn]) return CL_SUCCESS;
  cl_int code = rh_cl_wait(w->sent[turn]);
  rh_cl_release_event(w->sent[turn]);
  w->sent[turn] = NULL;
  return code;
}

static cl_int send_piece(staging *s, worker *w, uint32_t turn, uint64_t at, uint64_t bytes) {
  cl_int code = await(w, turn);
  if (code != CL_SUCCESS) return code;
  memcpy(w->memory[turn], s->data + at, bytes);
  code = rh_cl_write(s->session->queue, s->buffer, CL_FALSE, at, bytes, w->memory[turn],
                     &w->sent[turn]);
  return code == CL_SUCCESS ? rh_cl_flush(s->session->queue) : code;
}

static void report(staging *s) {
  rh_error why = {0};
  if (!pthread_equal(s->caller, pthread_self()) || rh_now() - s->reported_at < report_period_s)
    return;
  s->reported_at = rh_now();
  if (rh_progress(s->session->reporter, "upload", atomic_load(&s->sent), s->bytes, &why) != RH_OK)
    fail(s, &why);
}

static void send_pieces(staging *s, worker *w) {
  for (uint32_t turn = 0; !atomic_load(&s->stop); turn = (turn + 1) % TURNS) {
    uint64_t at = atomic_fetch_add(&s->next, PIECE);
    if (at >= s->bytes) return;
    uint64_t bytes = s->bytes - at < PIECE ? s->bytes - at : PIECE;
    rh_error why = {0};
    cl_int code = send_piece(s, w, turn, at, bytes);
    if (code != CL_SUCCESS) {
      rh_cl_fail_short(&why, code, "copying the input to the device", s->session->device, s->bytes,
                       1);
      fail(s, &why);
      return;
    }
    atomic_fetch_add(&s->sent, bytes);
    report(s);
  }
}

static void work(void *of_staging, uint64_t k, uint64_t count) {
  staging *s = of_staging;
  worker *w = &s->workers[k];
  (void)count;
  send_pieces(s, w);
  for (uint32_t turn = 0; turn < TURNS; turn++) {
    rh_error why = {0};
    cl_int code = await(w, turn);
    if (code == CL_SUCCESS) continue;
    rh_cl_fail(&why, code, "copying the input to the device");
    fail(s, &why);
  }
}

static int pin(const staging *s, worker *w) {
  const rh_cl_session *session = s->session;
  for (uint32_t k = 0; k < TURNS; k++) {
    if (rh_cl_buffer(session, CL_MEM_ALLOC_HOST_PTR, PIECE, NULL, "", &w->pinned[k], NULL) != RH_OK)
      return 0;
    if (rh_cl_map(session->queue, w->pinned[k], CL_MAP_WRITE, PIECE, &w->memory[k]) != CL_SUCCESS)
      return 0;
  }
  return 1;
}

static void unpin(staging *s) {
  cl_command_queue queue = s->session->queue;
  for (uint32_t k = 0; k < MOST_THREADS * TURNS; k++) {
    worker *w = &s->workers[k / TURNS];
    void *memory = w->memory[k % TURNS];
    if (memory) rh_cl_unmap(queue, w->pinned[k % TURNS], memory, NULL);
  }
  rh_cl_finish(queue);
  for (uint32_t k = 0; k < MOST_THREADS * TURNS; k++)
    rh_cl_release_buffer(s->workers[k / TURNS].pinned[k % TURNS]);
}

rh_status rh_cl_stage(rh_cl_session *session, cl_mem buffer, const void *data, uint64_t bytes,
                      rh_error *error) {
  staging s = {
      .session = session, .buffer = buffer, .data = data, .bytes = bytes, .caller = pthread_self()};
  cpu_set_t set;
  int processors = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  /* Half of the processors this process may use, for the driver needs some. */
  uint32_t most = ((uint32_t)processors + 1) / 2;
  pthread_mutex_init(&s.lock, NULL);
  while (s.n < most && s.n < MOST_THREADS && pin(&s, &s.workers[s.n])) s.n++;
  rh_share(s.n, 1, work, &s);
  unpin(&s);
  pthread_mutex_destroy(&s.lock);
  if (s.n == 0) return RH_DECLINED;
  return rh_error_pass(error, s.failure.status, &s.failure);
}

rh_status rh_cl_upload(rh_cl_session *session, cl_mem buffer, const void *data, uint64_t bytes,
                       rh_error *error) {
  rh_status status = RH_DECLINED;
  if (bytes >= RH_CL_STAGED_BYTES) status = rh_cl_stage(session, buffer, data, bytes, error);
  if (status != RH_DECLINED) return status;
  for (uint64_t at = 0; at < bytes; at += RH_CL_UPLOAD_BYTES) {
    uint64_t now = bytes - at < RH_CL_UPLOAD_BYTES ? bytes - at : RH_CL_UPLOAD_BYTES;
    RH_TRY(rh_progress(session->reporter, "upload", at, bytes, error));
    cl_int code =
        rh_cl_write(session->queue, buffer, CL_TRUE, at, now, (const char *)data + at, NULL);
    if (code != CL_SUCCESS)
      return rh_cl_fail_short(error, code, "copying the input to the device", session->device,
                              bytes, 1);
  }
  return RH_OK;
}
