/* A reduction of segments, as a program asks for it: by rh_reduce(), or prepared for calls. */
#pragma once

#include "../engine/segments/columns.h"
#include "../engine/segments/referee.h"
#include "../operators/custom/custom.h"
#include "handle.h"

/* Zero-initialised is empty. */
typedef struct rh_segmented {
  rh_job_spec spec; /* what is asked for; its strategy may be "auto" */
  rh_layout layout;
  rh_axes axes;
  int is_scattered;   /* 1: the layout is that of a copy of the axes' elements */
  uint64_t *offsets;  /* of the layout, copied or made; or null */
  rh_custom *custom;  /* the user's operator, or null */
  rh_columns columns; /* of results */
  rh_found found;     /* the strategy */
  rh_segments segments;
  /* One that is kept for another rh_reduce(): what it was set up for. */
  rh_request asked;
  rh_segmentation given; /* its lists are those of `axes_given`, and `offsets` */
  uint64_t axes_given[2][RH_MOST_AXES];
  uint32_t blame; /* rh_context.blame */
} rh_segmented;

/* RH_E_USAGE for segments that are none, RH_E_WRONG for one whose result is.  What was set up is
 * kept for the same request, if that takes little memory.  Locked. */
rh_status rh_segmented_reduce(rh_redhost *redhost, const rh_request *request, rh_result *result,
                              rh_error *error);

void rh_segmented_forget(rh_redhost *redhost);

/* Steps of a reduction that ranks share: *segmented has the spec, the columns, and then the values.
 * is_kept: the caller's lists are gone when they are needed. */
rh_status rh_segmented_cut(rh_segmented *segmented, const rh_segmentation *asked, int is_kept,
                           rh_error *error);
rh_status rh_segmented_check_outputs(const rh_segmented *segmented, const rh_output *outputs,
                                     uint64_t n, rh_error *error);
void rh_segmented_warn(const rh_segmented *segmented, const rh_segments_check *check);
void rh_segmented_store(const rh_segmented *segmented, const rh_output *outputs, uint64_t n,
                        rh_result *result);

/* Sets up for rh_segmented_call().  Nothing of the request is needed after it.  Locked. */
rh_status rh_segmented_prepare(rh_segmented *segmented, rh_redhost *redhost,
                               const rh_request *request, rh_error *error);
void rh_segmented_finish(rh_segmented *segmented);

/* Reduces the n elements that it was prepared for: from operands[k] on, or from element first[k] of
 * buffers[k] on (null: zeros), which have them.  Not locked. */
rh_status rh_segmented_call(rh_segmented *segmented, const void *const *operands,
                            const rh_output *outputs, uint64_t n_outputs, rh_result *result,
                            rh_error *error);
rh_status rh_segmented_call_buffers(rh_segmented *segmented, const cl_mem *buffers,
                                    const uint64_t *first, const rh_output *outputs,
                                    uint64_t n_outputs, rh_result *result, rh_error *error);
/* Without a wait: values[index + s] = the value of segment s. */
rh_status rh_segmented_enqueue(rh_segmented *segmented, const cl_mem *buffers,
                               const uint64_t *first, cl_mem values, uint64_t index,
                               rh_error *error);
