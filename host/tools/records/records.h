/* What one --bench found: a header of facts about tool, machine and devices, and a row for each
 * point.  Plain data, which the tables, CSV, JSON, --compare and --plot are made of; a file that
 * was read is the same struct as a run that was made.
 *
 * JSON schema "redhost/1" (docs/results.schema.json): additive changes keep the 1, readers ignore
 * keys that they do not know.  Times are seconds, sizes bytes, all rates per second. */
#ifndef RH_RECORDS_RECORDS_H
#define RH_RECORDS_RECORDS_H

#include <jansson.h>
#include <redhost/redhost.h>

/* What the key "schema" of a document says. */
#define RH_SCHEMA "redhost/1"

/* A sample of times.  Quantiles and the 95 % interval of the median by order statistics;
 * zero-initialised is "nothing measured", and so is samples = 0. */
typedef struct rh_spread {
  double median, ci_low, ci_high; /* s */
  double mean, min, max, q1, q3, mad;
  uint32_t samples, outliers; /* outliers: modified z > 5; counted, never dropped */
} rh_spread;

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
  X(throttled, 2, '^')  /* the device was slower than it had been, and stayed so */                \
  X(host_timer, 3, 'h') /* by the host's clock */
enum {
#define RH_X(name, bit, mark) RH_FLAG_##name = 1 << bit,
  RH_FLAG_LIST(RH_X)
#undef RH_X
};

/* One command of one run, instrumented: an event on every command changes the run, so that these
 * never mix with the headline figures. */
typedef struct rh_part {
  char stage[48]; /* "tiles", "fill", "read" */
  double seconds; /* on the device */
} rh_part;
enum { RH_MAX_PARTS = 64, RH_MAX_ROUNDS = 256 };

typedef struct rh_row {
  char device[24];   /* the id of one of `devices`: "1:0" */
  char strategy[64]; /* a strategy, or a peer */
  uint32_t is_peer;
  uint32_t op;
  rh_type type;
  uint64_t n, bytes;
  char *params;         /* "tile=256 finish=device", or null */
  char params_from[16]; /* "default", "tuned", "user" */
  uint32_t status;      /* RH_ROW_* */
  char *reason;         /* why not ok; null */
  rh_spread time;       /* one reduction; cold or hot as settings say */
  uint32_t batch;       /* reductions that one sample is the mean of */
  double *rounds, *raw; /* medians of the rounds; every sample, in order */
  uint32_t n_rounds, n_raw;
  rh_spread latency; /* one call until the value is on the host */
  /* the cross-check: the batch by the host's clock, for one reduction; 0: none */
  double host_batch_s;
  double build_s, upload_s, setup_s;
  uint32_t build_cached;
  rh_part *parts;
  uint32_t n_parts;
  double host_share_s; /* instrumented: of one call, what no command of the device accounts for */
  char value[64], reference[64];    /* decimal; "" where not known */
  double error_ulp, bound_fraction; /* NaN where they mean nothing */
  uint32_t unjudged;                /* 1: ok, but nobody knows whether the value is right */
  char exact_data
      [16]; /* "ok", "wrong" or "not tried" where the bound alone is not a check, else "" */
  uint32_t flags, passes;
  uint32_t finishes_on_host;
  double peak_fraction;  /* of the device's read peak; NaN where there is none */
  uint32_t reproducible; /* RH_BITS_* */
} rh_row;

typedef struct rh_records {
  /* Each owned, as it stands in the document, or null: {"version", ...}, {"argv", "start",
   * "complete", ...},
   * [{"id", "key", "name", ...}], [{"device", "timer", "read_peak_Bps", ...}], {"cache", ...},
   * [{"name", ...}] */
  json_t *tool, *run, *devices, *calibration, *settings, *strategies;
  rh_row *rows; /* strings and arrays owned */
  uint32_t n_rows, capacity;
} rh_records;

/* Takes over what *row owns. 0, or -1 where memory runs out (and *row is released). */
int rh_records_add(rh_records *results, rh_row *row);
void rh_row_finish(rh_row *row);
void rh_records_finish(rh_records *results); /* zero-initialised is fine */

int rh_row_is_timed(const rh_row *row);          /* ok, and with a time: one that can be ranked */
const char *rh_row_status_name(uint32_t status); /* "ok"; null for an unknown number */
double rh_row_rate(const rh_row *row);           /* elements/s, 0 where there is no time */
double rh_row_bandwidth(const rh_row *row);      /* input bytes/s */

/* A string or number of the device with this id in `devices` or `calibration`; null or NaN where
 * there is none. */
const char *rh_records_device_text(const rh_records *results, const char *id, const char *key);
double rh_records_calibration(const rh_records *results, const char *id, const char *key);

/* ---- Which is best ---- */

/* Among the ok rows of one (device, op, type, n): the one with the least median.  Another row ties
 * with the fastest where each of their two medians lies within the other's interval, so that a row
 * whose own time is hardly known makes no other one a tie.  Of the rows that tie and are less than
 * 1 % slower, the best is the one with fewer passes, then the more reproducible one. */
typedef struct rh_best {
  const rh_row *row;
  const rh_row *fastest; /* the least median: `row`, or one that it ties with */
  uint32_t n_tied;       /* others that tie with the fastest */
} rh_best;
/* Peers are ranked too unless strategies_only.  row is null where none is ok. */
rh_best rh_records_best(const rh_records *results, const rh_row *like, int strategies_only);
/* 1: the row is the best or ties with it; and 1: it ties so closely that it could be the best.  It
 * is of the point, and ok. */
int rh_best_ties(const rh_best *best, const rh_row *row);
int rh_best_could_be(const rh_best *best, const rh_row *row);

/* ---- By points, for whoever walks over all of them ---- */

/* All rows, those of one (device, op, type, n) side by side: by device, operator, type and n, then
 * in the order in which they were added.  malloc'ed; null where there are none or memory runs
 * out. */
const rh_row **rh_records_by_point(const rh_records *results);
/* How many of the n rows from the first on are of the first one's point. */
uint32_t rh_point_length(const rh_row *const *rows, uint32_t n);
/* As rh_records_best(), among these. */
rh_best rh_point_best(const rh_row *const *rows, uint32_t n, int strategies_only);

#endif
