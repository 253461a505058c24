/* What a partial is of, as the text that stands in its file: all that partials must have in common
 * to be merged, and enough to make the operator again. */
#pragma once

#include "../../operators/custom/custom.h"
#include "partial_file.h"

/* Zero-initialised may be finished. */
typedef struct rh_partial_texts {
  char *text, *own; /* malloc'ed */
} rh_partial_texts;

/* strategy: null, or the one whose own order decides the bits. */
rh_status rh_partial_describe(rh_partial_texts *texts, const rh_job_spec *job, uint32_t check,
                              const char *strategy, rh_error *error);
rh_partial_label rh_partial_label_of(const rh_partial_texts *texts);
void rh_partial_texts_finish(rh_partial_texts *texts);

/* Does the order of operations decide its bits?  Then partials of strategies whose order is their
 * own do not go together with others. */
int rh_partial_order_decides(const rh_job_spec *job);

/* May elements first .. first+n-1 be a part?  *whole_n: of the whole, or UINT64_MAX; it becomes the
 * part's end where nothing can follow, because functions of the map have other bits on the device
 * that would have the rest of the tile.  RH_E_USAGE if not. */
rh_status rh_partial_check_part(const rh_job_spec *job, uint64_t first, uint64_t n,
                                uint64_t *whole_n, rh_error *error);

/* The operator again: *job gets it, with *own, which the caller destroys, or null.  RH_E_FILE, with
 * a sentence, for what this redhost did not write. */
rh_status rh_partial_job(rh_job_spec *job, rh_custom **own, const rh_partial_about *about,
                         rh_error *error);

/* RH_E_FILE names the first difference of two partials, `a` and `b`. */
rh_status rh_partial_compare(const char *a, const rh_partial_label *of_a, const char *b,
                             const rh_partial_label *of_b, rh_error *error);
