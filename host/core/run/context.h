/* The caller's options, and everything that was opened and found so far. */
#pragma once

#include "../base/fork.h"
#include "../cl/session.h"
#include "../operation/operator.h"
#include "../plug/registry.h"

struct rh_job;
struct rh_known;
typedef struct rh_context rh_context;

/* rh_choosing, which stands above a context and knows operators and what was measured; or null,
 * where nothing is tuned and no operator is a user's. */
typedef struct rh_context_calls {
  /* Enters the parameters that are the best known ones into a job that was opened. */
  rh_status (*use_tuned)(struct rh_job *job, rh_error *error);
  void (*wrong)(rh_context *context, const char *strategy, const char *path, const rh_operator *op,
                uint64_t n); /* rh_context_blame() */
  /* RH_E_PLUGIN if the user's operator breaks its laws on these elements. */
  rh_status (*examine)(const rh_operator *op, const rh_arrays *arrays, uint64_t first, uint64_t n,
                       rh_error *error);
  void (*finish)(struct rh_known *known); /* may be null */
  rh_describe *describe;                  /* rh_plugin_open() */
} rh_context_calls;

/* Devices are discovered when one is first needed: host strategies, and --list on a machine without
 * a driver, never use OpenCL. */
struct rh_context {
  rh_options options;          /* strings owned */
  const uint32_t *opened_here; /* rh_fork_mark() */
  rh_cache cache;
  rh_cl_devices devices;
  int devices_found;
  double opening_s;           /* what finding devices and opening sessions took */
  int looks_first;            /* 1: a child process lists the devices before this process does */
  rh_error unusable;          /* why devices must not be listed, or status 0 */
  const rh_cl_device *device; /* null until chosen */
  rh_cl_session session;
  int session_open;
  /* The plugins, from when they are first needed on; `auto` chooses from them, if they were
   * scanned. */
  rh_registry registry;
  int registry_scanned;
  /* of all offers, if they are for one; null: the host alone */
  uint64_t registry_n;
  const rh_cl_device *registry_for;
  const rh_context_calls *calls;
  struct rh_known *known; /* theirs; null at first */
  /* incremented for each wrong result, because an earlier choice of `auto` may be that strategy */
  uint32_t blame;
  /* Arrays of more bytes are streamed to a device with memory of its own; in chunks of so many, or
   * 0: what suits it.  Tests make both small. */
  uint64_t most_whole_bytes, chunk_bytes;
  /* the last choice of `auto` and the reason: "onepass, measured here at 2^20: ...", or "" */
  char chosen[512];
  char chose[64]; /* its name; "" if a strategy was named, or none could be chosen */
  /* 1: since then, the device or memory for the data failed, which is not the strategy's fault */
  int device_failed;
  int operator_failed; /* 1: since then, the user's operator was found to be at fault */
};

enum { RH_WHOLE_BYTES = 16u << 20 }; /* most_whole_bytes: beyond, a stream is soon faster */

/* Copies *options; null: the defaults.  One thread at a time uses a context. */
rh_status rh_context_open(rh_context **opened, const rh_options *options,
                          const rh_context_calls *calls, rh_error *error);
void rh_context_close(rh_context *context); /* null is legal */

/* Opens the plugin in this process, which must trust it, for its strategy of that name. */
rh_status rh_context_strategy(const rh_context *context, const char *path, const char *name,
                              const rh_strategy **strategy, rh_error *error);

/* Was the process forked since devices were used, whose drivers stay with its parent?  They would
 * neither answer nor let themselves be released. */
int rh_context_is_lost(const rh_context *context);
rh_status rh_context_say_lost(rh_error *error);

rh_status rh_context_devices(rh_context *context, const rh_cl_devices **devices, rh_error *error);
rh_status rh_context_device(rh_context *context, const rh_cl_device **device, rh_error *error);
/* Finds a device for strategies to be queried with; null: there is none, and *why says why. */
rh_status rh_context_any_device(rh_context *context, const rh_cl_device **device, rh_error *why,
                                rh_error *error);
rh_status rh_context_session(rh_context *context, rh_cl_session **session, rh_error *error);

/* Selects `device`, one of rh_context_devices(), and releases whatever was opened for another. */
rh_status rh_context_use_device(rh_context *context, const rh_cl_device *device, rh_error *error);

/* All strategies, queried for the chosen device and n elements.  Without any device, host
 * strategies are queried for the host and *no_device (may be null) says why. */
rh_status rh_context_registry(rh_context *context, uint64_t n, const rh_registry **registry,
                              rh_error *no_device, rh_error *error);

typedef struct rh_wanted {
  uint64_t n;
  const rh_operator *op;
  const rh_cl_device *device; /* null: the host alone */
  /* of the plugins that came with redhost those of these strategies; 0: all */
  const char **names;
  uint32_t n_names;
} rh_wanted;

/* Examines for `auto`, which seldom needs all of them, and the offers for one operator and type
 * only: the others may be those of other sizes.  registry->n_skipped says how many are missing.
 * Whatever was examined before, by these functions, is not examined again. */
rh_status rh_context_examine(rh_context *context, const rh_wanted *wanted,
                             const rh_registry **registry, rh_error *error);

/* The strategy of that name, as rh_registry_locate() finds it. */
rh_status rh_context_locate(rh_context *context, const char *name, rh_found *found,
                            rh_error *error);

/* Call it after rh_context_registry() when running several strategies, listing them or letting
 * `auto` choose.  Logs one line if a plugin is missing that was requested by its file, came with
 * redhost or could not be examined.  The last two cases are logged as errors. */
void rh_context_report_missing_plugins(const rh_context *context);

/* Records a wrong result of the strategy in the plugin's file: `auto` no longer selects it for this
 * operator.  Logs nothing. */
void rh_context_blame(rh_context *context, const char *strategy, const char *path,
                      const rh_operator *op, uint64_t n);
