/* A JSON object that is read or written: each key stands in one function, which does either.  What
 * is read is untrusted: a value of a wrong type or out of range is RH_E_FILE, with a message that
 * begins with its key. */
#pragma once

#include "../../core/base/error.h"
#include <jansson.h>
#include <stddef.h>

/* JSON readers that use doubles are exact up to here. */
#define RH_JSON_MOST_INTEGER (UINT64_C(1) << 53)
#define RH_JSON_MOST_SECONDS 1e9

typedef struct rh_exchange {
  int reads;
  json_t *object;
  const char *within; /* for messages: the key of the object; null: the outermost one */
  rh_error *error;
  int has_nulls; /* a value that is null counts as missing; else it is of a wrong type */
} rh_exchange;

rh_status rh_pass_refuse(const rh_exchange *x, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* To be read; null if it is missing. */
const json_t *rh_pass_value(const rh_exchange *x, const char *key);
/* Writes a value, which it takes over. */
rh_status rh_pass_put(const rh_exchange *x, const char *key, json_t *value);

/* These write *is, or read into it.  A missing key leaves it unchanged. */
rh_status rh_pass_number(const rh_exchange *x, const char *key, double most, double *is);
rh_status rh_pass_seconds(const rh_exchange *x, const char *key, double *is);
rh_status rh_pass_integer(const rh_exchange *x, const char *key, uint64_t most, uint64_t *is);
rh_status rh_pass_count(const rh_exchange *x, const char *key, uint32_t *is);
rh_status rh_pass_flag(const rh_exchange *x, const char *key, uint32_t *is);
/* At most size-1 bytes, without control characters.  "" is written as null. */
rh_status rh_pass_text(const rh_exchange *x, const char *key, char *is, size_t size);
/* A name must not be missing, and is written as it is. */
rh_status rh_pass_name(const rh_exchange *x, const char *key, char *is, size_t size);
/* One of several words, which the caller knows: `word` is `is`, or what was read; if it is missing,
 * `otherwise`, or a failure if that is null. */
rh_status rh_pass_word(const rh_exchange *x, const char *key, const char *is, char word[32],
                       const char *otherwise);
