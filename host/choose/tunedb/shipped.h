/* The defaults that come with redhost: host/choose/tunedb/defaults/NAME.json. */
#pragma once

#include "document.h"

/* The place-th document as a new reference; null after the last.  *valid: 0 if it is damaged, which
 * a test checks. */
json_t *rh_tunedb_shipped(size_t place, int *valid);

/* The document that suits a device best, as a new reference, or null if none fits: the one that was
 * measured on its family, else on another family of its maker, else on another maker's devices of
 * this kind.  Without a device, the processor decides, as for one that PoCL serves.  *timed: 1 if
 * it is the family's, so that its times count and not only its parameters. */
json_t *rh_tunedb_shipped_for(const rh_cl_device *device, int *timed);
