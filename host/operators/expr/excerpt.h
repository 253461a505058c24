/* The place of an error in a line of text: as the end of a message, and for a caret below it. */
#pragma once

#include <stddef.h>

enum { RH_EXCERPT_BYTES = 192 };

/* ", at column 5 of 'x + q'", in `to`, which is returned, for a place behind `before` bytes of the
 * line; columns are counted in characters from 1.  A long line is cut around the place, with "..."
 * where something is left out; it is made plain, and a tab is a space. */
const char *rh_excerpt(char to[RH_EXCERPT_BYTES], const char *line, size_t length, size_t before);

/* Finds that in a message.  line: what is between the quotes; *column: the place in it, counted in
 * characters from 0.  0: there is none. */
int rh_excerpt_find(const char *message, char line[RH_EXCERPT_BYTES], size_t *column);

/* The bytes of line `number` of a text, from 1, without its end; null: it has fewer lines. */
const char *rh_line_of(const char *text, size_t length, size_t number, size_t *line_length);
