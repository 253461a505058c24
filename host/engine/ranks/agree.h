/* Are all ranks asked for the same?  Each writes down all that decides the answer, a line for each
 * thing, and these texts are compared whole. */
#pragma once

#include "../../core/base/text.h"
#include "../../core/run/job.h"
#include "ranks.h"

/* what: in a sentence, "seed"; it is the same in all ranks.  value: any text. */
void rh_agree_add(rh_text *text, const char *what, const char *value);
void rh_agree_add_number(rh_text *text, const char *what, uint64_t number);

/* The version of redhost and what of the machine decides how its states are read; then the
 * operator, with its whole definition and its constants, the types, and the accuracy.  n is the
 * caller's to add. */
void rh_agree_add_version(rh_text *text);
void rh_agree_add_job(rh_text *text, const rh_job_spec *job);

/* Of a text.  Texts of one digest are the same. */
typedef struct rh_digest {
  uint64_t words[2];
} rh_digest;
rh_digest rh_agree_digest(const rh_text *text);

/* The digest of what rh_agree_add_version() and rh_agree_add_job() would write, and of `more`: no
 * text is made, for calls that take microseconds. */
rh_digest rh_agree_job_digest(const rh_job_spec *job, uint64_t more);

/* *differ: 1 if the texts of all ranks are not one. */
rh_status rh_agree_digests(rh_ranks *ranks, const rh_text *mine, int *differ, rh_error *error);

/* The first thing that rank `rank` was told otherwise than rank 0, and both values, cut to what is
 * around the first character that differs. */
typedef struct rh_difference {
  uint32_t rank;            /* 0: all are the same */
  char what[64], other[64]; /* of rank 0, and of the other: they differ where one has more */
  char values[2][100];
} rh_difference;

/* The first difference of two texts; *found is empty, and 0 returned, if there is none. */
int rh_agree_differ(const char *a, const char *b, rh_difference *found);

/* All ranks call it, and find the same. */
rh_status rh_agree_compare(rh_ranks *ranks, const rh_text *mine, rh_difference *found,
                           rh_error *error);

/* The sentence, RH_E_USAGE. */
rh_status rh_agree_fail(const rh_ranks *ranks, const rh_difference *found, rh_error *error);
