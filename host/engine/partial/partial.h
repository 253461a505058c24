/* What a part of a reduction comes to, and how parts become the whole. */
#pragma once

#include "../../operators/custom/custom.h"
#include "../ranks/ranks.h"

/* Answers that are rounded once: the exact reference's, which a strategy's answer checks. */

/* From here on the spec, with its layout, asks for the exact answer, rounded once.  own: that of
 * spec->op, or null.  RH_DECLINED where redhost does not know it. */
rh_status rh_accuracy_ask(rh_job_spec *spec, rh_custom *own, rh_error *error);

/* RH_DECLINED where the answer would have to be the reference's, for calls without one. */
rh_status rh_accuracy_check_own(const rh_job *job, rh_error *error);

/* Puts the reference's answer into the result of a strategy that was found to be right, if the spec
 * asks for it. */
void rh_accuracy_take(const rh_job_spec *spec, const rh_reference *reference, rh_result *result);

/* The values of data that were reduced in parts: chunks of a stream, on several devices, by several
 * processes.
 *
 * The tree of docs/inside/bits.md is aligned.  Data are counted in units, which are tiles or chunks
 * of 2^k tiles, as the caller likes; the last unit may be short.  A *node* (level, index) is the
 * value of units index * 2^level to (index + 1) * 2^level - 1, or of as many of them as there are:
 * what a strategy that promises RH_CANONICAL_ORDER returns for these elements as a reduction of
 * their own, before it becomes a result.  A fold takes nodes in any order of arrival, combines
 * neighbours as soon as both are there, the lower index on the left, and gives the value of the
 * whole, whose bits do not depend on how the data were divided.  This holds for operators that
 * round and for those that do not commute; of others, such as min, any strategy's values will do.
 *
 * A node may have several values of one operator, such as a strategy's and the exact one, each of
 * which is combined with its own kind.
 *
 * Nodes that arrive in index order leave at most 64 in memory.  In any other order, those stay that
 * wait for a neighbour: with d parts done at a time, about d more. */

typedef struct rh_fold_node {
  uint64_t first; /* unit: index * 2^level */
  uint32_t level; /* below 64 */
} rh_fold_node;

/* The last unit, because the end may be 2^64. */
static inline uint64_t rh_fold_last(const rh_fold_node *node) {
  return node->first + ((UINT64_C(1) << node->level) - 1);
}

/* Initialise with rh_fold_init(); zero-initialised may be finished.  [one thread at a time] */
typedef struct rh_fold {
  const rh_op *op;       /* the operator, built-in or the user's; borrowed */
  uint32_t n_values;     /* of a node */
  uint32_t stride;       /* bytes from one value to the next: a multiple of 16 */
  uint64_t unit;         /* elements, for messages */
  rh_fold_node *nodes;   /* that wait, in index order */
  unsigned char *values; /* theirs */
  uint32_t n, capacity;
} rh_fold;

/* The operator gives combine, identity and the value's size; it must outlive the fold. */
void rh_fold_init(rh_fold *fold, const rh_op *op, uint32_t n_values, uint64_t unit);
void rh_fold_finish(rh_fold *fold);

/* Adds a node, whose n_values values stand `apart` bytes apart and are copied.  Indices in them
 * count from the element `base`; those of the fold count from the whole's first one.  A node whose
 * units are there already is RH_E_INVALID.  RH_E_NOMEM leaves the fold as it was. */
rh_status rh_fold_add(rh_fold *fold, const rh_fold_node *node, const void *values, uint64_t apart,
                      uint64_t base, rh_error *error);

unsigned char *rh_fold_values(const rh_fold *fold, uint32_t k);

/* *value, of op->value_size bytes and aligned to 16: value number `which` of the whole; the
 * identity if there are no nodes.  The caller has added all; RH_E_INVALID names the first gap. */
rh_status rh_fold_value(const rh_fold *fold, uint32_t which, void *value, rh_error *error);

/* A part of a reduction comes to this: the nodes of the canonical tree that its values make, what
 * is exactly known of its elements, and its edges, which are the elements of tiles that are not
 * whole.
 *
 * Partials of one reduction merge in any order, and the bits of the whole do not depend on how it
 * was cut.  They travel between threads, processes and ranks, and as files (rh_partial_write()). */

