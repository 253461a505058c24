/* Structs that the caller of the library allocates.  Each begins with its size, so that later
 * versions can append fields: a struct of an earlier version is shorter, one of a later version is
 * longer. */
#pragma once

#include <redhost/redhost.h>

/* A struct as this version knows it.  Its first field is `uint32_t struct_size`. */
typedef struct rh_sized {
  const char *name;
  uint32_t least; /* bytes in the first version, up to and with its last field */
  uint32_t known; /* bytes now */
} rh_sized;

/* `last` is the last field of the first version. */
#define RH_SIZED(T, last)                                                                          \
  (&(const rh_sized){#T, (uint32_t)(offsetof(T, last) + sizeof(((T *)0)->last)),                   \
                     (uint32_t)sizeof(T)})

enum { RH_MOST_STRUCT_BYTES = 4096 }; /* a larger size was never set */

/* Checks a struct that is shorter than any version, or longer than this one. */
rh_status rh_sized_check_unusual(const void *given, const rh_sized *kind, rh_error *error);
/* RH_E_USAGE if the struct cannot have this size, or if fields are set that this version does not
 * know. */
static inline rh_status rh_sized_check(const void *given, const rh_sized *kind, rh_error *error) {
  uint32_t size = *(const uint32_t *)given;
  if (size >= kind->least && size <= kind->known) return RH_OK;
  return rh_sized_check_unusual(given, kind, error);
}

/* Checks `given` and copies it to the struct `own`, of kind->known bytes.  Fields that it lacks
 * become zero. */
rh_status rh_sized_read(void *own, const void *given, const rh_sized *kind, rh_error *error);

/* Copies the struct `own` to `given`, which was checked, as far as `given` extends.  `given` keeps
 * its size. */
void rh_sized_write(void *given, const void *own, const rh_sized *kind);
