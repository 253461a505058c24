/* redhost/redhost.h: libredhost, for programs that want a reduction.  SPDX-License-Identifier: MIT
 *
 *     rh_redhost *redhost;
 *     rh_error error;
 *     if (rh_open(&redhost, NULL, &error) != RH_OK) { ... error.message ... }
 *     rh_request request = {.op = "sum", .type = RH_TYPE_f32, .data = x, .n = n};
 *     rh_result result;
 *     if (rh_reduce(redhost, &request, &result, &error) == RH_OK) use(result.value.f);
 *     rh_close(redhost);
 *
 * The library never prints, never exits and keeps no global state.  Errors come back as a status
 * and, in words, in an rh_error of the caller's.  Only what this header declares is meant for
 * programs; other exported rh_* symbols belong to the redhost program and change without notice. */
#ifndef REDHOST_REDHOST_H
#define REDHOST_REDHOST_H

#include "plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Why a call failed.  Filled by every function that takes one, whenever it returns anything but
 * RH_OK; may be null. */
typedef struct rh_error {
  rh_status status;
  int32_t cl_code;    /* OpenCL's own error, or 0 */
  char message[1024]; /* one sentence or more, no newline: what, where, and what to do */
} rh_error;

/* Where the library says what it is doing.  Both functions may be null; they are called on the
 * thread that called the library. */
typedef struct rh_reporter {
  void *user;
  void (*log)(void *user, uint32_t level, const char *text); /* RH_LOG_* */
  /* `done` of `total` bytes or elements (total 0: unknown) of "reading", "upload", "reference"...;
   * called a few times a second.  Non-zero cancels the call: it returns RH_E_CANCELLED. */
  int (*progress)(void *user, const char *phase, uint64_t done, uint64_t total);
} rh_reporter;

/* All strings are copied; null or 0 means the default. */
typedef struct rh_options {
  const char *device;      /* "0:1", "gpu", part of a name; default: REDHOST_DEVICE, else GPU,
                              accelerator, CPU */
  const char *plugin_file; /* one more plugin, or description of a foreign
                              function, before all others */
  const char *plugin_path; /* colon-separated directories, before the environment's */
  const char *cache_dir;   /* default: REDHOST_CACHE_DIR, else $XDG_CACHE_HOME/redhost */
  const char *program; /* the redhost program, which looks at plugins in a child; default: beside
                          the library */
  uint32_t no_cache;   /* 1: neither read nor write compiled programs */
  rh_reporter reporter;
} rh_options;

typedef struct rh_redhost rh_redhost;

typedef struct rh_setting {
  const char *key, *value;
} rh_setting; /* "tile", "256" */

typedef struct rh_request {
  const char *strategy; /* null or "auto": the one that promises most */
  const char *op;       /* "sum", ... */
  rh_type type;         /* of the elements */
  uint32_t unchecked;   /* 1: skip the check against the exact reference */
  const void
      *data; /* n elements in host memory, naturally aligned; not written; null where n is 0 */
  uint64_t n;
  const rh_setting *settings;
  uint64_t n_settings;
} rh_request;

/* An answer in the operator's result type: i64 or u64 for sums and products of integers, f32 for
 * those of f16, the element's type else; where magnitudes of integers are combined, the unsigned type
 * of that width.  f16 and f32 stand in `f`, exactly. */
typedef struct rh_result {
  rh_type type;
  uint32_t indexed; /* 1: `index` is the answer and `value` the element that stands there, of
                       argamax its magnitude */
  union {
    int64_t i;
    uint64_t u;
    double f;
  } value;
  uint64_t index;
  char strategy[64];
} rh_result;

/* Opens the library.  Devices and plugins are looked for when they are first needed.  [any thread] */
rh_status rh_open(rh_redhost **redhost, const rh_options *options, rh_error *error);

/* Reduces one array and, unless told otherwise, checks the answer against an exact reference
 * computed on the host: a wrong one is RH_E_WRONG, and *result holds it.  The plugin runs in this
 * process, for the data are this process's own memory; `redhost --run --isolate' runs it in another.
 * [one call at a time per rh_redhost] */
rh_status rh_reduce(rh_redhost *redhost, const rh_request *request, rh_result *result,
                    rh_error *error);

/* Releases everything; null is legal. */
void rh_close(rh_redhost *redhost);

/* "0.1.0". */
const char *rh_version(void);

#ifdef __cplusplus
}
#endif
#endif
