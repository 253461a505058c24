/* Numbers as text and back, with a decimal point whatever locale somebody has set. */
#ifndef RH_BASE_FORMAT_H
#define RH_BASE_FORMAT_H

#include <stdint.h>

/* Writing: all of them fill `text` and return it. */

/* "64 MiB", "8.7 KiB".  Binary units. */
const char *rh_format_bytes(char text[32], uint64_t bytes);
/* "23.3 ns", "21.4 us", "704 ms". */
const char *rh_format_seconds(char text[32], double seconds);
/* The shortest decimal that reads back as the same double, for programs: "2.143e-05".  Finite
 * numbers only. */
const char *rh_format_number(char text[32], double number);
/* So many digits that matter, "0.85"; so many behind the point, "0.1". */
const char *rh_format_digits(char text[32], double number, int digits);
const char *rh_format_fixed(char text[32], double number, int decimals);
/* Elements: "2^20" from 2^10 on where it is a power of two, else "1000003". */
const char *rh_format_size(char text[32], uint64_t n);

/* As strtod() does in the C locale: a library that was loaded may have set another for the whole
 * process.  0, or -1 where memory runs out. */
int rh_read_decimal(const char *text, char **end, double *number);

#endif
