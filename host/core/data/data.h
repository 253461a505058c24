/* Input data: arrays, generated or given, and how their making reports progress. */
#pragma once

#include "../base/base.h"

/* ---- One-dimensional arrays in host memory, from files, pipes or a generator ---- */

/* Zero-initialised is empty.  The elements are native-endian and naturally aligned, and lie inside
 * `region` at offset_bytes, a multiple of the element size, so that a device that shares the host's
 * memory can use the region in place. */
typedef struct rh_array {
  rh_type type;
  uint64_t n;
  rh_region region;
  uint64_t offset_bytes;
  char shape[128];          /* "(1000, 1000)"; "" if there is none */
  uint32_t dimensions;      /* of the .npy file; 1 otherwise */
  uint64_t file_bytes;      /* of a mapped file, when it was opened; 0: none */
  struct timespec modified; /* its modification time then */
  uint32_t fortran_order;   /* 1: stored in Fortran order, which is another one than C's: indices
                             count in storage order */
} rh_array;

static inline const void *rh_array_data(const rh_array *array) {
  return (const char *)array->region.address + array->offset_bytes;
}

/* Opens `path` ("-" is standard input): .npy of version 1 to 3, or raw native-endian elements of
 * `type` if the file is not a .npy.  type 0: only .npy.  With .npy, a type that differs from the
 * file's is RH_E_USAGE.  Files are mapped; standard input, and elements of the other byte order,
 * are read into memory.  Anything wrong with the file is RH_E_FILE, found before any device is
 * used. */
rh_status rh_array_open(rh_array *array, const char *path, rh_type type,
                        const rh_reporter *reporter, rh_error *error);

typedef struct rh_feed rh_feed;
/* The same of what is open: a file, which is mapped, or a pipe, which is read to its end and gives
 * its memory. */
rh_status rh_array_take_feed(rh_array *array, rh_feed *feed, rh_error *error);

/* RH_E_FILE if the array's file was truncated, grew or was written to since it was opened: the
 * result then belongs to no version of the file.  `name` is for the message. */
rh_status rh_array_check_unchanged(const rh_array *array, const char *name, rh_error *error);

/* Room for n elements, initially zero; with `shared`, in memory that another process can map. */
rh_status rh_array_reserve(rh_array *array, rh_type type, uint64_t n, int shared, rh_error *error);

/* The same in the memory that an array of rh_array_reserve has, if that is enough; else in new
 * memory of `room` bytes, or as much as n elements take.  Memory that was in use is not cleared,
 * and its pages need not be obtained again.  On failure *array is empty. */
rh_status rh_array_reuse(rh_array *array, rh_type type, uint64_t n, uint64_t room, rh_error *error);

/* Fills a reserved array with generated data.  Element i depends only on kind, seed, type, n and i.
 * Unknown kind: RH_E_USAGE with a suggestion. */
rh_status rh_array_fill(rh_array *array, const char *kind, uint64_t seed,
                        const rh_reporter *reporter, rh_error *error);

/* Both.  On failure *array is empty. */
rh_status rh_array_generate(rh_array *array, const char *kind, uint64_t seed, rh_type type,
                            uint64_t n, const rh_reporter *reporter, rh_error *error);

/* Writes only elements first .. first+count-1 of the n to `to`.  The kind exists.  [any thread] */
void rh_generate(const char *kind, uint64_t seed, rh_type type, uint64_t n, uint64_t first,
                 uint64_t count, void *to);

/* RH_OK if this kind of generated data exists; checked before a device is chosen. */
rh_status rh_array_check_kind(const char *kind, rh_error *error);

/* The kinds' names, null-terminated. */
const char *const *rh_array_kinds(void);

void rh_array_finish(rh_array *array);

/* ---- Kinds of generated data: one function per kind ---- */

/* Everything that an element depends on besides its index. */
typedef struct rh_recipe {
  uint64_t n;   /* at least 1 */
  uint64_t key; /* the seed, mixed */

  /* The type. */
  uint32_t bits;            /* of one element */
  uint32_t is_signed;       /* integers only */
  uint64_t largest_integer; /* of the type; of floats: meaningless */
  uint32_t digits;          /* binary digits of a float's significand, the hidden one included */
  double ulp;               /* 2^-digits */
  double largest, smallest; /* of a float: the largest finite value, the smallest subnormal one */

  /* Values that depend on the seed only. */
  uint64_t place, other_place; /* two indices, different where n > 1 */
  uint64_t coin;               /* random bits */
} rh_recipe;

typedef struct rh_kind {
  const char *name;
  double (*real)(const rh_recipe *recipe, uint64_t i); /* exact in the type, or rounded to it */
  uint64_t (*integer)(const rh_recipe *recipe, uint64_t i); /* cut to the type's low bits */
} rh_kind;

/* Null for an unknown name. */
const rh_kind *rh_kind_find(const char *name);

rh_recipe rh_recipe_make(uint64_t seed, rh_type type, uint64_t n);

/* ---- Limits progress reports to a few per second ---- */

/* Zero-initialised except the first two fields: the first call always reports. */
typedef struct rh_pace {
  const rh_reporter *reporter;
  const char *phase;
  double next; /* nothing is reported before this moment of rh_now() */
} rh_pace;

/* RH_OK, or RH_E_CANCELLED if the caller cancels. */
rh_status rh_pace_report(rh_pace *pace, uint64_t done, uint64_t total, rh_error *error);