/* Elements of a tile of which more are elsewhere: operand k's behind those of operand k - 1, each
 * operand padded with zeros to a multiple of 16 bytes. */
typedef struct rh_edge {
  uint64_t first, n;
  unsigned char *bytes;
} rh_edge;

/* Initialise with rh_partial_init(); zero-initialised may be finished.  [one thread at a time] */
typedef struct rh_partial {
  const rh_job_spec *job; /* the operator; borrowed */
  uint64_t whole_n;       /* elements of the whole; UINT64_MAX: not known yet */
  uint32_t check;         /* RH_CHECK_* */
  /* In tiles: the strategies' values; if all is checked and the operator is a struct or exact, also
   * the exact ones, of a struct in several orders. */
  rh_fold fold;
  rh_edge *edges; /* in the order of their elements; neighbours in a tile are one */
  uint32_t n_edges;
  uint64_t chunks, checked; /* whose values were added, and of these with a reference, */
  uint64_t unjudged;        /* and of these whose bound says nothing */
  int64_t depth;            /* the deepest value's depth less its level */
  uint32_t depth_unknown;   /* 1: of a value */
  uint32_t flushes;         /* 1: a device flushed subnormals to zero */
  char strategy[64];        /* of the first element that is there; "" if there is none */
  uint64_t strategy_first;
  rh_reference facts; /* sums and products of what was checked; not concluded */
  rh_verdict worst;   /* of chunks: wrong, else not judged, else the last */
} rh_partial;

/* The elements of a tile. */
uint64_t rh_partial_tile(const rh_job_spec *job);

/* job->n does not count.  A user's operator has rh_custom_take_base(). */
void rh_partial_init(rh_partial *partial, const rh_job_spec *job, uint64_t whole_n, uint32_t check);
void rh_partial_finish(rh_partial *partial);

/* Is a chunk, or a part of segments, one of those that are checked?  Depends on its index only. */
int rh_check_wants(uint32_t check, uint64_t index);
/* The reference of n elements, of which the first has index `first` in the whole.  threads: 0: one
 * per processor.  [any thread] */
rh_status rh_partial_refer(const rh_partial *partial, const void *const *operands, uint64_t first,
                           uint64_t n, uint32_t threads, rh_reference *reference, rh_error *error);

/* Elements from `first` on, which are 2^level tiles, or end with the whole. */
typedef struct rh_partial_chunk {
  uint64_t first, n;
  uint32_t level;
  const void *const *operands; /* where they are; not needed without a reference */
  int may_change;              /* 1: others than the strategy can write to them */
  rh_reference *reference;     /* null: it is not checked */
  const void *value; /* null: only its reference is added, as a fact of elements whose values come
                        without one */
} rh_partial_chunk;

/* Judges a chunk that is checked, adds its facts, and folds its value, which `by` has computed.
 * RH_E_WRONG names its elements if the value is wrong, of the first that is; it was added all the
 * same, and the strategy is blamed.  RH_E_FILE and RH_E_PLUGIN: what rh_job_judge_on() finds before
 * blame. */
rh_status rh_partial_add(rh_partial *partial, const rh_job *by, const rh_partial_chunk *chunk,
                         rh_error *error);

/* Adds n elements of any extent, which stay edges though they may be whole tiles. */
rh_status rh_partial_add_edge(rh_partial *partial, uint64_t first, uint64_t n,
                              const void *const *operands, rh_error *error);
/* Of two parts, one of which has elements from this one on. */
rh_status rh_say_end(uint64_t element, rh_error *error);
/* RH_E_INVALID if one of n elements from `first` on is in an edge. */
rh_status rh_edges_check_free(const rh_partial *partial, uint64_t first, uint64_t n,
                              rh_error *error);
void rh_edges_drop(rh_partial *partial, uint32_t k); /* leaves edge k out */
void rh_edge_operands(const rh_partial *partial, const rh_edge *edge, const void **operands);
uint64_t rh_edge_bytes(const rh_job_spec *job, uint64_t n);

/* *partial += *other, of the same operator and check.  RH_E_INVALID names an element that both
 * have. */
