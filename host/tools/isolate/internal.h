/* The processes that peers and isolated strategies run in, and the lines they exchange. */
#pragma once

#include "isolate.h"

/* Parses the lines that a child sends.  Pure: text in, struct out.  A peer program sends those of
 * docs/extend/peers.md.  redhost's own children (redhost --work, redhost --sample) do not greet;
 * what follows a word is one struct as it is in memory, in hexadecimal digits, since both sides are
 * one program; and they send in addition the phase that they enter, logs, progress, before "closed"
 * the number of log lines that were dropped, and as an answer an error.
 *
 * The questions "open" and "ask" are followed by an rh_own_point likewise.  "ask" is whether it can
 * serve the problem: it answers as to "open", but sets nothing up and does not read the data, so
 * that data are generated only after an acceptance. */

enum { RH_MOST_LOGS = 100 }; /* in a point */

typedef enum rh_peer_word {
  RH_PEER_GARBAGE, /* not part of the protocol */
  RH_PEER_HELLO,
  RH_PEER_NAMED,
  RH_PEER_READY,
  RH_PEER_OPENED,
  RH_PEER_DECLINED,
  RH_PEER_FAILED,
  RH_PEER_TAKEN,
  RH_PEER_PARTS,
  RH_PEER_CLOSED,
  RH_PEER_VALUED,
  RH_OWN_PHASE, /* from here on those of redhost's own children alone */
  RH_OWN_LOG,
  RH_OWN_PROGRESS,
  RH_OWN_DROPPED,
  RH_OWN_ERROR
} rh_peer_word;

typedef struct rh_own_log {
  uint32_t level;
  char text[1024];
} rh_own_log;

typedef struct rh_own_progress {
  char activity[16]; /* "upload" */
  uint64_t done, total;
} rh_own_progress;

typedef struct rh_own_point {
  rh_bench_data data; /* pointers are the parent's, and say only whether there is something */
  uint32_t op;        /* of a user's operator, that which it is based on */
  rh_type type;
  uint32_t own;                        /* of the request's operators; others: it is built in */
  uint64_t operands[RH_MOST_OPERANDS]; /* for data.offsets */
  rh_layout layout;                    /* of segments; its offsets and results have */
  uint64_t offsets_at, results_at;     /* places in the data's file */
  uint64_t region_bytes;               /* bytes to map; 0: as many as the point needs */
} rh_own_point;

/* Only the fields of the line's kind are set. */
typedef struct rh_peer_message {
  char name[64];    /* NAMED: like a strategy's name */
  char text[1024];  /* NAMED: its description; DECLINED, FAILED: the reason */
  rh_opened opened; /* OPENED, by a peer: only the values that were given */
  /* TAKEN: in finite time, more than 0; by a peer, in the result type of the operator */
  rh_taken taken;
  rh_parts parts; /* PARTS */
  rh_phase phase;
  rh_own_log log;
  rh_own_progress progress;
  uint64_t dropped;
  /* ERROR: never RH_OK, nor RH_E_WRONG, because children do not check results */
  rh_error error;
} rh_peer_message;

/* Changes with the structs that are sent as they are. */
enum { RH_ANSWER_BYTES = sizeof(rh_peer_message) + sizeof(rh_own_point) };

/* Accepts any `length` bytes.  `op` and `type` determine the value of a peer's TAKEN.  Texts that
 * are too long are truncated. */
rh_peer_word rh_peer_line_read(const char *line, size_t length, int is_own, uint32_t op,
                               rh_type type, rh_peer_message *said);

/* A line of an own child, or to it: the word, and the struct behind it, of rh_hex_read(). */
void rh_own_line_add(rh_text *to, const char *word, const void *from, size_t bytes);

/* The process of a peer program: starts it, exchanges lines with it, and restarts it after a
 * loss. point.c knows the questions. */

