/* redhost_peer [STRATEGY [KEY=VALUE]...]: a prepared reduction of libredhost as a peer program
 * (docs/extend/peers.md), so that scripts/in-turns calls it in a loop in a process of its own, like
 * the others. */
#include "../../sdk/peers/peer.h"

#include <redhost/redhost.h>

enum { HUGE_PAGE = 2 << 20, MOST_SETTINGS = 16 };

static rh_redhost *redhost;
static rh_request wanted = {.struct_size = sizeof wanted};
static rh_setting settings[MOST_SETTINGS];
static char name[64] = "redhost";

typedef struct copies {
  rh_prepared *prepared;
  unsigned char *at;
  uint64_t next;
} copies;

static rh_type type_of(const char *text) {
  static const char *const names[] = {"i8",  "u8",  "i16", "u16", "i32", "u32",
                                      "i64", "u64", "f16", "f32", "f64"};
  for (uint32_t k = 0; k < sizeof names / sizeof *names; k++)
    if (strcmp(text, names[k]) == 0) return (rh_type)(RH_TYPE_i8 + k);
  return 0;
}

/* Whole huge pages, as the peers have them; null: no memory. */
static unsigned char *make_copies(const peer_point *point) {
  uint64_t one = point->n * point->element, bytes = point->stride * (point->copies - 1) + one;
  bytes = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
  unsigned char *at = aligned_alloc(HUGE_PAGE, bytes);
  if (!at) return NULL;
  madvise(at, bytes, MADV_HUGEPAGE);
  for (uint64_t copy = 0; copy < point->copies; copy++)
    memcpy(at + copy * point->stride, point->data, one);
  return at;
}

static int refuse(peer_answer *answer, rh_prepared *prepared, const char *why) {
  rh_prepared_destroy(prepared);
  return peer_failed(answer, "%s", why);
}

static int open_point(peer_point *point, peer_answer *answer) {
  rh_request spec = wanted;
  rh_prepared *prepared = NULL;
  rh_result result = {.struct_size = sizeof result};
  rh_error error;
  char params[80];
  spec.op = point->op;
  spec.type = type_of(point->type);
  spec.n = point->n;
  if (point->copies == 0 || (point->copies > 1 && point->stride < point->n * point->element))
    return peer_failed(answer, "copies that overlap");
  if (rh_prepare(redhost, &spec, &prepared, &error) != RH_OK)
    return refuse(answer, prepared, error.message);
  copies *self = malloc(sizeof *self);
  unsigned char *at = self ? make_copies(point) : NULL;
  if (!at) {
    free(self);
    return refuse(answer, prepared, "no memory for the copies");
  }
  *self = (copies){prepared, at, 0};
  point->self = self;
  if (rh_prepared_run(prepared, at, point->n, &result, &error) != RH_OK) result.strategy[0] = 0;
  snprintf(params, sizeof params, "strategy=%s", result.strategy);
  return peer_opened(answer, 0, 0, params);
}

static void put_value(const rh_result *result, peer_sample *sample) {
  if (result->type >= RH_TYPE_f16)
    peer_value_f64(sample, result->value.f);
  else if (result->type % 2 == 1)
    peer_value_i64(sample, result->value.i);
  else
    peer_value_u64(sample, result->value.u);
  if (result->indexed) peer_index(sample, result->index);
}

static void take_point(peer_point *point, int kind, uint32_t batch, peer_sample *sample) {
  copies *self = point->self;
  const uint64_t most = kind == PEER_LATENCY ? 1 : point->copies, n = point->n;
  rh_result result = {.struct_size = sizeof result};
  rh_error error;
  double begin = 0;
  for (uint32_t k = 0; k <= batch; k++) {
    if (k == 1) begin = peer_now(); /* the first one wakes the threads */
    const unsigned char *x = self->at + self->next++ % most * point->stride;
    if (rh_prepared_run(self->prepared, x, n, &result, &error) == RH_OK) continue;
    peer_take_failed(sample, "%s", error.message);
    return;
  }
  sample->seconds = (peer_now() - begin) / batch;
  put_value(&result, sample);
}

static void close_point(peer_point *point) {
  copies *self = point->self;
  rh_prepared_destroy(self->prepared);
  free(self->at);
  free(self);
}

/* 0: not KEY=VALUE. */
static int take_arguments(int argc, char **argv) {
  if (argc > 1) wanted.strategy = argv[1];
  if (argc > 1) snprintf(name, sizeof name, "redhost-%s", argv[1]);
  wanted.settings = settings;
  for (int k = 2; k < argc && wanted.n_settings < MOST_SETTINGS; k++) {
    char *value = strchr(argv[k], '=');
    if (!value) return 0;
    *value = 0;
    settings[wanted.n_settings++] = (rh_setting){argv[k], value + 1};
  }
  return 1;
}

int main(int argc, char **argv) {
  rh_error error;
  const peer peers[] = {
      {name, "libredhost, prepared reductions", open_point, take_point, close_point, NULL}};
  if (!take_arguments(argc, argv)) return peer_main_failed("A parameter is KEY=VALUE.");
  if (rh_open(&redhost, NULL, &error) != RH_OK) return peer_main_failed(error.message);
  int code = peer_main(peers, 1);
  rh_close(redhost);
  return code;
}
