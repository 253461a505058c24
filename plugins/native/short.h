/* Short segments, as columns: those of one length side by side. */
#ifndef NATIVE_SHORT_H
#define NATIVE_SHORT_H

#include "columns.h"
#include "layout.h"

/* The elements of the longest segment that is worth it; 0: none is. */
uint64_t rh_native_short(const rh_native_layout *layout);
/* Those of 1 to `most` elements among segments s .. end-1. */
void rh_native_short_rows(const rh_native_layout *layout, uint64_t most, uint64_t s, uint64_t end);

/* A part's values of columns, to where wholes have them that stand at values, `apart` bytes from
 * one to the next. */
void rh_native_part_across(const rh_native_part *part, const rh_native_columns *columns,
                           unsigned char *values, uint64_t apart);

#endif
