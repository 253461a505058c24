#include "internal.h"

#include <sys/mman.h>

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
  if (!data->in_chunks) rh_region_seal(data->region);
  process->own.region = data->region;
  peers->offset = data->offset;
  peers->in_chunks = data->in_chunks;
  process->data = data->region->file;
  return RH_OK;
}

static uint64_t aligned(uint64_t bytes) { return (bytes + 63) / 64 * 64; }

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
