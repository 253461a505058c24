/* Requests to redhost's own child processes.  One format for every role: "KEY=VALUE" strings of any
 * bytes, each ended by a null byte.  Both sides are redhost, but perhaps of different versions:
 * requests that do not match are refused. */
#pragma once

#include "../base/text.h"
#include <redhost/redhost.h>

/* A number in a struct: 4 or 8 bytes, of whatever type. */
typedef struct rh_request_field {
  const char *key;
  size_t offset, bytes;
} rh_request_field;
#define RH_REQUEST_FIELD(type, member)                                                             \
  { #member, offsetof(type, member), sizeof(((type *)0)->member) }

/* ---- Writing: begin, add, end ---- */

void rh_request_begin(rh_text *to);
void rh_request_add(rh_text *to, const char *key, const char *value); /* nothing if value is null */
void rh_request_add_number(rh_text *to, const char *key, uint64_t number);
void rh_request_add_fields(rh_text *to, const rh_request_field *fields, size_t n, const void *from);
/* Device, cache directory, no_cache and program. */
void rh_request_add_options(rh_text *to, const rh_options *options);
rh_status rh_request_end(rh_text *to, rh_error *error); /* RH_E_NOMEM if anything was lost */

/* ---- Reading ---- */

typedef struct rh_child_request {
  char *bytes; /* every string that is read points into them */
  size_t length;
  int64_t parent;
} rh_child_request;

/* This process's request (channel.h). 0, or -1 if there is none that this redhost understands. */
int rh_request_receive(rh_child_request *request);
/* Takes ownership of `bytes`, malloc'ed, on failure too. */
int rh_request_parse(rh_child_request *request, char *bytes, size_t length);
void rh_request_finish(rh_child_request *request);

/* The first value of a key, or null. */
const char *rh_request_get(const rh_child_request *request, const char *key);
/* The next value of a repeated key, after the value `after`; null: the first. */
const char *rh_request_next(const rh_child_request *request, const char *key, const char *after);
/* 0, or -1 if there is no such number. */
int rh_request_number(const rh_child_request *request, const char *key, uint64_t *number);
int rh_request_fields(const rh_child_request *request, const rh_request_field *fields, size_t n,
                      void *to);
rh_options rh_request_options(const rh_child_request *request);
