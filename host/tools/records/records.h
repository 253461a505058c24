/* Results of benchmarks: as records, files, tables and comparisons. */
#pragma once

#include "../../choose/measure/measure.h"

/* The results of one --bench: a header of facts about tool, machine and devices, and a row for each
 * point.  Tables, CSV, JSON, --compare and --plot all use this struct, whether the results were
 * measured or read from a file.
 *
 * The JSON schema is "redhost/1" (docs/results/schema.json): additive changes keep the 1, and
 * readers ignore unknown keys.  Times are seconds, sizes bytes, all rates per second. */

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
  /* Facts that nobody computes with, as they are written; null: there are none.  "params",
   * "params_from", "host_batch_s" (for the cross-check of the clocks: time of one reduction in a
   * batch by the host's clock), "setup_s", "parts", "host_share_s" (of one instrumented call: the
   * time that no device command accounts for), "check" without "ok", "finishes_on". */
  json_t *facts;
  uint32_t unjudged; /* 1: ok, but it is unknown whether the value is right */
  uint32_t flags, passes;
  double peak_fraction;  /* of the device's read peak; NaN if unknown */
  uint32_t reproducible; /* RH_BITS_* */
} rh_row;

typedef struct rh_records {
  /* Owned, or null: the document without its rows, which is JSONL's first line.  "schema"; each of
   * the others may be null: "tool": {"version", ...}, "run": {"argv", "start", "complete", ...},
   * "devices": [{"id", "key", "name", ...}], "calibration": [{"device", "timer", "read_peak_Bps",
   * ...}], "settings": {"cache", ...}, "strategies": [{"name", ...}]. */
  json_t *head;
  rh_row *rows; /* strings and arrays owned */
  uint32_t n_rows;
  /* Of a file that was read. */
  uint32_t are_lines; /* 1: JSONL, which can be appended to */
  uint32_t is_cut;    /* 1: its last line is incomplete, from an interrupted run, and was ignored */
  uint64_t whole_bytes; /* for JSONL: the end of the last complete line */
} rh_records;

/* Takes over what *row owns, which is released on failure. */
rh_status rh_records_add(rh_records *results, rh_row *row, rh_error *error);
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
const char *rh_records_cache(const rh_records *results); /* "cold", "hot"; null if unknown */

/* What is counted along the points of a table: the length of segments, or n. */
uint64_t rh_row_size(const rh_row *row);
/* By operator, type, n and segments, and by the device before: negative, 0 or positive. */
int rh_row_problem_order(const rh_row *a, const rh_row *b);
int rh_row_point_order(const rh_row *a, const rh_row *b);
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

/* ---- Judges one point of two result files: did it become faster, slower or wrong? ---- */

/* X(name, number, word in tables).  `slow` and `broken` are regressions. */
#define RH_CHANGE_LIST(X)                                                                          \
  X(same, 0, "same")                                                                               \
  X(fast, 1, "fast")                                                                               \
  X(slow, 2, "SLOW")                                                                               \
  X(unclear, 3, "unclear") /* the measurements do not decide */                                    \
  X(broken, 4, "BROKEN")   /* was ok; is wrong now, or fails */                                    \
  X(mended, 5, "mended")   /* was wrong, or failed; is ok now */                                   \
  X(untimed, 6, "no time") /* no time in at least one of the files, and neither of the two above */
enum {
#define RH_X(name, number, word) RH_CHANGE_##name = number,
  RH_CHANGE_LIST(RH_X)
#undef RH_X
      RH_N_CHANGES
};

/* A point measured in fewer processes does not show how processes differ: the variation of a few
 * that happen to agree would be taken for none. */
enum { RH_FEWEST_PROCESSES = 5 };

/* Where that variation is unknown, a smaller difference of two medians does not count: so far apart
 * were processes of one build.  The second part is for times by a device's clock only. */
#define RH_FLOOR_RELATIVE 0.03
#define RH_FLOOR_SECONDS  0.15e-6

/* A point that both files have.  low and high are each file's interval: for a comparison by
 * processes the 95 % interval, otherwise the quartiles of the rounds' medians, or of all samples if
 * there are fewer than 4 rounds. */
typedef struct rh_change {
  const rh_row *old_row, *new_row;
  uint32_t verdict;                            /* RH_CHANGE_* */
  double change;                               /* (new - old) / old; NaN if a time is missing */
  double old_low, old_high, new_low, new_high; /* s */
  /* 1: one was timed by the host's clock, one by the device's; the verdict is unclear */
  uint32_t clocks_differ;
  uint32_t by_processes; /* 1: low and high contain the variation between processes */
  double low, high;      /* by processes: the interval of the change; otherwise NaN */
  double floor;          /* otherwise: a smaller change does not count; by processes 0 */
} rh_change;

