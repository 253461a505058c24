
#include "options.h"

/* ---- Shown ---- */

char *rh_show(const char *format, ...) {
  static char *shown[64], none[] = "?";
  static unsigned next;
  char **slot = &shown[next++ % (sizeof shown / sizeof *shown)], *old = *slot;
  va_list args;
  va_start(args, format);
  if (vasprintf(slot, format, args) < 0) *slot = NULL;
  va_end(args);
  free(old); /* which may be among what is shown */
  return *slot ? *slot : none;
}

const char *rh_plain(const char *s) {
  if (!s) return "";
  if (rh_is_plain_utf8(s, strlen(s))) return s;
  char *text = rh_show("%s", s);
  rh_make_plain(text);
  return text;
}

const char *rh_seconds(double seconds) {
  char text[32];
  return rh_show("%s", rh_format_seconds(text, seconds));
}

const char *rh_bytes(uint64_t bytes) {
  char text[32];
  return rh_show("%s", rh_format_bytes(text, bytes));
}

const char *rh_count(uint64_t n) {
  char text[32];
  return rh_show("%s", rh_format_size(text, n));
}

/* ---- Words ---- */

const char *rh_words_shown(const char *words, const char *prefix) {
  const char *text = "", *last = strrchr(words, ' '), *before = "";
  for (size_t length; *words; words += length + (words[length] == ' ')) {
    length = strcspn(words, " ");
    text = rh_show("%s%s%s%.*s", text, before, prefix, (int)length, words);
    before = words + length == last ? " or " : ", ";
  }
  return text;
}

const char *rh_word_find(const char *word, const char *list) {
  size_t length = strlen(word);
  for (const char *at = list; (at = strstr(at, word)); at += length)
    if ((at == list || at[-1] == ' ') && (!at[length] || strchr(" =", at[length]))) return at;
  return NULL;
}

rh_status rh_list_check(const char *option, const char *list, rh_error *error) {
  size_t length = strlen(list);
  if (!length) return rh_fail(error, RH_E_USAGE, "%s '': nothing is named", option);
  if (*list != ',' && list[length - 1] != ',' && !strstr(list, ",,")) return RH_OK;
  return rh_fail(error, RH_E_USAGE, "%s '%s': nothing before or after a comma", option, list);
}

const char *rh_list_next(const char **left) {
  const char *word = *left;
  if (!word) return NULL;
  size_t length = strcspn(word, ",");
  *left = word[length] ? word + length + 1 : NULL;
  return rh_show("%.*s", (int)length, word);
}

rh_status rh_choice_parse(const char *option, const char *word, const char *words, uint32_t *place,
                          rh_error *error) {
  const char *at = *word && !strchr(word, ' ') ? rh_word_find(word, words) : NULL;
  if (!at)
    return rh_fail(error, RH_E_USAGE, "--%s '%s': expected %s", option, word,
                   rh_words_shown(words, ""));
  for (*place = 1; at-- > words;) *place += *at == ' ';
  return RH_OK;
}

/* ---- Numbers ---- */

/* The end of the decimal that begins here, or null.  strtod() takes spaces, signs, infinities, NaN
 * and hexadecimal numbers, too. */
static const char *end_of_decimal(const char *p) {
  static const char all[] = "0123456789";
  size_t whole = strspn(p, all), fraction = p[whole] == '.' ? strspn(p + whole + 1, all) : 0;
  p += whole;
  if (*p == '.' && !fraction) return NULL;
  if (*p == '.') p += 1 + fraction;
  else if (!whole) return NULL;
  if (*p != 'e' && *p != 'E') return p;
  p += p[1] == '+' || p[1] == '-' ? 2 : 1;
  return isdigit((unsigned char)*p) ? p + strspn(p, all) : NULL;
}

static rh_status unexpected(const char *option, const rh_range *range, const char *text,
                            rh_error *error) {
  if (range->expected)
    return rh_fail(error, RH_E_USAGE, "--%s '%.60s': expected %s", option, text, range->expected);
  return rh_fail(error, RH_E_USAGE, "--%s '%.60s': expected a number from %llu to %llu", option,
                 text, (unsigned long long)range->least, (unsigned long long)range->most);
}

