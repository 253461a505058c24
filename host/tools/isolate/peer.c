#include "peer.h"
#include "../../core/base/error.h"
#include "peer_program.h"

#include <stdio.h>

rh_status rh_peers_start(rh_peers **peers, const char *program, const rh_options *options,
                         double limit_s, rh_error *error) {
  rh_text who = {0};
  *peers = NULL;
  rh_text_add(&who, "peer program %s", program);
  rh_peers *made = rh_peers_make(rh_copy_string(program), who.s, options, limit_s);
  if (!made) return rh_fail(error, RH_E_NOMEM, "no memory for a peer program");
  rh_status status = rh_peers_open_data(made, error);
  if (status == RH_OK) status = rh_peers_ensure_running(made, error);
  if (status != RH_OK) {
    rh_peers_finish(made);
    return status;
  }
  *peers = made;
  return RH_OK;
}

uint32_t rh_peers_count(const rh_peers *peers) {
  return peers->n;
}

const char *rh_peers_about(const rh_peers *peers, uint32_t k) {
  return peers->list[k].about;
}

/* All samplers share the process, which ends with rh_peers_finish. */
static void finish_sampler(void *self) {
  (void)self;
}

rh_sampler rh_peers_sampler(rh_peers *peers, uint32_t k) {
  rh_sampler sampler = {
      .self = &peers->list[k],
      .is_peer = 1,
      .reproducible = RH_BITS_VARY, /* peers promise nothing */
      .open = rh_peer_open,
      .take = rh_peer_take,
      .values = rh_peer_values,
      .close = rh_peer_close,
      .finish = finish_sampler,
  };
  snprintf(sampler.name, sizeof sampler.name, "%s", peers->list[k].name);
  return sampler;
}
