/* Transports in files: found, opened, and asked whether they can work here. */
#pragma once

#include <redhost/redhost.h>
#include <redhost/transport.h>

enum { RH_TRANSPORT_TEXT_BYTES = 512 };

/* A file that may be a transport, or the built-in one. */
typedef struct rh_transport_entry {
  char *path;                    /* null: built in */
  const rh_transport *transport; /* null: not opened, and text says why */
  int32_t answer;                /* RH_TRANSPORT_*, of its probe */
  char text[RH_TRANSPORT_TEXT_BYTES];
} rh_transport_entry;

typedef struct rh_transport_list {
  rh_transport_entry *entries;
  uint32_t n;
  char *searched; /* "/a:/b" */
} rh_transport_list;

/* 1 to 31 characters of a-z, 0-9, - and _; null is not. */
int rh_transport_name_is_valid(const char *name);

/* Opens one file, for the rest of the process, and checks its descriptor.  RH_E_PLUGIN. */
rh_status rh_transport_open(const char *path, const rh_transport **transport, rh_error *error);

/* All transports: the built-in one, then files in the order of the search.  Opens all of them in
 * this process and asks each; so a process that joins a job uses rh_transport_find(). */
rh_status rh_transports_list(rh_transport_list *list, rh_error *error);
void rh_transports_finish(rh_transport_list *list);

/* The best transport of that name, or in that file if `name` has a slash.  RH_E_PLUGIN, with what
 * was tried and what to do, if none can work here; RH_E_USAGE if no transport has that name. */
rh_status rh_transport_find(const char *name, const rh_transport **transport, rh_error *error);
