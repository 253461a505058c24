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

void rh_registry_forget(rh_registry *registry, uint32_t k); /* what was found of candidate k */
