/* Writing .npy files, of version 1.0 or, if the header is long, 2.0. */
#pragma once

#include "../../core/base/text.h"
#include "npy.h"

/* One field of an element; or the only one, without a name. */
typedef struct rh_npy_field {
  const char *name;
  rh_type type;
} rh_npy_field;

/* Appends everything before the elements: magic, length and header, with which they are aligned to
 * 64 bytes.  n_dimensions of 0: a single element.  Several fields lie back to back. */
void rh_npy_write_header(rh_text *to, const rh_npy_field *fields, uint32_t n_fields,
                         uint32_t n_dimensions, const uint64_t *lengths, int fortran_order);
