/* The state that is passed to every mode. */
#pragma once

#include "../core/run/context.h"
#include "options.h"
#include "terminal.h"

typedef struct rh_app {
  const rh_typed *typed;
  rh_terminal *terminal;
  rh_context *context;
  /* the value of --op, or sum; --bench and --tune parse their lists themselves */
  uint32_t op;
  rh_type type; /* the value of --type, or 0 */
  /* --list and --info: what strategies say of an operator that is not built in; else null */
  const struct rh_own_offers *own;
  struct rh_beside *beside; /* --run A,B: where reports go; else null */
} rh_app;

/* The program's own status in addition to the library's: --strict, and a result that is noisy or
 * throttled. */
enum { RH_E_NOISY = -64 };

/* One file for each mode.  A mode prints to standard output only when all its output is
 * complete. */
#define RH_X(mode, name) rh_status rh_mode_##name(const rh_app *app, rh_error *error);
RH_MODES(RH_X)
#undef RH_X
