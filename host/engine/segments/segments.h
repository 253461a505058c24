/* Segments of an array: their layout, the strategies' calls for them, and their check. */
#pragma once

#include "../../core/run/run.h"
#include "../io/io.h"

/* ---- Segments that do not stand in rows, copied so that they do ---- */

/* The dimensions of an array, in any order. */
typedef struct rh_axis {
  uint64_t length, stride; /* in elements */
  uint32_t is_reduced;
} rh_axis;
typedef struct rh_axes {
  uint32_t n;
  rh_axis list[64];
} rh_axes;

/* The one with the largest stride first; neighbours of one kind are one axis, and those of length 1
 * are left out. */
rh_axes rh_axes_merged(const rh_axes *axes);

/* The axes of a layout along one. */
rh_axes rh_axes_of(const rh_layout *layout);

/* The layout of merged axes: 1, of the elements where they are; or 0, of a copy by
 * rh_axes_rearrange(). */
int rh_axes_layout(const rh_axes *merged, rh_layout *layout);

/* Do the elements of a segment lie back to back, wherever it begins?  Then starts and stops of the
 * first n segments say where. */
int rh_axes_rows(const rh_axes *merged, uint64_t n, uint64_t *starts, uint64_t *stops);

/* Elements begin .. begin+n-1 of some segments in a row. */
typedef struct rh_elements {
  uint64_t segment, segments, begin, n;
} rh_elements;
/* to = these, of `size` bytes, with the axes that stay before those that are reduced.  by_all: 0:
 * in this thread alone. */
void rh_axes_rearrange(const rh_axes *merged, const void *from, uint32_t size,
                       const rh_elements *some, int by_all, void *to);

/* On a device. */
enum { RH_MOST_DEVICE_AXES = 8 };

/* kernels/rows/rows.cl has the same. */
typedef struct rh_rows_axes {
  uint64_t n, length[RH_MOST_DEVICE_AXES], stride[RH_MOST_DEVICE_AXES];
} rh_rows_axes;

typedef struct rh_device_rows {
  uint64_t n; /* elements of each operand */
  rh_rows_axes axes;
  cl_program program;
  cl_kernel kernels[RH_MOST_OPERANDS];
  cl_mem buffers[RH_MOST_OPERANDS]; /* the rows */
} rh_device_rows;

/* Many reductions of one array: a value for each segment of a layout, in the memory of the host.
 *
 * A strategy that promises RH_SERVES_LAYOUTS gets all segments in one run.  Any other runs once for
 * each of them, in order, without a wait in between where the device keeps the values.  Columns are
 * brought into rows for those that cannot read them where they are. */

/* Read-only. */
typedef struct rh_segments {
  rh_job job;       /* its spec's layout is the one that the strategy gets */
  rh_job_spec spec; /* its layout is that of the operands */
  const void *operands[RH_MOST_OPERANDS];
  const rh_axes *axes; /* null, or those that are copied first; borrowed */
  uint32_t is_loop;    /* 1: the strategy runs once for each segment */
  uint32_t was_copied; /* 1: segments that do not stand in rows are copied into rows */
  uint32_t value_bytes;
  /* Segments that are longer have here their elements from `base` on, of whole_n; 0: they are
   * whole.  Set after rh_segments_open(). */
  uint64_t base, whole_n;
  uint64_t n;            /* segments */
  unsigned char *values; /* n of them */
  /* Null, or their answers, rounded once, from the check: the strategy's are not. */
  double *exact;
  double seconds;   /* of the last run */
  rh_layout given;  /* to the strategy: rows of the copy, or offsets on the device */
  uint64_t portion; /* segments whose results, and offsets, the device has at a time */
  rh_region copy;
  uint64_t copied_to[RH_MOST_OPERANDS]; /* bytes behind its beginning */
  rh_cl_input inputs[RH_MOST_OPERANDS]; /* of a device */
  rh_device_rows rows;                  /* of buffers that are copied */
  cl_mem results;                       /* a portion of them, on a device */
} rh_segments;

/* Sets up what rh_locate() found for spec->operation, whose layout was checked.  axes: null, or
 * those that rh_axes_layout() made the layout of for a copy.  They, the layout and the context must
 * outlive *segments, which is finished after a failure, too. */
rh_status rh_segments_open(rh_segments *segments, rh_context *context, const rh_job_spec *spec,
                           const rh_axes *axes, rh_error *error);
/* The data of the runs that follow: spec->operation.n elements of each operand, or those that the
 * axes reach.  They are read until other data are brought, or rh_segments_let_go(). */
rh_status rh_segments_bring(rh_segments *segments, const void *const *operands, rh_error *error);
/* Brings elements that are on the device, from element first[k] of buffers[k] on; first may be null
 * for zeros.  Copies are enqueued. */
