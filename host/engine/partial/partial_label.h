/* A partial's label, the text that stands in its file: all that partials must have in common to be
 * merged, and enough to make the operator again. */
#pragma once

#include "../../operators/custom/custom.h"
#include "partial_file.h"

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

/* The operator again: *job gets it, with *own, which the caller destroys, or null.  RH_E_FILE, with
 * a sentence, for what this redhost did not write. */
rh_status rh_partial_job(rh_job_spec *job, rh_custom **own, const char *text, rh_error *error);

/* RH_E_FILE names the first difference of two partials, `a` and `b`. */
rh_status rh_partial_compare(const char *a, const char *text_of_a, const char *b,
                             const char *text_of_b, rh_error *error);
