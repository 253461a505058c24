/* Results as text: for programs JSON, JSON by lines and CSV, for people Markdown.  Numbers are in
 * the C locale and read back as what they were; what is not known is null or empty, never NaN. */
#ifndef RH_RECORDS_WRITE_H
#define RH_RECORDS_WRITE_H

#include "records.h"

#include <stdio.h>

/* X(name, number, ending) */
#define RH_FORMAT_LIST(X)                                                                          \
  X(json, 1, ".json")                                                                              \
  X(jsonl, 2, ".jsonl")                                                                            \
  X(csv, 3, ".csv")                                                                                \
  X(markdown, 4, ".md")
enum {
#define RH_X(name, number, ending) RH_FORMAT_##name = number,
  RH_FORMAT_LIST(RH_X)
#undef RH_X
};

uint32_t rh_format_from_name(const char *name); /* "markdown"; 0 for an unknown one */
uint32_t rh_format_from_path(const char *path); /* by its ending; 0 for any other */

/* `name`: what `out` is, for messages.  What has been written may still be on its way: whoever
 * closes `out` asks whether that went well. */
rh_status rh_records_write(const rh_records *results, uint32_t format, FILE *out, const char *name,
                           rh_error *error);

/* A whole file or none: written beside `path` and renamed; the format is that of the ending,
 * RH_E_USAGE where there is none such.  What is not a regular file, such as /dev/stdout, is written
 * to. */
rh_status rh_records_export(const rh_records *results, const char *path, rh_error *error);
/* Whether a file could be written there, found out by trying, to be known before hours of
 * measuring: RH_E_FILE.  What is there stays as it is.  Any ending will do. */
rh_status rh_records_check_path(const char *path, rh_error *error);

/* ---- JSONL as it grows ---- */

/* Opens `path` to append rows.  whole_bytes is 0: a new file, which begins with the header of
 * *results.  Else that many bytes of the file are kept (rh_read_notes), and what an interrupted run
 * left behind them is cut off.  The caller closes *out. */
rh_status rh_jsonl_begin(FILE **out, const char *path, const rh_records *results,
                         uint64_t whole_bytes, rh_error *error);
/* A line, on the disk's way when this returns. */
rh_status rh_jsonl_add(FILE *out, const rh_row *row, const char *path, rh_error *error);

/* ---- The formats, one in each file; errors of `out` stay there, -1: no memory ---- */

int rh_write_csv(const rh_records *results, FILE *out);
int rh_write_markdown(const rh_records *results, FILE *out);

#endif