/* threshold: the smallest relative change that counts.  points: how many are compared by processes;
 * 0 counts as 1.
 *
 * Judges by processes, if both rows have at least RH_FEWEST_PROCESSES: fast and slow if the
 * interval of the change lies beyond the threshold and the medians differ by as much, same if the
 * interval lies within the threshold.  The interval is Welch's for the mean logarithm of the
 * processes' medians.  All intervals of the comparison contain their changes with 95 % confidence
 * together (Bonferroni).
 *
 * Otherwise: fast and slow if the two files' intervals do not overlap, are at least the threshold
 * apart, and the medians differ by at least the floor; same if the medians differ by at most the
 * threshold, and both intervals are at most 2 % wide.
 *
 * Everything else, and fewer than 4 samples, is unclear. */
rh_change rh_change_judge(const rh_row *old_row, const rh_row *new_row, double threshold,
                          uint32_t points);
const char *rh_change_word(uint32_t verdict); /* "SLOW" */
const char *rh_change_name(uint32_t verdict); /* "slow" */

/* Compares two result files point by point: which results became faster, slower or wrong. */

typedef struct rh_comparison {
  rh_change *changes; /* by device, operator, type and n; rows are those of the results compared */
  uint32_t n_changes, counts[RH_N_CHANGES], only_old, only_new;
  uint32_t n_by_processes, n_by_rounds; /* of the changes with two times */
  double threshold;
  char **warnings; /* sentences: other devices, other drivers */
  uint32_t n_warnings;
} rh_comparison;

/* Compares all points that both have; of several rows for one point, the last counts.
 * `threshold`: the smallest relative change that counts.  RH_E_USAGE if the input was hot in one
 * and cold in the other, if the clocks differ, or if there is no common point.  On failure there
 * is nothing to finish. */
rh_status rh_compare(rh_comparison *comparison, const rh_records *old, const rh_records *new_,
                     double threshold, rh_error *error);
void rh_comparison_finish(rh_comparison *comparison);                /* zero-initialised is fine */
uint32_t rh_comparison_regressions(const rh_comparison *comparison); /* how many */

/* An output file for the user that replaces another, whole or not at all, and leaves its owner, its
 * mode and links as they are.  For redhost's own files see core/base. */

typedef struct rh_draft {
  char *path;       /* where links lead to */
  rh_new_file file; /* what takes its place */
  int replaces;     /* 0: `path` itself is written to */
  char *text;       /* of what cannot be replaced without a loss: kept in memory to the end */
  size_t bytes;
  FILE *out;
} rh_draft;

/* A device or a pipe is written to directly; a write-protected file is refused.  0, or -1 with
 * errno, and then there is nothing to finish. */
int rh_draft_begin(rh_draft *draft, const char *path);

/* Before anything is written: room for as many bytes.  0, or -1 with errno. */
int rh_draft_reserve(rh_draft *draft, uint64_t bytes);

/* Would both replace one file? */
int rh_draft_is_same(const rh_draft *a, const rh_draft *b);

/* Replaces the file by what was written to draft->out. 0, or -1 with errno. */
int rh_draft_end(rh_draft *draft);

/* Discards an unfinished draft; zero-initialised is fine. */
void rh_draft_finish(rh_draft *draft);

/* Replaces the file by these bytes: 0, or errno. */
int rh_save(const char *path, const void *bytes, uint64_t size);

/* Reads result files.  JSON documents and JSON lines are distinguished by their content. */

/* Overwrites *results with the contents of `path`; "-" is standard input.  RH_E_FILE, with file,
 * line and key, if the file cannot be read or has invalid values; *results owns nothing then. */
rh_status rh_records_read(const char *path, rh_records *results, rh_error *error);

/* Confidence intervals from a few independent measurements, by Student's t distribution. */

/* The t that a variable with `freedom` (more than 0) degrees of freedom exceeds in absolute value
 * with probability `both_tails`, from 1e-9 to below 1. */
double rh_student_t(double both_tails, double freedom);

/* The mean of n values, and the half width of its confidence interval, which misses the true mean
 * with probability `miss`: t * s / sqrt(n) with n - 1 degrees of freedom.  The half width of fewer
 * than 2 values is infinite. */
typedef struct rh_estimate {
  double middle, half;
} rh_estimate;
rh_estimate rh_student_mean(const double *values, uint32_t n, double miss);

/* The difference of two means, b's minus a's, likewise, without assuming equal variances: Welch,
 * The generalization of Student's problem, Biometrika 34 (1947).  At least 2 values of each. */
rh_estimate rh_student_difference(const double *a, uint32_t n_a, const double *b, uint32_t n_b,
                                  double miss);

/* ---- Tables, for the terminal and for Markdown ---- */

