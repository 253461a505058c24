/* The header of NumPy's .npy format, versions 1.0, 2.0 and 3.0, read; and written, as 1.0 or, if it
 * is long, 2.0. */
#pragma once

#include "../../core/base/text.h"

#include <redhost/redhost.h>

enum { RH_NPY_MOST_DIMENSIONS = 64 }; /* as many as NumPy's arrays have */

typedef struct rh_npy {
  rh_type type;           /* a bool counts as u8 */
  uint32_t swapped;       /* 1: the elements are in the other byte order */
  uint32_t fortran_order; /* as the header says */
  uint32_t dimensions;
  uint32_t long_dimensions; /* of a length other than 1: up to one, both orders are the same */
  uint64_t lengths[RH_NPY_MOST_DIMENSIONS]; /* of the first dimensions */
  uint64_t n;                               /* elements: the product of the shape */
  uint64_t data_offset;                     /* bytes, from the start of the file */
  uint64_t data_bytes; /* n elements; the caller checks that the file has them */
  char shape[128];     /* as Python writes it; truncated with "..." */
} rh_npy;

/* Do the bytes begin as every .npy file does? */
int rh_npy_has_magic(const void *bytes, uint64_t length);

/* Do they almost begin so, as in a damaged file? That is not raw data. */
int rh_npy_resembles(const void *bytes, uint64_t length);

/* The number of bytes that rh_npy_parse needs, judging by those available: ask again when they
 * are. */
uint64_t rh_npy_wanted(const void *bytes, uint64_t length);

/* Reads the header from the first `length` bytes of a file, never beyond.  `name` is for messages.
 * RH_OK, or RH_E_FILE. */
rh_status rh_npy_parse(rh_npy *npy, const void *bytes, uint64_t length, const char *name,
                       rh_error *error);

/* One field of an element; or the only one, without a name. */
typedef struct rh_npy_field {
  const char *name;
  rh_type type;
} rh_npy_field;

/* Appends everything before the elements: magic, length and header, with which they are aligned to
 * 64 bytes.  n_dimensions of 0: a single element.  Several fields lie back to back. */
void rh_npy_write_header(rh_text *to, const rh_npy_field *fields, uint32_t n_fields,
                         uint32_t n_dimensions, const uint64_t *lengths, int fortran_order);