rh_status rh_segments_bring_buffers(rh_segments *segments, const cl_mem *buffers,
                                    const uint64_t *first, rh_error *error);
/* Waits for the device, and releases what it has of the data in place. */
void rh_segments_let_go(rh_segments *segments);
/* Reduces all segments. */
rh_status rh_segments_run(rh_segments *segments, rh_error *error);
/* Only enqueues that, with a strategy that finishes on the device: the value of segment s goes to
 * result[index + s], counted in values.  result: null for the memory of the host, as above. */
rh_status rh_segments_run_to(rh_segments *segments, cl_mem result, uint64_t index, rh_error *error);
void rh_segments_finish(rh_segments *segments); /* zero-initialised is fine */

/* The result of segment s. */
void rh_segments_result(const rh_segments *segments, uint64_t s, rh_result *result);

/* Results of segments as columns of a table: fields of the operator's own, an index, or a value. */

typedef struct rh_columns {
  uint32_t n;
  rh_npy_field list[RH_MOST_RESULTS]; /* a single one has no name */
  rh_result names;                    /* which they point into */
} rh_columns;

/* Of the operator.  *columns must not be moved. */
void rh_columns_find(rh_columns *columns, const rh_operator *op);

/* Has the only result the bytes of the value that it is made of, so that it can take its place? */
int rh_columns_fit_values(const rh_columns *columns, const rh_segments *segments);

/* to[s] = column k of segment s, in the column's type.  k: RH_COLUMN_VALUE for the element at an
 * index, in the result's type.  `to` may be where the values are, if they fit. */
#define RH_COLUMN_VALUE UINT32_MAX
void rh_columns_store(const rh_columns *columns, uint32_t k, const rh_segments *segments, void *to);

/* ---- Layouts of segments to measure with: how the lengths spread around a typical one ---- */

/* How an array is cut into segments; zeros: not at all. */
typedef struct rh_cut {
  uint64_t length;       /* the typical one */
  uint32_t distribution; /* RH_LENGTHS_* */
} rh_cut;

/* The cut that a layout is most like, as far as its longest segment tells; null: zeros. */
rh_cut rh_cut_of(const rh_layout *layout);
/* In octaves of the length: two ways of offsets are one octave apart, and 100 where one has other
 * strides, or offsets, than the other; infinity: one is of a whole array. */
double rh_cuts_apart(const rh_cut *a, const rh_cut *b);

/* A layout with what it points to. */
typedef struct rh_lengths {
  uint32_t kind;   /* 0: there is none */
  uint64_t length; /* the typical one */
  rh_layout layout;
  uint64_t *offsets; /* layout.segments + 1 of them; null: the layout is of one length */
  uint64_t of;       /* elements that were cut */
  uint64_t n;        /* those in segments: fixed ones and columns leave a rest out */
} rh_lengths;

/* Cuts the first n elements; the same for the same arguments on every machine.  n >= length >= 1.
 * Finishes what *made was before. */
rh_status rh_lengths_make(rh_lengths *made, uint32_t kind, uint64_t length, uint64_t n,
                          uint64_t seed, rh_error *error);
void rh_lengths_finish(rh_lengths *made); /* zero-initialised is fine */

/* Bytes that a reduction of it moves at the least: each element, offset and result once. */
uint64_t rh_lengths_bytes(const rh_lengths *made, const rh_operator *op);

/* Segments that are reduced in parts: whole ones, as many as lie close together; or of those that
 * are longer than a part the same elements of each of some that lie side by side.  The latter are
 * cut where the canonical tree of a segment (docs/inside/bits.md) has a node, so that a fold of the
 * parts' values has the bits of the segment reduced alone.  A sum that is rounded once has no such
 * nodes: its segments are all whole.
 *
 * A plan depends on its arguments only: all ranks of a job have the same. */

typedef struct rh_segments_part {
  uint64_t index;           /* of the part */
  uint64_t first, segments; /* places in the plan, of rh_segments_number() */
  uint32_t is_whole;        /* 1: whole segments */
  uint32_t level;           /* else of each elements begin .. begin+n-1: 2^level units, or */
  uint64_t begin, n;        /* as many as there are */
  uint64_t length;          /* of each of segments side by side; 0: any */
  /* Where the elements are: `rows` runs of `width`, of which the first begins at element `at`, and
   * each other `stride` behind the one before. */
  uint64_t at, rows, width, stride;
} rh_segments_part;