enum { RH_PLAIN, RH_BOLD, RH_GOOD, RH_BAD, RH_DIM }; /* styles on the terminal */
enum { RH_MAX_COLUMNS = 12 };

/* Zero-initialised is empty.  Rows are kept until they are printed, so that columns fit their
 * contents. */
typedef struct rh_table {
  uint32_t columns, headings, n_rows;
  char **cells;              /* row by row, the heading first */
  int *styles;               /* one for each cell */
  int right[RH_MAX_COLUMNS]; /* 1: right-aligned */
} rh_table;

/* Adds headings, with '|' between, each the name of a column; of right-aligned ones after a '>'. */
void rh_table_begin(rh_table *table, const char *headings);
/* Adds a row of strings, one for each column.  styles: a letter for each cell, of " *+-.": plain,
 * bold, good, bad, dim. */
void rh_table_row(rh_table *table, const char *styles, ...);
/* Adds a cell, whose text is copied and made plain.  `columns` cells make a row. */
void rh_table_cell(rh_table *table, int style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void rh_table_finish(rh_table *table);

/* ---- The contents of --bench's tables ---- */

/* There is a table for each (device, op, type), and of segments for each of their distributions and
 * n; sorted by size, or length, and then by time; rows without a time come last. */

/* All rows in the order of the tables: malloc'ed; null if there are none or out of memory. */
const rh_row **rh_records_tabulated(const rh_records *results);
/* The number of leading rows, of n, that belong to the first one's table. */
uint32_t rh_table_length(const rh_row *const *rows, uint32_t n);
/* Makes that table of them.  repeats: each row has its size, not only the first of several. */
void rh_table_fill(rh_table *table, const rh_row *const *rows, uint32_t n, int repeats);

/* Lines of text, appended without a line break.  `rows`: the n rows of one table. */

/* "sum f32 on 1:0 NVIDIA H200, driver 580.159.04, cold input, read peak 4584 GB/s" */
void rh_table_title(rh_text *text, const rh_records *results, const rh_row *row);
/* "best: one-pass to 2^24, two-stage above." and, where peers are faster, "with peers: ...".
 * Nothing if no row has a time. */
void rh_table_best(rh_text *text, const rh_row *const *rows, uint32_t n);
/* "~ noisy (IQR > 5 %).  4 s, 45 points, 20-36 samples each." */
void rh_table_legend(rh_text *text, const rh_records *results);

/* Writes results as JSON, JSON lines, CSV and Markdown.  Numbers are in the C locale and read
 * back exactly; unknown values are null or empty, never NaN. */

enum { RH_FORMAT_json = 1, RH_FORMAT_jsonl, RH_FORMAT_csv, RH_FORMAT_markdown };

uint32_t rh_format_from_path(const char *path); /* by its suffix; 0 for any other */

/* `name`: the name of `out` in messages.  Data may still be buffered, so the caller must check
 * fclose(out). */
rh_status rh_records_write(const rh_records *results, uint32_t format, FILE *out, const char *name,
                           rh_error *error);

/* Replaces the file atomically: writes beside `path` and renames.  The suffix determines the
 * format, RH_E_USAGE if it is unknown.  Anything other than a regular file, such as /dev/stdout,
 * is written directly. */
rh_status rh_records_export(const rh_records *results, const char *path, rh_error *error);
/* Checks, by trying, that the file can be written, before hours of measuring: RH_E_FILE if not.
 * Existing contents are kept.  Any suffix is accepted. */
rh_status rh_records_check_path(const char *path, rh_error *error);

/* ---- JSONL as it grows ---- */

/* Opens `path` to append rows.  If whole_bytes is 0, starts a new file with the header of
 * *results.  Otherwise keeps that many bytes of the file and removes the rest,
 * which an interrupted run left.  The caller closes *out. */
rh_status rh_jsonl_begin(FILE **out, const char *path, const rh_records *results,
                         uint64_t whole_bytes, rh_error *error);
/* Writes and flushes one line. */
rh_status rh_jsonl_add(FILE *out, const rh_row *row, const char *path, rh_error *error);

/* Converts between the JSON document "redhost/1" and its struct.  JSON input is untrusted: a
 * value of a wrong type or out of range is rejected with a message that begins with its key,
 * "time_s.median: ...".  Unknown keys are ignored; missing keys and null mean "unknown". */

/* New references, null if out of memory. */

json_t *rh_row_to_json(const rh_row *row);
/* [{"device", "op", "type", "n", "strategy", "tied"}]: the best strategy of each point, and
 * those that tie with it. */
json_t *rh_best_to_json(const rh_records *results);

/* RH_E_FILE.  On failure *row owns nothing. */
rh_status rh_row_from_json(rh_row *row, const json_t *object, rh_error *error);
