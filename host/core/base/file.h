/* redhost's own files: trusted only if nobody else could have written them, and written whole or
 * not at all. */
#pragma once

#include "trust.h"
#include <stddef.h>

enum { RH_FILE_WHY_BYTES = RH_TRUST_BYTES };

typedef enum rh_file_state {
  RH_FILE_OK,
  RH_FILE_ABSENT,
  RH_FILE_REFUSED, /* it exists and must not be used */
  /* it cannot be read now; it need not be damaged */
  RH_FILE_UNREAD,
  RH_FILE_REPLACED /* within file.c: a writer replaced it meanwhile */
} rh_file_state;

/* Reads a whole regular file of at most `most` bytes that rh_trust_path trusts; the contents are
 * malloc'ed and null-terminated.  Refused or unread: `why` continues "the file ...", as in "is not
 * trusted: ...". */
rh_file_state rh_file_read_own(const char *path, size_t most, unsigned char **data, size_t *bytes,
                               char why[RH_FILE_WHY_BYTES]);

/* If a file of that name exists: */
typedef enum rh_file_meeting {
  RH_FILE_AS_GOOD, /* keep it: another process wrote the same; a file that cannot be removed may
  * stay */
  RH_FILE_REPLACE  /* replace it atomically; only one process at a time may try */
} rh_file_meeting;

/* Creates `directory` if missing, and in it the file `path` from the n parts, in order.  An
 * interrupted writer leaves no file of that name.  0, or -1 with errno. */
int rh_file_write(const char *directory, const char *path, const void *const *parts,
                  const size_t *sizes, size_t n, rh_file_meeting meeting);
