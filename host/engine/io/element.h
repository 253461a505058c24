/* Elements of arrays as results have them, whatever their type. */
#pragma once

#include <redhost/redhost.h>

/* An element of an array as 8 bytes, as results have them in `value`; and back.  Returns the
 * element's size. */
uint32_t rh_element_load(rh_type type, const void *from, void *word);
uint32_t rh_element_store(rh_type type, const void *word, void *to);
