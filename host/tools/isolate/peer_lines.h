/* Parses the lines of a peer program (docs/peers.md).  Pure: text in, struct out. */
#ifndef RH_ISOLATE_PEER_LINES_H
#define RH_ISOLATE_PEER_LINES_H

#include "../measure/sampler.h"

typedef enum rh_peer_word {
  RH_PEER_GARBAGE, /* nothing that the protocol knows */
  RH_PEER_HELLO,
  RH_PEER_NAMED,
  RH_PEER_READY,
  RH_PEER_OPENED,
  RH_PEER_DECLINED,
  RH_PEER_FAILED,
  RH_PEER_TAKEN,
  RH_PEER_PARTS,
  RH_PEER_CLOSED
} rh_peer_word;

/* Only what belongs to the word is filled. */
typedef struct rh_peer_said {
  char name[64];      /* NAMED: as strategies are named */
  char text[256];     /* NAMED: what it is; OPENED: its parameters, or ""; DECLINED, FAILED: why */
  uint32_t launches;  /* OPENED */
  uint32_t device;    /* OPENED, TAKEN: 1 by the device's clock, 0 by the host's */
  double seconds;     /* TAKEN: finite, more than 0 */
  rh_result result;   /* TAKEN: in the result type of the operator */
  rh_opened opened;   /* OPENED: what was said with a key, and nothing else */
  uint32_t has_parts; /* OPENED: "parts" may be asked for */
  rh_part parts[RH_MAX_PARTS]; /* PARTS */
  uint32_t n_parts;
  double host_share_s; /* PARTS */
} rh_peer_said;

/* Accepts any `length` bytes.  `op` and `type` determine the value of a TAKEN.  Texts that are too
 * long are truncated. */
rh_peer_word rh_peer_line_read(const char *line, size_t length, uint32_t op, rh_type type,
                               rh_peer_said *said);

#endif
