#include "../../core/base/error.h"
#include "peer_program.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
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
  if (peers->data >= 0) peers->reader = open(path, O_RDONLY | O_CLOEXEC);
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

static int write_at(int file, const char *from, uint64_t bytes) {
  uint64_t done = 0;
  while (done < bytes) {
    ssize_t wrote = pwrite(file, from + done, bytes - done, (off_t)done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return -1;
    done += (uint64_t)wrote;
  }
  return 0;
}

rh_status rh_peer_hold_data(rh_peer *me, const rh_bench_data *data, rh_error *error) {
  rh_peers *peers = me->peers;
  uint64_t bytes = rh_bench_data_bytes(data);
  if (data->region) return RH_OK; /* the process maps the region */
  if (peers->n_holding) {
    if (peers->filled_from != data->elements || peers->filled_bytes != bytes)
      return rh_fail(error, RH_E_INTERNAL, "%s: two points at once", peers->who);
  } else if (ftruncate(peers->data, 0) != 0 || write_at(peers->data, data->elements, bytes) != 0) {
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
