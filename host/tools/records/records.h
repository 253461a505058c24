/* The results of one --bench: a header of facts about tool, machine and devices, and a row for each
 * point.  Tables, CSV, JSON, --compare and --plot all use this struct, whether the results were
 * measured or read from a file.
 *
 * The JSON schema is "redhost/1" (docs/results/schema.json): additive changes keep the 1, and
 * readers ignore unknown keys.  Times are seconds, sizes bytes, all rates per second. */
#pragma once

#include "../../choose/measure/stats.h"
#include <jansson.h>
#include <redhost/redhost.h>

/* The value of a document's key "schema". */
#define RH_SCHEMA "redhost/1"

/* X(name, number, JSON word): how a point ended. */
#define RH_ROW_STATUS_LIST(X)                                                                      \
  X(ok, 0)                                                                                         \
  X(wrong, 1)       /* the answer was; no time is given */                                         \
  X(unsupported, 2) /* declined, or the device cannot hold it */                                   \
  X(failed, 3)                                                                                     \
  X(skipped, 4) /* interrupted, or too slow to be tried */
enum {
#define RH_X(name, number) RH_ROW_##name = number,
  RH_ROW_STATUS_LIST(RH_X)
#undef RH_X
};

/* X(JSON word, bit, mark in tables) */
#define RH_FLAG_LIST(X)                                                                            \
  X(noisy, 0, '~')      /* relative interquartile range over 5 % */                                \
  X(timed_out, 1, '!')  /* stopped for --max-time with an interval wider than +-2 % */             \
  X(throttled, 2, '^')  /* the device became slower and stayed so */                               \
  X(host_timer, 3, 'h') /* timed by the host's clock */
enum {
#define RH_X(name, bit, mark) RH_FLAG_##name = 1 << bit,
  RH_FLAG_LIST(RH_X)
#undef RH_X
};

enum { RH_MAX_ROUNDS = 256, RH_MAX_PROCESSES = 32 };

/* The segments of a row; 0: a whole array. */
typedef struct rh_row_segments {
  uint32_t distribution; /* RH_LENGTHS_* */
  uint64_t length;       /* the typical one */
  uint64_t count;
} rh_row_segments;

typedef struct rh_row {
  char device[24];   /* the id of one of `devices`: "1:0" */
  char strategy[64]; /* a strategy, or a peer */
  uint32_t is_peer;
  uint32_t op;       /* 0: a user's operator */
  char own_op[256];  /* its name; "" */
  rh_type type;      /* of several operands, the first's */
  uint64_t n, bytes; /* bytes: moved at the least */
  rh_row_segments segments;
  char *params;         /* "tile=256 finish=device", or null */
  char params_from[16]; /* "default", "tuned", "user" */
  uint32_t status;      /* RH_ROW_* */
  char *reason;         /* why it is not ok; null if it is */
  rh_spread time;       /* of one reduction, with cold or hot input as in the settings */
  uint32_t batch;       /* reductions per sample, which is their mean */
  double *rounds, *raw; /* medians of the rounds; every sample, in order */
  uint32_t n_rounds, n_raw;
  /* The median of each process, in order, if there were several.  Then time.median is their median,
   * the interval is of their mean, rounds is empty, and everything else is of all samples. */
  double *processes;
  uint32_t n_processes; /* 0: one process */
  rh_spread latency;    /* one call until the value is on the host */
  /* for the cross-check of the clocks: time of one reduction in a batch by the host's clock; 0:
   * none */
  double host_batch_s;
  double build_s, upload_s, setup_s;
  uint32_t build_cached;
  rh_part *parts;
  uint32_t n_parts;
  double host_share_s; /* of one instrumented call: the time that no device command accounts for */
  char value[64], reference[64];    /* decimal; "" if unknown */
  double error_ulp, bound_fraction; /* NaN if not applicable */
  uint32_t unjudged;                /* 1: ok, but it is unknown whether the value is right */
  char exact_data[16]; /* "ok", "wrong" or "not tried" if the bound alone is not a check, else "" */
  uint32_t flags, passes;
  uint32_t finishes_on_host;
  double peak_fraction;  /* of the device's read peak; NaN if unknown */
  uint32_t reproducible; /* RH_BITS_* */
} rh_row;

typedef struct rh_records {
  /* Each owned, as in the document, or null: {"version", ...}, {"argv", "start", "complete", ...},
   * [{"id", "key", "name", ...}], [{"device", "timer", "read_peak_Bps", ...}], {"cache", ...},
   * [{"name", ...}] */
  json_t *tool, *run, *devices, *calibration, *settings, *strategies;
  rh_row *rows; /* strings and arrays owned */
  uint32_t n_rows;
} rh_records;

/* Takes over what *row owns. 0, or -1 if out of memory (*row is released). */
int rh_records_add(rh_records *results, rh_row *row);
void rh_row_finish(rh_row *row);
void rh_records_finish(rh_records *results); /* zero-initialised is fine */

const char *rh_row_op_name(const rh_row *row); /* "sum", "dot"; null for an unknown number */
int rh_row_op_order(const rh_row *a, const rh_row *b); /* negative, 0 or positive */
int rh_row_is_timed(const rh_row *row);          /* ok and with a time, so that it can be ranked */
const char *rh_row_status_name(uint32_t status); /* "ok"; null for an unknown number */
double rh_row_rate(const rh_row *row);           /* elements/s, 0 without a time */
double rh_row_bandwidth(const rh_row *row);      /* input bytes/s */

/* A string or number of the device with this id in `devices` or `calibration`; null or NaN if
 * there is none. */
const char *rh_records_device_text(const rh_records *results, const char *id, const char *key);
double rh_records_calibration(const rh_records *results, const char *id, const char *key);

/* What is counted along the points of a table: the length of segments, or n. */
uint64_t rh_row_size(const rh_row *row);
/* Of one table: of one n and one distribution, if they have segments? */
int rh_row_segments_order(const rh_row *a, const rh_row *b); /* negative, 0 or positive */

/* ---- Which is best ---- */

/* The best of the ok rows of one (device, op, type, n).  The fastest row has the least median.
 * Another row ties with it if each of their medians lies within the other's interval, so a row with
 * a wide interval does not tie with everything.  The best of the rows that tie and are less than 1
 * % slower is the one with fewer passes, then the more reproducible one. */
typedef struct rh_best {
  const rh_row *row;
  const rh_row *fastest; /* the least median: `row`, or one that it ties with */
  uint32_t n_tied;       /* others that tie with the fastest */
} rh_best;
/* Peers are ranked too unless strategies_only. row is null if none is ok. */
rh_best rh_records_best(const rh_records *results, const rh_row *like, int strategies_only);
/* ties: the row is the best or ties with it. could_be: it ties so closely that it could be the
 * best.  The row must be ok and of the same point. */
int rh_best_ties(const rh_best *best, const rh_row *row);
int rh_best_could_be(const rh_best *best, const rh_row *row);

/* ---- Iterating over points ---- */

/* All rows, sorted by device, operator, type and n, then in the order in which they were added.
 * malloc'ed; null if there are none or out of memory. */
const rh_row **rh_records_by_point(const rh_records *results);
/* The number of leading rows, of n, that belong to the first one's point. */
uint32_t rh_point_length(const rh_row *const *rows, uint32_t n);
/* Like rh_records_best(), among these. */
rh_best rh_point_best(const rh_row *const *rows, uint32_t n, int strategies_only);
