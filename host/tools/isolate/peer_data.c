#include "../../core/base/alloc.h"
#include "../../core/base/bytes.h"
#include "../../core/base/error.h"
#include "../../core/base/vocabulary.h"
#include "../../core/operation/ops.h"
#include "peer_program.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The program keeps one file, since a descriptor in another process cannot be exchanged.  The
 * file holds data only while a point is open. */
rh_status rh_peers_open_data(rh_peers *peers, rh_error *error) {
  char path[40];
  if (peers->reader >= 0) return RH_OK;
  peers->data = memfd_create("redhost-peer-data", MFD_CLOEXEC);
  snprintf(path, sizeof path, "/proc/self/fd/%d", peers->data);
  if (peers->data >= 0) peers->reader = open(path, O_RDWR | O_CLOEXEC);
  peers->process.data = peers->reader;
  if (peers->reader >= 0) return RH_OK;
  return rh_fail(error, RH_E_NOMEM, "cannot create a file for a peer's data: %s", strerror(errno));
}

/* The process gets its region at its start, so another region needs another process. */
rh_status rh_peers_bind_data(rh_peers *peers, const rh_bench_data *data, rh_error *error) {
  rh_peer_process *process = &peers->process;
  if (!data->region) return rh_peers_open_data(peers, error);
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

static uint64_t aligned(uint64_t bytes) {
  return (bytes + 63) / 64 * 64;
}

/* Programs answer with results, and redhost's own children with values. */
static uint64_t result_bytes(const rh_peer *me, const rh_operator *op) {
  if (me->peers->process.own.role) return op->abi->value_size;
  if (rh_op_flags(op->base, op->type) & RH_OP_INDEXED) return sizeof(int64_t);
  return rh_type_size(rh_op_result_type(op->base, op->type));
}

rh_peer_places rh_peer_places_of(const rh_peer *me, const rh_bench_data *data) {
  const rh_lengths *lengths = data->lengths;
  rh_peer_places places = {.end = rh_bench_data_bytes(data)};
  if (!lengths) return places;
  uint64_t segments = lengths->layout.segments;
  places.offsets = aligned(places.end);
  places.results =
      aligned(places.offsets + (lengths->offsets ? (segments + 1) * sizeof *lengths->offsets : 0));
  places.result_bytes = result_bytes(me, data->op);
  places.end = places.results + segments * places.result_bytes;
  return places;
}

/* The elements, and behind them the offsets of segments and room for results. */
static int write_data(const rh_peer *me, const rh_bench_data *data) {
  const rh_peer_places places = rh_peer_places_of(me, data);
  int file = me->peers->data;
  if (ftruncate(file, 0) != 0) return -1;
  if (rh_write_all(file, data->elements, rh_bench_data_bytes(data), 0) != 0) return -1;
  if (!data->lengths) return 0;
  if (data->lengths->offsets &&
      rh_write_all(file, data->lengths->offsets,
                   (data->lengths->layout.segments + 1) * sizeof *data->lengths->offsets,
                   places.offsets) != 0)
    return -1;
  return ftruncate(file, (off_t)places.end);
}

rh_status rh_peer_hold_data(rh_peer *me, const rh_bench_data *data, rh_error *error) {
  rh_peers *peers = me->peers;
  uint64_t bytes = rh_peer_places_of(me, data).end;
  if (data->region) return RH_OK; /* the process maps the region */
  if (peers->n_holding) {
    if (peers->filled_from != data->elements || peers->filled_bytes != bytes)
      return rh_fail(error, RH_E_INTERNAL, "%s: two points at once", peers->who);
  } else if (write_data(me, data) != 0) {
    return rh_fail(error, RH_E_NOMEM, "%s: no memory to hand over %" PRIu64 " bytes: %s",
                   peers->who, bytes, strerror(errno));
  }
  peers->filled_from = data->elements;
  peers->filled_bytes = bytes;
  peers->n_holding++;
  me->holds_data = 1;
  return RH_OK;
}

void rh_peer_release_data(rh_peer *me) {
  rh_peers *peers = me->peers;
  if (!me->holds_data) return;
  me->holds_data = 0;
  /* If this fails, the memory is released later. */
  if (--peers->n_holding == 0 && ftruncate(peers->data, 0) != 0) return;
}

/* ---- The results of segments, which a program writes behind the data that it got ---- */

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
