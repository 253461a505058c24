/* A complete peer: the sum of floats by one loop.  SPDX-License-Identifier: MIT */
#include "peer.h"

typedef struct copies {
  float *x;
  uint64_t next;
} copies;

static int open_it(peer_point *point, peer_answer *answer) {
  if (strcmp(point->op, "sum") != 0 || strcmp(point->type, "f32") != 0)
    return peer_declined(answer, "only sums of f32");
  size_t bytes = point->n * sizeof(float);
  copies *mine = calloc(1, sizeof *mine);
  if (mine) mine->x = malloc((point->copies - 1) * point->stride + bytes);
  if (!mine || !mine->x) {
    free(mine);
    return peer_failed(answer, "no memory for the copies");
  }
  for (uint64_t k = 0; k < point->copies; k++)
    memcpy(mine->x + k * point->stride / sizeof(float), point->data, bytes);
  point->self = mine;
  return peer_opened(answer, 0, 0, "");
}

static float sum(const peer_point *point, copies *mine, uint64_t n_copies) {
  const float *x = mine->x + mine->next++ % n_copies * point->stride / sizeof(float);
  double s = 0;
  for (uint64_t k = 0; k < point->n; k++) s += (double)x[k];
  return (float)s;
}

static void take_it(peer_point *point, int kind, uint32_t batch, peer_sample *sample) {
  copies *mine = point->self;
  uint64_t n_copies = kind == PEER_LATENCY ? 1 : point->copies;
  float value = sum(point, mine, n_copies); /* not measured */
  double begin = peer_now();
  for (uint32_t k = 0; k < batch; k++) value = sum(point, mine, n_copies);
  sample->seconds = (peer_now() - begin) / batch;
  peer_value_f64(sample, (double)value);
}

static void close_it(peer_point *point) {
  copies *mine = point->self;
  free(mine->x);
  free(mine);
}

int main(void) {
  static const peer mine = {"mine", "a loop", open_it, take_it, close_it, NULL};
  return peer_main(&mine, 1);
}
