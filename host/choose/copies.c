#include "internal.h"

#include "../engine/reduction/reduction.h"

enum { SLOTS = RH_STREAM_AHEAD + 1, PIECE = 1 << 18 };

typedef struct copies {
  const char *array;
  uint64_t bytes, chunk;
  rh_cl_session *session;
  rh_cl_input input;  /* of whole copies */
  rh_staging staging; /* of those in chunks, as is what follows */
  cl_event sent[SLOTS];
  const char *from; /* of the chunk that is read now */
  char *to;
} copies;

static void read_piece(void *of_copies, uint64_t first, uint64_t n) {
  const copies *c = of_copies;
  memcpy(c->to + first, c->from + first, n);
}

static rh_status await(copies *c, uint64_t k, rh_error *error) {
  cl_int code = c->sent[k] ? rh_cl_wait(c->sent[k]) : CL_SUCCESS;
  rh_cl_release_event(c->sent[k]);
  c->sent[k] = NULL;
  RH_CL_TRY(error, code, "waiting for a copy");
  return RH_OK;
}

/* A chunk is read by several threads while those before it are on their way. */
static rh_status copy_in_chunks(copies *c, rh_error *error) {
  uint32_t k = 0;
  for (uint64_t at = 0; at < c->bytes; at += c->chunk, k = (k + 1) % SLOTS) {
    uint64_t n = c->bytes - at < c->chunk ? c->bytes - at : c->chunk;
    RH_TRY(await(c, k, error));
    c->from = c->array + at;
    c->to = c->staging.memory[k];
    rh_share(n, PIECE, read_piece, c);
    RH_TRY(rh_staging_send(&c->staging, k, n, &c->sent[k], error));
  }
  for (k = 0; k < SLOTS; k++) RH_TRY(await(c, k, error));
  return RH_OK;
}

static rh_status copy_whole(copies *c, rh_error *error) {
  RH_TRY(rh_cl_input_write(&c->input, c->session, c->array, c->bytes, error));
  RH_CL_TRY(error, rh_cl_finish(c->session->queue), "waiting for a copy");
  return RH_OK;
}

double rh_copies_s(rh_context *context, const void *array, uint64_t bytes, int in_chunks) {
  const int times = in_chunks ? 2 : 4;
  copies c = {.array = array, .bytes = bytes, .chunk = context->chunk_bytes};
  double least = INFINITY;
  if (!c.chunk) c.chunk = (uint64_t)RH_STREAM_DEVICE_MIB << 20;
  rh_status status = rh_context_session(context, &c.session, NULL);
  if (status == RH_OK)
    status = in_chunks ? rh_staging_open(&c.staging, c.session, SLOTS, c.chunk, NULL)
                       : rh_cl_input_reserve(&c.input, c.session, bytes, 1, NULL);
  for (int k = 0; k < times && status == RH_OK; k++) {
    double start = rh_now();
    status = in_chunks ? copy_in_chunks(&c, NULL) : copy_whole(&c, NULL);
    least = fmin(least, rh_now() - start);
  }
  for (int k = 0; k < SLOTS; k++) rh_cl_release_event(c.sent[k]);
  rh_staging_finish(&c.staging);
  rh_cl_input_finish(&c.input);
  return status == RH_OK ? least : 0;
}
