/* What the two sides of a probe say to each other.
 *
 * Descriptor 3 holds the request: one JSON object, a null byte, then the files' paths, each ended
 * by a null byte (a path is any bytes, JSON is not).  On descriptor 4 the child answers with one
 * JSON object a line:
 *     {"redhost-probe":2}                       the channel works
 *     {"begin":k}                               it goes to look at file k, counted from 0
 *     {"phase":"query","strategy":"cascade"}    it goes to ask
 *     {"plugin":k,"strategies":[...]}           what is in the file, or
 *     {"refused":k,"kind":2,"reason":"..."}     why not, and an rh_refusal_kind
 *     {"end":n}                                 all n were looked at
 * Whatever does not come in this order was not written by redhost. */
#ifndef RH_PLUG_WIRE_H
#define RH_PLUG_WIRE_H

#include "../base/text.h"
#include "registry.h"
#include <jansson.h>

enum { RH_WIRE_VERSION = 2 };

/* A request as the child reads it. */
typedef struct rh_request_in {
  json_t *json; /* holds the device's strings */
  char *bytes;  /* holds the paths */
  rh_device device;
  uint64_t max_n;
  int64_t parent;
  const char **paths;
  uint32_t n;
} rh_request_in;

/* device may be null: the child is given the host alone. */
rh_status rh_wire_request(rh_text *to, const rh_device *device, uint64_t max_n,
                          const char *const *paths, uint32_t n, rh_error *error);
/* Takes over `bytes`, malloc'ed, also on failure.  0, or -1. */
int rh_wire_read_request(rh_request_in *request, char *bytes, size_t length);
void rh_wire_finish_request(rh_request_in *request);

/* A string of anybody's: what is not UTF-8 becomes question marks. */
json_t *rh_wire_text(const char *s);

typedef rh_offer rh_offers[RH_N_OPS + 1][RH_N_TYPES + 1];

/* The offers before anybody is asked: declined, with the reason. */
void rh_wire_clear_offers(rh_offers offers);

json_t *rh_wire_strategy(const rh_strategy *strategy, const char *build, rh_offers offers);
/* 0 and *entry filled, but for its path and place; or -1 and nothing to free. */
int rh_wire_read_entry(const json_t *json, rh_entry *entry);
void rh_entry_finish(rh_entry *entry);

#endif
