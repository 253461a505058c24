/* The directories of plugins, and the files in them.  Opens none of them. */
#pragma once

#include <redhost/redhost.h>

/* Why a candidate is not used. */
typedef enum rh_refusal_kind {
  RH_REFUSED_FOR_FAULT, /* it was examined, and must not be used */
  /* the user disabled it, or the library that it describes is not installed */
  RH_REFUSED_BY_INTENT,
  RH_REFUSED_UNSEARCHED, /* a directory that is not trusted */
  RH_REFUSED_UNREAD      /* it could not be examined; it need not be bad */
} rh_refusal_kind;

typedef struct rh_candidate {
  char *path;     /* absolute */
  uint32_t place; /* the directory's rank, from 0; options->plugin_file has one of its own */
  /* 1: in redhost's own plugin directory, however it was found */
  uint32_t installed;
  char *refused; /* null, or why it is not opened: writable by others, owned by another user, ... */
  rh_refusal_kind kind; /* of the refusal */
} rh_candidate;

/* Every regular *.so and *.foreign.json file, each once (by device and inode), by directory and
 * then byte order; also the directories and files that are skipped, with the reason. */
typedef struct rh_discovery {
  rh_candidate *candidates;
  uint32_t n;
  char **notes; /* "REDHOST_PLUGIN_PATH: 'x' is relative and ignored" */
  uint32_t n_notes;
  char *searched; /* "/a:/b": for error messages; includes missing directories */
} rh_discovery;

/* In this order: options->plugin_file; options->plugin_path; REDHOST_PLUGIN_PATH;
 * ${XDG_DATA_HOME:-~/.local/share}/redhost/plugins-1; redhost-1 beside the library; the
 * compiled-in directory.  RH_E_FILE if options->plugin_file is not a file.  On failure *search is
 * empty. */
rh_status rh_discover(rh_discovery *search, const rh_options *options, rh_error *error);
/* Finds operator files, *.op.json. */
rh_status rh_discover_operators(rh_discovery *search, const rh_options *options, rh_error *error);
/* Transports: `file`, if it is not null; REDHOST_TRANSPORT_PATH;
 * ${XDG_DATA_HOME:-~/.local/share}/redhost/transports-1; transports-1 beside the library; the
 * compiled-in directory. */
rh_status rh_discover_transports(rh_discovery *search, const char *file, rh_error *error);
/* Is options->plugin_file a plugin, and not an operator file?  0 if there is none. */
int rh_discovery_names_plugin(const rh_options *options);
void rh_discovery_finish(rh_discovery *search);
