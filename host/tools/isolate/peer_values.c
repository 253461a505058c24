/* The results of segments, which a program writes behind the data that it got. */
#include "../../core/base/alloc.h"
#include "../../core/base/bytes.h"
#include "../../core/base/error.h"
#include "../../core/operation/ops.h"
#include "peer_program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The element at the index that a program names, as a value. */
static rh_status load_indexed(const rh_bench_data *data, uint64_t s, const void *result, void *to,
                              rh_error *error) {
  const rh_layout *layout = &data->lengths->layout;
  uint64_t length = rh_layout_length(layout, s), size = rh_type_size(data->op->type), index;
  memcpy(&index, result, sizeof index);
  if (index >= length)
    return rh_fail(error, RH_E_WRONG, "segment %llu: returned index %lld, of %llu elements",
                   (unsigned long long)s, (long long)index, (unsigned long long)length);
  uint64_t inner = layout->kind == RH_LAYOUT_AXIS ? layout->inner : 1;
  const char *first = (const char *)data->elements + rh_layout_first(layout, s) * size;
  data->op->abi->load(to, first + index * (inner - 1) * size, index);
  return RH_OK;
}

/* Values of sums are results; others are made of one as of an element. */
static const rh_op *loader_of(const rh_operator *op) {
  rh_type result = rh_op_result_type(op->base, op->type);
  int is_float = rh_type_is_float(op->type);
  if (op->base == RH_OP_prod && is_float) return rh_op_find(RH_OP_prod, result);
  if (rh_op_is_arithmetic(op->base) || (op->base == RH_OP_amax && !is_float)) return NULL;
  return op->abi;
}

static rh_status to_values(const rh_bench_data *data, const char *results, uint64_t size, char *to,
                           rh_error *error) {
  const rh_operator *op = data->op;
  const rh_op *loads = loader_of(op);
  uint32_t bytes = op->abi->value_size;
  int is_indexed = (op->abi->flags & RH_OP_INDEXED) != 0;
  for (uint64_t s = 0; s < data->lengths->layout.segments; s++, results += size, to += bytes) {
    if (is_indexed) {
      RH_TRY(load_indexed(data, s, results, to, error));
    } else if (loads) {
      loads->load(to, results, 0);
    } else {
      memset(to, 0, bytes);
      memcpy(to, results, size < bytes ? size : bytes);
    }
  }
  return RH_OK;
}

rh_status rh_peer_values(void *self, void *to, rh_error *error) {
  rh_peer *me = self;
  rh_peers *peers = me->peers;
  const rh_bench_data *data = &me->segmented;
  const rh_peer_places places = rh_peer_places_of(me, data);
  uint64_t bytes = data->lengths->layout.segments * places.result_bytes;
  int is_own = peers->process.own.role != NULL;
  char *results = to;
  size_t done;
  /* Those of another peer of the program may stand there. */
  if (bytes && fallocate(peers->data, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                         (off_t)places.results, (off_t)bytes) != 0)
    return rh_fail(error, RH_E_PLUGIN, "%s: its results cannot be taken: %s", me->name,
                   strerror(errno));
  RH_TRY(rh_peer_ask_values(me, error));
  if (!is_own) RH_TRY(rh_alloc(&results, bytes + 1, 1, "a peer's results", error));
  rh_status status = RH_OK;
  if (rh_read_all(peers->data, results, bytes, places.results, &done) != 0 || done != bytes)
    status = rh_fail(error, RH_E_PLUGIN, "%s: its results cannot be read", me->name);
  if (status == RH_OK && !is_own) status = to_values(data, results, places.result_bytes, to, error);
  if (!is_own) free(results);
  return status;
}