rh_status rh_partial_merge(rh_partial *partial, const rh_partial *other, rh_error *error);

/* The first element that is there, and how many are; 0 if none is. */
uint64_t rh_partial_first(const rh_partial *partial);
uint64_t rh_partial_count(const rh_partial *partial);
/* The element behind the last one. */
uint64_t rh_partial_end(const rh_partial *partial);

/* The answer, and with a check the judgement on it: RH_E_WRONG, with all filled in, if it is wrong.
 * RH_E_INVALID names the first element that is missing. */
rh_status rh_partial_conclude(rh_partial *partial, rh_result *result, rh_reference *reference,
                              rh_verdict *verdict, rh_error *error);

/* For a partial to which nothing is missing, and whose whole_n is known: the exact answer, with
 * what judges one by it; and the depth of the answer, 0 if it is not known. */
rh_status rh_partial_reference(const rh_partial *partial, rh_reference *reference, rh_error *error);
uint64_t rh_partial_depth(const rh_partial *partial);

/* A partial as bytes, for another process or another day: docs/inside/partial-file.md says what
 * each byte is. */

enum { RH_PARTIAL_VERSION = 2 };

/* malloc'ed.  text: of rh_partial_describe(); null for ranks of one job, which have compared theirs
 * already, and then pay no checksum. */
rh_status rh_partial_write(const rh_partial *partial, const char *text, void **bytes,
                           uint64_t *size, rh_error *error);

/* How many bytes the file has that begins with these, RH_PARTIAL_HEAD_BYTES if there are so many.
 * 0: it is not a partial. */
enum { RH_PARTIAL_HEAD_BYTES = 120 };
uint64_t rh_partial_file_bytes(const void *begin, uint64_t n);

/* A partial's label, the text that stands in its file: all that partials must have in common to be
 * merged, and enough to make the operator again. */

/* The strategy that computes its values; `auto` goes by the canonical order. */
typedef struct rh_partial_strategy {
  int is_auto;
  const char *name;
  uint64_t promises;
  const rh_setting *settings;
  uint64_t n_settings;
} rh_partial_strategy;

/* The operation's text, with what decides the bits of `by`.  more: its further members, taken in
 * any case: "source" is rh_source_identity(); null: the elements are arrays.  malloc'ed. */
rh_status rh_partial_describe(char **text, const rh_job_spec *job, const rh_partial_strategy *by,
                              json_t *more, rh_error *error);

/* May elements first .. first+n-1 be a part?  *whole_n: of the whole, or UINT64_MAX; it becomes the
 * part's end where nothing can follow, because functions of the map have other bits on the device
 * that would have the rest of the tile.  RH_E_USAGE if not. */
rh_status rh_partial_check_part(const rh_job_spec *job, uint64_t first, uint64_t n,
                                uint64_t *whole_n, rh_error *error);

/* ---- Partials that come as bytes, one after the other, and the answer that they make ---- */

/* Zero-initialised is empty, and may be finished.  It must not be moved. */
typedef struct rh_merger {
  rh_job_spec job; /* of the first partial, and of all; n: of the whole, once it is concluded */
  rh_custom *own;
  rh_partial all;
  char *text;      /* of all; null: none was added yet */
  char first[256]; /* the first one's name */
} rh_merger;

/* name: in messages.  context: for operators that only a device can evaluate.  Accepts any bytes;
 * RH_E_FILE, in a sentence that begins with the name, for what cannot be merged, or this redhost
 * did not write. */
rh_status rh_merger_add(rh_merger *merger, rh_context *context, const char *name, const void *bytes,
                        uint64_t size, rh_error *error);

/* Calls rh_partial_conclude(); returns RH_E_FILE where elements are missing. */
rh_status rh_merger_conclude(rh_merger *merger, rh_result *result, rh_reference *reference,
                             rh_verdict *verdict, rh_error *error);
void rh_merger_finish(rh_merger *merger);

/* ---- The partials of all ranks become one, in every rank alike ---- */

/* Every rank calls it with its own, of one job.  all: initialised and empty. */
rh_status rh_partial_gather(rh_partial *all, const rh_partial *mine, rh_ranks *ranks,
                            rh_error *error);
