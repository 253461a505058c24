/* Where the elements of a stream come from: files and pipes, generated data, or arrays. */
#pragma once

#include "../../operators/custom/definition.h"
#include "../io/feed.h"

typedef struct rh_source rh_source;

struct rh_source {
  uint32_t n_operands;
  rh_type types[RH_MOST_OPERANDS];
  /* Elements of each operand, of which those from `first` on are there; UINT64_MAX: n is known only
   * at the end. */
  uint64_t n, first;
  int in_order; /* 1: pieces are read one after the other, in index order */
  uint64_t seed;
  const char *kind;                 /* of generated data */
  rh_feed *feeds[RH_MOST_OPERANDS]; /* of files and pipes */
  const void *arrays[RH_MOST_OPERANDS];
  const void *tails[RH_MOST_OPERANDS]; /* of arrays: elements from `tail` on; or null */
  uint64_t tail;
  /* Writes elements first .. first+n-1 of operand k to `to`; *got is fewer only at the end of a
   * source of unknown length.  Any thread, unless in_order. */
  rh_status (*read)(const rh_source *source, uint32_t k, uint64_t first, uint64_t n, void *to,
                    const atomic_int *stop, uint64_t *got, rh_error *error);
};

/* feeds: open, of equal lengths where they are known, at most one of them a pipe of unknown length;
 * borrowed.  RH_E_USAGE, with both names, where they are not. */
rh_status rh_source_of_feeds(rh_source *source, rh_feed *const *feeds, uint32_t n_operands,
                             rh_error *error);

/* n elements of a kind that exists.  Operand k has the seed `seed` + k, as
 * rh_operand_data_fill() gives it. */
void rh_source_generated(rh_source *source, const char *kind, uint64_t seed, const rh_type *types,
                         uint32_t n_operands, uint64_t n);

/* The elements are a part of more: the first one has the index `first` there.  [before reading] */
void rh_source_shift(rh_source *source, uint64_t first);

/* Where the page cache holds elements first .. first+n-1 of a file, they are reduced where they are
 * by what reads the host's memory: rh_feed_view() has the rules. */
void rh_source_view(rh_source *source, uint64_t first, uint64_t n, int leaves);
/* *at: where element `first` of operand k and those after it lie; null: they have to be read.
 * RH_E_FILE if reading them has failed.  [any thread] */
rh_status rh_source_at(const rh_source *source, uint32_t k, uint64_t first, const void **at,
                       rh_error *error);
/* Elements first .. first+n-1 of all operands are done with.  [any thread] */
void rh_source_leave(const rh_source *source, uint64_t first, uint64_t n);
/* 1: all operands are viewed. */
int rh_source_is_viewed(const rh_source *source);

/* Arrays in the host's memory, which are borrowed: of n elements they hold those from `first` on,
 * and only these are read.  tails and tail may be
 * set then. */
void rh_source_of_arrays(rh_source *source, const void *const *arrays, uint64_t first,
                         const rh_type *types, uint32_t n_operands, uint64_t n);

/* After all was read: RH_E_FILE if a file changed meanwhile. */
rh_status rh_source_check_unchanged(const rh_source *source, rh_error *error);

/* The member "source" of an operation's text: kind, seed and number of generated elements; how
 * those of a file of several dimensions are stored, for the order decides which element has which
 * index.  of_files: 1: with what tells one file from another.  A new reference, or null if out of
 * memory. */
struct json_t *rh_source_identity(const rh_source *source, int of_files);
