/* Parses the lines of a peer program (docs/extend/peers.md).  Pure: text in, struct out. */
#pragma once

#include "../../choose/measure/sampler.h"

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
  RH_PEER_VALUED
} rh_peer_word;

/* Only the fields of the line's kind are set. */
typedef struct rh_peer_message {
  char name[64]; /* NAMED: like a strategy's name */
  /* NAMED: its description; OPENED: its parameters, or ""; DECLINED, FAILED: the reason */
  char text[256];
  uint32_t launches;           /* OPENED */
  uint32_t device;             /* OPENED, TAKEN: 1 by the device's clock, 0 by the host's */
  double seconds;              /* TAKEN: finite, more than 0 */
  rh_result result;            /* TAKEN: in the result type of the operator */
  rh_opened opened;            /* OPENED: only the values that were given with a key */
  uint32_t has_parts;          /* OPENED: supports the request "parts" */
  rh_part parts[RH_MAX_PARTS]; /* PARTS */
  uint32_t n_parts;
  double host_share_s; /* PARTS */
} rh_peer_message;

/* Accepts any `length` bytes.  `op` and `type` determine the value of a TAKEN.  Texts that are too
 * long are truncated. */
rh_peer_word rh_peer_line_read(const char *line, size_t length, uint32_t op, rh_type type,
                               rh_peer_message *said);
