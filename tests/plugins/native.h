/* What the tests of the strategy `native` share: it is set up from its own sources, without a host.
 * Also compiled for other processors, without Check. */
#pragma once

#include <pthread.h>
#include <redhost/plugin.h>
#include <stdlib.h>
#include <string.h>

extern const rh_plugin redhost_plugin_v1;
static const rh_device device = {.struct_size = sizeof device, .kind = RH_DEVICE_HOST};

static void *taken[8];
static int n_taken;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *take(const rh_host *host, uint64_t bytes) {
  (void)host;
  pthread_mutex_lock(&mutex);
  void *memory = n_taken < 8 ? taken[n_taken++] = calloc(1, bytes) : NULL;
  pthread_mutex_unlock(&mutex);
  return memory;
}

static void free_all(void) {
  while (n_taken) free(taken[--n_taken]);
}

static const rh_strategy *strategy(void) { return redhost_plugin_v1.strategies[0]; }

static int64_t of_parameter(const char *key, int64_t threads, int64_t vectors, int64_t walk) {
  if (strcmp(key, "threads") == 0) return threads;
  if (strcmp(key, "vectors") == 0) return vectors;
  if (strcmp(key, "walk") == 0) return walk;
  return strcmp(key, "serial_below") == 0 ? 0 : 50; /* awake_us */
}

/* null: it fails. */
static void *open_native(const rh_op *op, rh_type type, uint64_t max_n, int64_t threads,
                         int64_t vectors, int64_t walk) {
  static const rh_host host = {.struct_size = sizeof host, .alloc = take};
  rh_problem problem = {
      .struct_size = sizeof problem, .type = type, .op = op, .device = &device, .max_n = max_n};
  int64_t params[16];
  void *self = NULL;
  for (uint32_t k = 0; k < strategy()->n_params && k < 16; k++)
    params[k] = of_parameter(strategy()->params[k].key, threads, vectors, walk);
  return strategy()->setup(&host, &problem, params, &self) == RH_OK ? self : NULL;
}

static uint64_t random_next(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return *state >> 33;
}