/* A question; the peer's name and the verb are for messages. */
typedef struct rh_peer_question {
  const char *line; /* with its newline; null: only read */
  const char *peer; /* null: the program as a whole */
  const char *verb; /* "open" */
  uint32_t op;
  rh_type type;
} rh_peer_question;

/* A program and the peers that it offers.  The samplers of peer programs and of isolated
 * strategies share this. */

typedef struct rh_peer {
  rh_peers *peers;
  char name[64], about[256];
  uint32_t holds_data; /* it is counted in n_holding */
  uint32_t opened_in;  /* the number of the start in which its point was opened; 0: not open */
  rh_bench_data data;  /* of the point that was opened last */
} rh_peer;

struct rh_peers {
  char *program;
  const rh_options *options;
  double limit_s;
  rh_peer list[RH_PEERS_MOST];
  uint32_t n;
  /* An isolated strategy's; null: a peer program. */
  const char *role;
  char *plugin;                      /* its file; list[0] has its name */
  rh_text request;                   /* sent on its descriptor 3 */
  const rh_custom *own[RH_MOST_OWN]; /* the users' operators, n_own of them; borrowed */
  uint32_t n_own;
  rh_phase phase;
  uint64_t logs;
  uint32_t failed; /* it has reported an error, to which its output probably refers */
  /* The data. */
  int data, reader; /* an unnamed file; `reader` is the program's read-only descriptor */
  uint32_t n_holding;
  const rh_region *region; /* what it maps, if the data have a region */
  /* The process. */
  rh_child with;
  rh_peer_question question; /* the last one; its line is the caller's */
  int is_asked;              /* an answer is expected */
  rh_peer_word word;         /* the answer */
  rh_peer_message said;
  uint32_t runs;
  uint32_t starts; /* how often it was started; points of an earlier process are no longer open */
  uint32_t losses; /* in a row; the caller resets it after a success */
  char why[1024];  /* the reason of the last loss */
};

/* Without its process.  Takes over `program`, malloc'ed; after a failure, rh_peers_finish() it. */
rh_status rh_peers_make(rh_peers **made, char *program, const rh_options *options, double limit_s,
                        rh_error *error);

/* Sends a question and reads the answer, peers->word and peers->said, which is never
 * RH_PEER_GARBAGE.  A process that does not answer is ended, and *error says why.  An error that a
 * redhost child reports is returned, and the process continues. */
rh_status rh_peers_ask(rh_peers *peers, const rh_peer_question *question, rh_error *error);

/* For an answer that does not match the last question: ends the process and returns an error. */
rh_status rh_peers_protocol_error(rh_peers *peers, const char *how, rh_error *error);

/* Starts the program unless it is running, for data in that region or none, and reads its
 * greeting. */
rh_status rh_peers_run(rh_peers *peers, const rh_bench_data *data, rh_error *error);

/* ---- The request to a strategy's process (core/child) ---- */

/* The part of it that is sent as it is in memory. */
typedef struct rh_sample_numbers {
  uint32_t answer_bytes;    /* RH_ANSWER_BYTES of the parent */
  uint32_t untuned, strict; /* as rh_local_shared's */
  uint32_t is_known;        /* 1: `known` is set, and samples are taken as in a benchmark */
  rh_bench_device known;    /* for rh_bench_device_adopt() */
} rh_sample_numbers;

typedef struct rh_sample_order {
  rh_options options; /* device, without which no OpenCL driver is loaded; cache_dir, no_cache */
  const char *strategy, *plugin;
  const char *what; /* the data, for messages; null: "--size" */
  const rh_setting *settings;
  uint64_t n_settings;
  const char *own[RH_MOST_OWN]; /* users' operators: texts of operations */
  uint32_t n_own;
  rh_sample_numbers is;
} rh_sample_order;

/* Its users' operators are added behind. */
void rh_sample_order_write(rh_text *to, const rh_isolated_spec *spec);

/* 0, or -1 if this is another request.  Strings point into it; the settings are malloc'ed, or
 * null. */
int rh_sample_read(const rh_child_request *request, rh_sample_order *order);
