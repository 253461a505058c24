/* Reads result files.  JSON documents and JSON lines are distinguished by their content. */
#pragma once

#include "records.h"

/* Further facts about a file. */
typedef struct rh_read_notes {
  uint32_t lines; /* 1: JSONL, which can be appended to */
  uint32_t cut;   /* 1: its last line is incomplete, from an interrupted run, and was ignored */
  uint64_t whole_bytes; /* for JSONL: the end of the last complete line */
} rh_read_notes;

/* Overwrites *results with the contents of `path`; "-" is standard input.  RH_E_FILE, with file,
 * line and key, if the file cannot be read or has invalid values; *results owns nothing then. */
rh_status rh_records_read(const char *path, rh_records *results, rh_error *error);
/* The same; *notes is filled. */
rh_status rh_records_read_noting(const char *path, rh_records *results, rh_read_notes *notes,
                                 rh_error *error);
