/* Examining a plugin in this process: what the probe process does, and what the library does with
 * redhost's own plugins where there is no program to do it. */
#pragma once

#include "wire.h"

typedef struct rh_examiner {
  const rh_device *device;
  uint64_t max_n;
  rh_find_op *find_op;
  /* Before a strategy is queried; may be null. */
  void (*on_query)(void *user, const char *strategy);
  void *user;
} rh_examiner;

/* Asks for the operator on the type, with the default parameters. */
void rh_examine_offer(const rh_examiner *by, const rh_strategy *strategy, uint32_t op, rh_type type,
                      rh_offer *offer);

/* The plugin's strategies, for rh_wire_read_entry(); null: no memory. */
json_t *rh_examine_plugin(const rh_examiner *by, const rh_plugin *plugin);

/* The host's own place among devices. */
const rh_device *rh_examine_host(void);

/* The kind of refusal of a plugin that could not be opened. */
rh_refusal_kind rh_examine_refusal_kind(rh_status status);
