/* Sizes as users write them. */
#pragma once

#include <redhost/redhost.h>

/* Elements: "1000000", "1e6", "1.5e6", "2^24", "16Ki", "16Mi", "1k", "4M", "2G"; with a final B
 * bytes, which must be whole elements of `element_size`: "64MiB", "512B".  At most 2^63-1.
 * RH_E_USAGE otherwise, naming `option`. */
rh_status rh_size_parse(const char *text, uint32_t element_size, const char *option, uint64_t *n,
                        rh_error *error);

/* Lists of --size and --length: sizes, and ranges A:B (doubling), A:B:xM (times M) and A:B:+S (S
 * more), separated by commas; B is included if the range hits it.  Every A, B, S and single size is
 * parsed by rh_size_parse.  Ascending, each size once, at least one and at most RH_MAX_SIZES;
 * *sizes is malloc'ed, null on failure.  Malformed: RH_E_USAGE, naming `option`. */
enum { RH_MAX_SIZES = 10000 };
rh_status rh_sizes_parse(const char *text, const char *option, uint32_t element_size,
                         uint64_t **sizes, uint32_t *n, rh_error *error);
