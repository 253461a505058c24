/* Values as users read and write them: one of a few words, lists, numbers, sizes.  RH_E_USAGE,
 * naming the option, for what is none. */
#pragma once

#include "../tools/bench/bench.h"

/* Destroyed at the end of its scope: RH_OWNED(rh_custom) own = NULL; */
#define RH_OWNED(type) __attribute__((cleanup(type##_at_end))) type *
static inline void rh_custom_at_end(rh_custom **custom) { rh_custom_destroy(*custom); }

/* Texts that are valid until some dozens of calls later: as by printf(); as rh_make_plain()
 * shows it, null as ""; numbers (core/base). */
char *rh_show(const char *format, ...) __attribute__((format(printf, 1, 2)));
const char *rh_plain(const char *s);
const char *rh_seconds(double seconds);
const char *rh_bytes(uint64_t bytes);
const char *rh_count(uint64_t n);

/* *place: which of `words`, with spaces between, the word is, from 1.  The message for any other
 * word names them all. */
rh_status rh_choice_parse(const char *option, const char *word, const char *words, uint32_t *place,
                          rh_error *error);

/* The word in a list with a space between words, of which one may be "check=none"; or null. */
const char *rh_word_find(const char *word, const char *list);

/* "--axis, --length or --by", of such a list. */
const char *rh_words_shown(const char *words, const char *prefix);

/* RH_E_USAGE if a word of a list, with commas between, is empty. */
rh_status rh_list_check(const char *option, const char *list, rh_error *error);
/* The next word of what is left of it, valid as what rh_show() returns; null: there is none. */
const char *rh_list_next(const char **left);

/* An option's number is a decimal of more than 0 and less than `below`; or if `most` is not 0, a
 * whole number from `least` to `most`. */
typedef struct rh_range {
  const char *expected; /* for the message: unit, bounds, an example; null: the bounds */
  double below;
  uint64_t least, most;
} rh_range;

/* A decimal: "2", "0.5", "1e-3", with a point in every locale.  *value is unchanged after a
 * failure. */
rh_status rh_number_parse(const char *option, const rh_range *range, const char *text,
                          double *value, rh_error *error);
/* Parses a whole number, of digits alone. */
rh_status rh_whole_parse(const char *option, const rh_range *range, const char *text,
                         uint64_t *value, rh_error *error);

/* --samples: "20", or "20:200"; from 1 to 1000000.  Leaves both unchanged if text is null, and
 * *most if it is not given, but never below *least. */
rh_status rh_samples_parse(const char *text, uint32_t *least, uint32_t *most, rh_error *error);

/* Elements: "1000000", "1e6", "1.5e6", "2^24", "16Ki", "16Mi", "1k", "4M", "2G"; with a final B
 * bytes, which must be whole elements of `element_size`: "64MiB", "512B".  At most 2^63-1. */
rh_status rh_size_parse(const char *text, uint32_t element_size, const char *option, uint64_t *n,
                        rh_error *error);

/* Lists of --size and --length: sizes, and ranges A:B (doubling), A:B:xM (times M) and A:B:+S (S
 * more), separated by commas; B is included if the range hits it.  Every A, B, S and single size is
 * parsed by rh_size_parse.  Ascending, each size once, at least one and at most RH_MAX_SIZES;
 * *sizes is malloc'ed, null on failure. */
enum { RH_MAX_SIZES = 10000 };
rh_status rh_sizes_parse(const char *text, const char *option, uint32_t element_size,
                         uint64_t **sizes, uint32_t *n, rh_error *error);

/* ---- Lists of operators, types, strategies, devices ---- */

/* Words that are numbered from 1, of --op, --type and --distribution. */
typedef struct rh_vocabulary rh_vocabulary;
extern const rh_vocabulary rh_op_words, rh_type_words, rh_distribution_words;

/* RH_E_USAGE for an unknown word. */
rh_status rh_word_parse(const rh_vocabulary *known, const char *word, uint32_t *number,
                        rh_error *error);
/* Words separated by commas, or "all"; null is sum, f32 or fixed.  An operator need
 * not be defined on every type (rh_op_is_defined). */
rh_status rh_words_parse(const rh_vocabulary *known, const char *list, rh_numbers *chosen,
                         rh_error *error);
int rh_numbers_have(const rh_numbers *numbers, uint32_t number);

/* --strategy: names and globs separated by commas.  Each adds to the selection, or removes from it
 * with a leading `!', in the order typed; if all have a `!', they remove from the full list.  Null
 * is all.  selected[k] becomes 1 or 0 for names[k].  RH_E_USAGE for a word that matches no name,
 * and for an empty selection. */
rh_status rh_strategies_select(const char *list, const char *const *names, uint32_t n,
                               unsigned char *selected, rh_error *error);

/* --device: words that rh_cl_devices_choose accepts, separated by commas, or "all", or "gpu:all" of
 * any kind; each device once, in the order typed.  Null: REDHOST_DEVICE as such a list, else the
 * default device.  At least one; *chosen is malloc'ed, null on failure, and points to devices owned
 * by *devices.  RH_E_USAGE, RH_E_DEVICE. */
rh_status rh_devices_parse(const rh_cl_devices *devices, const char *list,
                           const rh_cl_device ***chosen, uint32_t *n, rh_error *error);

/* ---- Of this machine ---- */

/* Its memory in bytes; 0 if it is not known. */
uint64_t rh_machine_memory(void);

/* Do both names lead to one file?  null and "-" lead to none. */
int rh_is_same_file(const char *a, const char *b);
