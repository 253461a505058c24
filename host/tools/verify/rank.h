/* One rank of a job that tests a transport: what the launcher starts, and what the rank reports.
 *
 * The ranks and the test share a file on one host.  Each rank appends lines to it: what it does,
 * and what it finds wrong. */
#pragma once

#include <redhost/redhost.h>

/* All ranks of a job do this, after they have joined it. */
typedef enum rh_rank_task {
  RH_RANK_GREET,  /* one gather, and they leave */
  RH_RANK_SIZES,  /* gathers of every kind of size */
  RH_RANK_MANY,   /* many gathers, at varying speed, on busy processors */
  RH_RANK_LATE,   /* `special` comes late to one of them */
  RH_RANK_LASTS,  /* they gather until the job breaks, and abort it then */
  RH_RANK_LEAVES, /* the same, but `special` ends without a word */
  RH_RANK_ABORTS, /* the same, but `special` aborts the job */
  RH_RANK_CLOSES, /* they leave at different times */
  RH_RANK_STATE   /* like GREET, while each looks what the transport changes in its process */
} rh_rank_task;

/* Seconds that ranks which wait for a lost one give to gather. */
#define RH_RANK_PATIENCE_S 2.0

/* The rank's side: `redhost --rank REPORT ORDER` calls this and exits with what it returns.  ORDER
 * is "TASK,SIZE,SPECIAL,SEED,TRANSPORT", four numbers and a path.  The lines that the rank adds to
 * the file REPORT begin with its process id and host, a word each:
 *     begin               it has read its task
 *     joined RANK SIZE LOCAL
 *     ready               it has gathered several times
 *     broke SECONDS       gather failed, after this time
 *     wrong TEXT          a finding
 *     closed              close has returned */
int rh_rank_main(const char *report, const char *order);

/* Texts that a transport writes into a caller's array: one sentence, terminated, within its bytes.
 * The least that transport.h promises: */
enum { RH_SENTENCE_BYTES = 256 };
/* RH_SENTENCE_BYTES before a page that cannot be written, so that a longer text crashes.  One array
 * for the whole process; each call makes it blank. */
char *rh_sentence_room(void);
/* Null, or what is wrong with the text that was written there: "writes no sentence". */
const char *rh_sentence_fault(const char *text);
