/* The defaults that come with redhost: host/core/tunedb/defaults/NAME.json. */
#ifndef RH_TUNEDB_SHIPPED_H
#define RH_TUNEDB_SHIPPED_H

#include "document.h"

/* The place-th document as a new reference; null after the last.  *valid: 0 if it is damaged, which
 * a test checks. */
json_t *rh_tunedb_shipped(size_t place, int *valid);

/* Is it for this device? A machine without a device counts as one that PoCL serves. */
int rh_tunedb_shipped_fits(const json_t *document, const rh_cl_device *device);

/* Were its times measured on a device of the same family?  Elsewhere only its parameters count. */
int rh_tunedb_shipped_is_timed(const json_t *document, const rh_cl_device *device);

#endif
