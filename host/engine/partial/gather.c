#include "gather.h"
#include "../../core/base/error.h"

#include <stdlib.h>

typedef struct gathering {
  rh_partial *all;
  int keeps_edges;
} gathering;

static rh_status take_partial(void *of_gathering, uint32_t rank, const void *bytes, uint64_t n,
                              rh_error *error) {
  const gathering *self = of_gathering;
  rh_error why = {0};
  rh_status status = rh_partial_read(self->all, bytes, n, self->keeps_edges, &why);
  if (status == RH_OK) return RH_OK;
  return rh_fail(error, RH_E_INVALID, "the values of rank %u: %.800s", rank, why.message);
}

rh_status rh_partial_gather(rh_partial *all, const rh_partial *mine, rh_ranks *ranks,
                            int keeps_edges, rh_error *error) {
  gathering self = {all, keeps_edges};
  void *bytes;
  uint64_t n;
  RH_TRY(rh_partial_write(mine, NULL, &bytes, &n, error));
  rh_status status = rh_ranks_gather_any(ranks, bytes, n, take_partial, &self, error);
  free(bytes);
  return status;
}