rh_status rh_number_parse(const char *option, const rh_range *range, const char *text,
                          double *value, rh_error *error) {
  double typed = 0;
  const char *end = end_of_decimal(text);
  if (end && !*end && rh_read_decimal(text, NULL, &typed) != 0)
    return rh_fail(error, RH_E_NOMEM, "no memory for a number");
  /* Still 0 if the text is not a decimal. */
  if (typed <= 0 || typed >= range->below) return unexpected(option, range, text, error);
  *value = typed;
  return RH_OK;
}

rh_status rh_whole_parse(const char *option, const rh_range *range, const char *text,
                         uint64_t *value, rh_error *error) {
  uint64_t typed;
  if (!rh_read_digits(text, &typed) || typed < range->least || typed > range->most)
    return unexpected(option, range, text, error);
  *value = typed;
  return RH_OK;
}

rh_status rh_samples_parse(const char *text, uint32_t *least, uint32_t *most, rh_error *error) {
  static const rh_range range = {
      "MIN or MIN:MAX, whole numbers from 1 to 1000000, the smaller one first, as in 20 or 20:200",
      0, 1, 1000000};
  uint64_t first = 0, last;
  if (!text) return RH_OK;
  char *rest = rh_show("%s", text), *word = strsep(&rest, ":");
  RH_TRY(rh_whole_parse("samples", &range, word, &first, error));
  last = *most > first ? *most : first;
  if (rest) RH_TRY(rh_whole_parse("samples", &range, rest, &last, error));
  if (last < first) return unexpected("samples", &range, text, error);
  *least = (uint32_t)first;
  *most = (uint32_t)last;
  return RH_OK;
}

/* ---- Sizes ---- */

/* What a long double holds exactly, as all products are that are not above it. */
static const uint64_t most_size = INT64_MAX;

/* The number that a size begins with, and its power: "1.5e6", "2^24".  Null: it is not whole. */
static const char *parse_whole(const char *p, long double *value) {
  const char *end = isdigit((unsigned char)*p) ? end_of_decimal(p) : NULL;
  uint64_t exponent = 1;
  if (!end) return NULL;
  const long double base = strtold(p, NULL);
  if (base > most_size || base != floorl(base)) return NULL;
  if (*end == '^') {
    char *behind;
    exponent = strtoull(end + 1, &behind, 10);
    if (!isdigit((unsigned char)end[1]) || exponent > most_size) return NULL;
    end = behind;
  }
  *value = 1;
  for (uint64_t k = 0; k < exponent && k < 64; k++) *value *= base;
  return end;
}

static int parse(const char *p, uint64_t *value, int *bytes) {
  static const char letters[] = "kKMGT";
  static const int powers[] = {1, 1, 2, 3, 4};
  long double number;
  p = parse_whole(p, &number);
  if (!p) return 0;
  const char *letter = *p ? strchr(letters, *p) : NULL;
  if (letter) p++;
  int is_binary = letter && *p == 'i';
  p += is_binary;
  for (int k = 0; letter && k < powers[letter - letters]; k++) number *= is_binary ? 1024 : 1000;
  *bytes = *p == 'B';
  if (number > most_size || p[*bytes]) return 0;
  *value = (uint64_t)number;
  return 1;
}

rh_status rh_size_parse(const char *text, uint32_t element_size, const char *option, uint64_t *n,
                        rh_error *error) {
  int bytes = 0;
  if (strpbrk(text, ",:"))
    return rh_fail(error, RH_E_USAGE, "%s '%s': this mode takes one size", option, text);
  if (!parse(text, n, &bytes))
    return rh_fail(error, RH_E_USAGE,
                   "%s '%s': expected a whole number of %s from 0 to 2^63-1, as in 1000000, 1e6, "
                   "16Mi, 2^24 or 64MiB",
                   option, text, element_size ? "elements" : "bytes");
  if (!element_size) bytes = 0;
  if (bytes && *n % element_size != 0)
    return rh_fail(error, RH_E_USAGE,
                   "%s '%s': %llu bytes is not a multiple of %u, the element's size", option, text,
                   (unsigned long long)*n, element_size);
  if (bytes) *n /= element_size;
  return RH_OK;
}

/* A list that is being parsed. */
typedef struct size_axis {
  const char *option; /* for messages */
  uint32_t element_size;
  uint64_t *list;
  uint32_t n;
} size_axis;