typedef struct rh_segments_plan {
  const rh_layout *layout;
  uint64_t unit;   /* elements of a segment: cuts are at multiples */
  uint64_t most;   /* elements of a part, where the unit lets them be so few */
  uint64_t *order; /* segments by where they begin; null: as they are numbered */
  uint64_t width;  /* segments side by side that are cut together */
  /* Null, or ascending elements at which parts end where they may: borrowed, and set after
   * rh_segments_plan_init(). */
  const uint64_t *borders;
  uint32_t n_borders;
  /* The next part begins at a place, and at an element of its segment. */
  uint64_t index, place, within;
} rh_segments_plan;

/* in_order: 1: elements are read once, from the first to the last.  Finished after a failure, too;
 * copies of a plan begin where it does, and share its order. */
rh_status rh_segments_plan_init(rh_segments_plan *plan, const rh_operation *of, uint64_t most,
                                int in_order, rh_error *error);
void rh_segments_plan_finish(rh_segments_plan *plan);

/* 0: there are no more. */
int rh_segments_plan_next(rh_segments_plan *plan, rh_segments_part *part);
/* How many of n ascending borders are at most `at`. */
uint32_t rh_borders_up_to(const uint64_t *borders, uint32_t n, uint64_t at);
/* The number of the segment at a place. */
uint64_t rh_segments_number(const rh_segments_plan *plan, uint64_t place);

/* Elements at .. at+n-1. */
static inline rh_segments_part rh_segments_run_of(uint64_t at, uint64_t n) {
  return (rh_segments_part){.at = at, .rows = 1, .width = n, .stride = n};
}
/* The elements that are brought for a part. */
static inline uint64_t rh_segments_part_n(const rh_segments_part *part) {
  return part->rows * part->width;
}

/* The layout of a part's elements as they are brought, one run behind the other.  offsets: room for
 * 2 * part->segments numbers, of a layout by offsets. */
rh_layout rh_segments_part_layout(const rh_segments_plan *plan, const rh_segments_part *part,
                                  uint64_t *offsets);

/* Verdicts without references: what short segments mostly get, because bins for an exact sum take
 * longer to clear than a short segment to add up. */

enum {
  RH_QUICK_ELEMENTS = 1 << 14, /* looked at together; longer segments are worth a reference */
  RH_QUICK_SEGMENTS = 512
};

/* Can segments of this operator be judged so? */
int rh_quick_serves(const rh_operator *op);

/* Judges `count` segments, at most RH_QUICK_SEGMENTS, one behind the other from element 0 of the
 * arrays on, of lengths[k] elements, RH_QUICK_ELEMENTS in all at most.  parts[k] = the error of
 * value k in parts of its bound; -1: it is not known to be right, and takes a reference.  The
 * arrays have the constants bound, if there are any. */
void rh_quick_judge(const rh_operator *op, const rh_arrays *arrays, const uint64_t *lengths,
                    uint64_t count, uint64_t depth, const void *values, double *parts);

/* ---- The check of every segment's value against an exact reference of that segment alone ---- */

/* Read-only. */
typedef struct rh_segments_check {
  uint64_t n;        /* segments that were compared */
  uint64_t unjudged; /* of them, those on which there is no verdict */
  uint64_t first_unjudged;
  rh_verdict verdict; /* of the first that is not judged, or of the wrong one */
  uint64_t worst;     /* the segment with the largest error, in parts of its bound */
  double part;        /* that part; 0: all are exact */
  uint32_t is_wrong;  /* 1: and segment `wrong` is */
  uint64_t wrong;
  rh_result got, expected; /* of that one */
  double seconds;
} rh_segments_check;

extern const rh_segments_check rh_segments_check_none; /* to begin with */
/* Takes checks in any order: the first wrong segment, the first without a verdict, and the worst
 * count. */
void rh_segments_check_add(rh_segments_check *check, const rh_segments_check *other);

/* After rh_segments_run().  The data must be those that were reduced: RH_E_FILE if they are seen to
 * have changed, where others than the strategy may write to them.  The call succeeds where a
 * segment is wrong, and blames the strategy.  Values that someone else made are judged, too: then
 * `spec`, `operands`, `n`, `values` and `value_bytes` are set, and of the job no strategy. */
rh_status rh_segments_judge(const rh_segments *segments, int may_change, rh_segments_check *check,
                            rh_error *error);

/* RH_E_WRONG with the segment that is wrong, or RH_OK. */
rh_status rh_segments_verdict(const rh_segments *segments, const rh_segments_check *check,
                              rh_error *error);
/* "3 of 10 segments are not judged: segment 4: ...", or null. */
const char *rh_segments_unjudged(const rh_segments_check *check, char text[640]);

/* As rh_job_self_test(), before unchecked runs of segments that are set up: of one segment, where
 * the strategy runs once for each; else of a few short ones of the same kind.  RH_E_WRONG, and the
 * strategy is blamed, if a value is wrong. */
rh_status rh_segments_self_test(rh_segments *segments, rh_error *error);
