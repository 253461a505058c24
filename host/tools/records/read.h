/* Result files: whole documents and lines of JSON, told apart by what is in them. */
#ifndef RH_RECORDS_READ_H
#define RH_RECORDS_READ_H

#include "records.h"

/* What else there is to know of a file. */
typedef struct rh_read_notes {
  uint32_t lines; /* 1: JSONL, which can be appended to */
  uint32_t cut;   /* 1: its last line has no end and no meaning: an interrupted run; left out */
  uint64_t whole_bytes; /* of JSONL: where the last whole line ends */
} rh_read_notes;

/* Fills *results, whatever it held, from `path`; "-" is standard input.  RH_E_FILE, naming file,
 * line and key, for what cannot be read or believed; *results owns nothing then. */
rh_status rh_records_read(const char *path, rh_records *results, rh_error *error);
/* The same; *notes is filled. */
rh_status rh_records_read_noting(const char *path, rh_records *results, rh_read_notes *notes,
                                 rh_error *error);

#endif