static rh_status malformed(const size_axis *axis, const char *word, const char *why,
                           rh_error *error) {
  return rh_fail(error, RH_E_USAGE, "%s '%s': %s", axis->option, word, why);
}

/* Inserts the size at its place, unless it is there. */
static rh_status add_size(size_axis *axis, uint64_t size, rh_error *error) {
  uint32_t k = axis->n;
  while (k && axis->list[k - 1] > size) k--;
  if (k && axis->list[k - 1] == size) return RH_OK;
  if (axis->n == RH_MAX_SIZES)
    return rh_fail(error, RH_E_USAGE,
                   "%s: more than %d sizes; take larger steps, as in 2^10:2^28 (doubling)",
                   axis->option, RH_MAX_SIZES);
  memmove(&axis->list[k + 1], &axis->list[k], (axis->n++ - k) * sizeof size);
  axis->list[k] = size;
  return RH_OK;
}

/* The third part of a range: "x4" or "+1000".  One of the two becomes 0. */
static rh_status parse_stride(const size_axis *axis, const char *word, const char *stride,
                              uint64_t *factor, uint64_t *step, rh_error *error) {
  int bytes = 0;
  *factor = 0;
  if (*stride == '+') {
    RH_TRY(rh_size_parse(stride + 1, axis->element_size, axis->option, step, error));
    if (*step > 0) return RH_OK;
    return malformed(axis, word, "expected a step of at least 1, as in 1000:9000:+1000", error);
  }
  if (*stride != 'x')
    return malformed(axis, word,
                     "expected xM or +S behind A:B, as in 2^10:2^28:x4 or 1000:9000:+1000", error);
  if (parse(stride + 1, factor, &bytes) && !bytes && *factor >= 2) return RH_OK;
  return malformed(axis, word, "expected a whole factor of at least 2, as in 2^10:2^28:x4", error);
}

/* A, A:B or A:B:STRIDE. */
static rh_status add_word(size_axis *axis, const char *word, rh_error *error) {
  char *parts = rh_show("%s", word), *first = strsep(&parts, ":"), *to = strsep(&parts, ":");
  uint64_t size, last, factor = 2, step = 0;
  /* Other notations of ranges: "2^10..2^28" and "2^10-2^28". */
  if (!to && (strstr(word, "..") || (isdigit((unsigned char)*word) && strchr(word, '-'))))
    return malformed(axis, word, "expected A:B, as in 2^10:2^28", error);
  RH_TRY(rh_size_parse(first, axis->element_size, axis->option, &size, error));
  if (!to) return add_size(axis, size, error);
  RH_TRY(rh_size_parse(to, axis->element_size, axis->option, &last, error));
  if (parts) RH_TRY(parse_stride(axis, word, parts, &factor, &step, error));
  if (size > last)
    return malformed(axis, word, "begins above its end; expected A:B, as in 2^10:2^28", error);
  if (factor && size == 0)
    return malformed(axis, word, "0 times anything is 0; begin at 1, or add, as in 0:1000:+100",
                     error);
  for (;;) {
    RH_TRY(add_size(axis, size, error));
    if (factor ? size > last / factor : step > last - size) return RH_OK;
    size = factor ? size * factor : size + step;
  }
}

rh_status rh_sizes_parse(const char *text, const char *option, uint32_t element_size,
                         uint64_t **sizes, uint32_t *n, rh_error *error) {
  RH_FREED(uint64_t) list = NULL;
  *sizes = NULL;
  *n = 0;
  RH_TRY(rh_list_check(option, text, error));
  RH_TRY(RH_NEW(&list, RH_MAX_SIZES, "a list of sizes", error));
  size_axis axis = {option, element_size, list, 0};
  for (const char *word; (word = rh_list_next(&text));) RH_TRY(add_word(&axis, word, error));
  *sizes = list;
  *n = axis.n;
  list = NULL;
  return RH_OK;
}

/* ---- Of this machine ---- */

uint64_t rh_machine_memory(void) {
  long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0;
}

int rh_is_same_file(const char *a, const char *b) {
  struct stat one, two;
  return a && b && strcmp(b, "-") != 0 && stat(a, &one) == 0 && stat(b, &two) == 0 &&
         S_ISREG(one.st_mode) && one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}
