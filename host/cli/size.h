/* Sizes as people write them. */
#ifndef RH_CLI_SIZE_H
#define RH_CLI_SIZE_H

#include <redhost/redhost.h>

/* Elements: "1000000", "1e6", "1.5e6", "2^24", "16Ki", "16Mi", "1k", "4M", "2G"; with a final B bytes, which must be
 * whole elements of `element_size`: "64MiB", "512B".  At most 2^63-1.  RH_E_USAGE otherwise, naming `option`. */
rh_status rh_size_parse(const char *text, uint32_t element_size, const char *option, uint64_t *n,
                        rh_error *error);

/* --seed: a whole number from 0 to 2^64-1; null is 1. */
rh_status rh_seed_parse(const char *text, uint64_t *seed, rh_error *error);

#endif
