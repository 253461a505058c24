/* Numbers as text and back, with a decimal point in every locale. */
#pragma once

#include <stdint.h>

/* Writing: all of them fill `text` and return it. */

/* "64 MiB", "8.7 KiB".  Binary units. */
const char *rh_format_bytes(char text[32], uint64_t bytes);
/* "23.3 ns", "21.4 us", "704 ms". */
const char *rh_format_seconds(char text[32], double seconds);
/* The shortest decimal that reads back as the same double, for programs: "2.143e-05".  Finite
 * numbers only. */
const char *rh_format_number(char text[32], double number);
/* With a number of significant digits, "0.85"; with a number of decimals, "0.1". */
const char *rh_format_digits(char text[32], double number, int digits);
const char *rh_format_fixed(char text[32], double number, int decimals);
/* Elements: "2^20" for powers of two from 2^10 on, else "1000003". */
const char *rh_format_size(char text[32], uint64_t n);

/* strtod() in the C locale: a loaded library may have set another for the whole process.  0, or -1
 * if out of memory. */
int rh_read_decimal(const char *text, char **end, double *number);
