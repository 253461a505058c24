/* Writes results as JSON, JSON lines, CSV and Markdown.  Numbers are in the C locale and read
 * back exactly; unknown values are null or empty, never NaN. */
#pragma once

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
 * *results.  Otherwise keeps that many bytes of the file (rh_read_notes) and removes the rest,
 * which an interrupted run left.  The caller closes *out. */
rh_status rh_jsonl_begin(FILE **out, const char *path, const rh_records *results,
                         uint64_t whole_bytes, rh_error *error);
/* Writes and flushes one line. */
rh_status rh_jsonl_add(FILE *out, const rh_row *row, const char *path, rh_error *error);

/* ---- The formats, one per source file; -1: out of memory.  Errors of `out` are left in it ---- */

int rh_write_csv(const rh_records *results, FILE *out);
int rh_write_markdown(const rh_records *results, FILE *out);
