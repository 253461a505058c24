/* Strategies whose last rounds under --tune differ from its first measurements.  They know them by
 * a file that the first instance with way=tempting leaves behind; ZOO_MARK names it.  Sleep decides
 * the times, so that the speed of the machine does not.
 * fickle_time: way=tempting is the quickest at first, and slower than way=steady from then on.
 * fickle_result: way=steady and way=tempting are wrong from then on. */
#include "zoo.h"
#include <redhost/kit.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { SLOW, STEADY, TEMPTING };
static const rh_param params[] = {
    RH_CHOICE("way", "slow|steady|tempting", 3, "how it goes about it")};

typedef struct fickle {
  const rh_op *op;
  int64_t way;
  int is_late; /* the file is there */
} fickle;

static const char *mark(void) {
  const char *path = getenv("ZOO_MARK");
  return path ? path : "/dev/null";
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **self) {
  fickle *c = host->alloc(host, sizeof *c);
  if (!c) return RH_E_NOMEM;
  *c = (fickle){problem->op, values[0], access(mark(), F_OK) == 0};
  *self = c;
  return RH_OK;
}

static void teardown(void *self) {
  const fickle *c = self;
  FILE *file = c->way == TEMPTING ? fopen(mark(), "we") : NULL;
  if (file) fclose(file);
}

static void rest(long milliseconds) {
  nanosleep(&(struct timespec){0, milliseconds * 1000000}, NULL);
}

static rh_status run_time(void *self, const rh_run *run) {
  const fickle *c = self;
  rest(c->way == SLOW ? 12 : c->way == STEADY ? 3 : c->is_late ? 6 : 1);
  return zoo_run((void *)(uintptr_t)c->op, run);
}

static rh_status run_result(void *self, const rh_run *run) {
  const fickle *c = self;
  rest(c->way == SLOW ? 6 : c->way == STEADY ? 3 : 1);
  RH_TRY(zoo_run((void *)(uintptr_t)c->op, run));
  if (c->way != SLOW && access(mark(), F_OK) == 0)
    memset(run->host_result, 0x7f, c->op->value_size);
  return RH_OK;
}

ZOO_STRATEGY_BUT(of_time, "fickle_time", RH_PARAMS(params), .setup = setup, .run = run_time,
                 .teardown = teardown);
ZOO_STRATEGY_BUT(of_result, "fickle_result", RH_PARAMS(params), .setup = setup, .run = run_result,
                 .teardown = teardown);
ZOO_PLUGIN;
