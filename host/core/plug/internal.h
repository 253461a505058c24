/* How plugins are examined, within this folder. */
#pragma once

#include "plug.h"

/* ---- The variable that disables plugins that did not come with redhost ---- */

#define RH_DISABLES "REDHOST_PLUGIN_DISABLE"
enum { RH_PATTERN_BYTES = 256 };

/* 1: *pattern is the first of the variable's comma-separated list that matches the name of a file
 * or strategy.  One that is longer than any name matches nothing. */
int rh_is_disabled(const char *name, char pattern[RH_PATTERN_BYTES]);

/* Examines the candidates that are wanted, unless they were examined before and their files have
 * not changed since. */
rh_status rh_registry_look(rh_registry *registry, rh_error *error);

/* Takes the strategies of candidate k, as rh_examine_plugin() gives them. */
rh_fate rh_registry_take(rh_registry *registry, uint32_t k, const json_t *strategies);
/* Takes why it is not used. */
rh_fate rh_registry_refuse(rh_registry *registry, uint32_t k, const char *reason,
                           rh_refusal_kind kind);
void rh_registry_drop(rh_registry *registry, uint32_t k); /* its entries */

/* Starts a child on candidates which[0..n-1] and reads until it ends for any reason.  Adds the
 * number of candidates that need no further child to *done, at least one.  If that is fewer than
 * n, the child died or hung.  RH_E_PLUGIN: the program is missing or is not a redhost. */
rh_status rh_talk(rh_registry *registry, const uint32_t *which, uint32_t n, uint32_t *done,
                  rh_error *error);

/* May this process ask it about other sizes, though nobody chose it?  Only a child asks others, and
 * only once. */
static inline int rh_can_ask_here(const rh_entry *entry) {
  return entry->installed && !rh_is_foreign(entry->path);
}
