/* The probe protocol: the messages between redhost and its probe process.
 *
 * The request (child/request.h) holds the device, max_n and the files: "file=PATH" for each.  On
 * descriptor 4 the child answers with one JSON object a line:
 *     {"redhost-probe":2}                       the channel works
 *     {"begin":k}                               it begins to examine file k, counted from 0
 *     {"phase":"query","strategy":"cascade"}    it calls query
 *     {"plugin":k,"strategies":[...]}           the contents of the file, or
 *     {"refused":k,"kind":2,"reason":"..."}     the reason, and an rh_refusal_kind
 *     {"end":n}                                 all n were examined Messages in another order
 *     cannot be redhost's. */
#pragma once

#include "../child/request.h"
#include "registry.h"
#include <jansson.h>

enum { RH_WIRE_VERSION = 2 };

/* Begins a request, to which the files are added; device may be null: the child gets only the
 * host. */
void rh_wire_request(rh_text *to, const rh_device *device, uint64_t max_n);
/* The child's side; the files are read by rh_request_next(request, "file", ...).  0, or -1. */
int rh_wire_read_request(const rh_child_request *request, rh_device *device, uint64_t *max_n);

typedef rh_offer rh_offers[RH_N_OPS + 1][RH_N_TYPES + 1];

/* The offers before any query: declined, with the reason. */
void rh_wire_clear_offers(rh_offers offers);

json_t *rh_wire_strategy(const rh_strategy *strategy, const char *build, rh_offers offers);
/* 0 and *entry filled, but for its path and place; or -1 and nothing to free. */
int rh_wire_read_entry(const json_t *json, rh_entry *entry);
void rh_entry_finish(rh_entry *entry);
