/* What was found of one file. */
#include "internal.h"

rh_fate rh_registry_take(rh_registry *registry, uint32_t k, const json_t *strategies) {
  rh_candidate *candidate = &registry->search.candidates[k];
  uint32_t n = (uint32_t)json_array_size(strategies);
  if (n < 1 || n > RH_MOST_STRATEGIES) return RH_FATE_GARBAGE;
  for (uint32_t j = 0; j < n; j++) {
    if (RH_ROOM(&registry->entries, registry->n_known, "", NULL) != RH_OK) return RH_FATE_FAILED;
    rh_entry *entry = &registry->entries[registry->n_known];
    if (rh_wire_read_entry(json_array_get(strategies, j), entry) != 0) return RH_FATE_GARBAGE;
    registry->n_known++;
    entry->path = candidate->path;
    entry->place = candidate->place;
    entry->installed = candidate->installed;
    entry->asked_of = registry->device;
    entry->asked_n = registry->max_n;
  }
  candidate->examined = 1;
  return RH_GOES_ON;
}

/* The reason may quote file names and the loader's message, so it is made one line. */
rh_fate rh_registry_refuse(rh_registry *registry, uint32_t k, const char *reason,
                           rh_refusal_kind kind) {
  rh_candidate *candidate = &registry->search.candidates[k];
  candidate->refused = strdup(reason);
  if (!candidate->refused) return RH_FATE_FAILED;
  rh_make_plain(candidate->refused);
  candidate->kind = kind;
  candidate->examined = 1;
  return RH_GOES_ON;
}

void rh_registry_drop(rh_registry *registry, uint32_t k) {
  const char *path = registry->search.candidates[k].path;
  uint32_t kept = 0;
  for (uint32_t j = 0; j < registry->n_known; j++)
    if (registry->entries[j].path == path) rh_entry_finish(&registry->entries[j]);
    else registry->entries[kept++] = registry->entries[j];
  registry->n_known = kept;
}
