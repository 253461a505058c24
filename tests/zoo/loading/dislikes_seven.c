/* dislikes_seven: host code whose run fails where the first byte is 7, with a reason, or 8, without
 * one.  It promises not to write the floating-point control word, so that prepared calls take their
 * fast path to it. */
#include "zoo.h"
#include <redhost/kit.h>

typedef struct picky {
  const rh_host *host;
  const rh_op *op;
} picky;

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **self) {
  picky *p = host->alloc(host, sizeof *p);
  if (!p) return RH_E_NOMEM;
  *p = (picky){host, problem->op};
  *self = p;
  (void)values;
  return RH_OK;
}

static rh_status run(void *self, const rh_run *run) {
  picky *p = self;
  const unsigned char *bytes = run->host_input;
  if (run->n && *bytes == 7) return p->host->fail(p->host, RH_E_INVALID, 0, "the first byte is 7");
  if (run->n && *bytes == 8) return RH_E_NOMEM;
  return zoo_run((void *)(uintptr_t)p->op, run);
}

ZOO_STRATEGY_BUT(strategy, "dislikes_seven", .promises = RH_KEEPS_ORDER | RH_KEEPS_FP_CONTROL,
                 .setup = setup, .run = run);
ZOO_PLUGIN;
