/* Collects the files of one directory after another, with the checks of trust. */
#pragma once

#include "../base/text.h"
#include "discover.h"
#include <sys/stat.h>

typedef struct rh_file_id {
  dev_t device;
  ino_t inode;
} rh_file_id;

typedef struct rh_walk_places rh_walk_places;

typedef struct rh_walk {
  rh_discovery *search;
  const rh_walk_places *places;
  int operators;    /* 1: operator files are searched for, else plugins */
  uint32_t place;   /* of the next candidates */
  uint32_t at_home; /* 1: the next candidates are in redhost's own directory */
  rh_file_id homes[2];
  uint32_t n_homes;
  size_t known;     /* trusted prefix of the next paths, see rh_trust_path */
  rh_file_id *seen; /* files and directories that were visited */
  size_t n_seen;
  rh_text searched;
  int failed; /* out of memory: check once at the end */
} rh_walk;

/* Registers one of redhost's own directories, if it exists.  Must be called before any search. */
void rh_walk_home(rh_walk *walk, const char *directory);
/* Every plugin, or every operator file, in `directory`, which is absolute and whose first `known`
 * bytes are trusted.  `from`: the option or variable that named it, for a note if it is missing;
 * null: it may be missing. */
void rh_walk_directory(rh_walk *walk, const char *directory, size_t known, const char *from);
/* One regular file that the user named; it has its own rank.  Its directory may belong to any
 * user, as with a program that is started by its path. */
void rh_walk_single(rh_walk *walk, const char *path, const struct stat *st);
/* A directory that could not be determined: `what` is "the directory of ...", and errno was
 * `code`. */
void rh_walk_lost(rh_walk *walk, const char *what, int code);
void rh_walk_note(rh_walk *walk, const char *format, ...) __attribute__((format(printf, 2, 3)));
void rh_walk_finish(rh_walk *walk);
