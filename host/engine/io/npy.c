#include "io.h"

#define MAGIC     "\x93NUMPY"
#define SUPPORTED "supported: i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 b1"

enum { MAGIC_BYTES = 6, VERSION_BYTES = 2, LONGEST_PREAMBLE = 12 };

/* A piece of the header, not terminated. */
typedef struct span {
  const char *s;
  size_t length;
} span;

/* The parser's position in the header's text. */
typedef struct cursor {
  const char *start, *at, *end;
  const char *name;
  rh_error *error;
} cursor;

/* ---- The preamble: magic, version, length of the header -------------------------------------- */

int rh_npy_has_magic(const void *bytes, uint64_t length) {
  return length >= MAGIC_BYTES && memcmp(bytes, MAGIC, MAGIC_BYTES) == 0;
}

/* Finds part of the magic, or all of it at another offset: bytes were lost, inserted or changed. */
int rh_npy_resembles(const void *bytes, uint64_t length) {
  const char *start = bytes;
  const size_t far = 16, name = MAGIC_BYTES - 1;
  size_t n = length < far ? (size_t)length : far, same = 0;
  for (size_t k = 0; k < n && k < MAGIC_BYTES; k++) same += start[k] == MAGIC[k];
  return same >= 4 || memmem(start, n, &MAGIC[1], name) != NULL;
}

/* Bytes before the header's text, or 0 for an unknown version. */
static uint64_t preamble_bytes(const unsigned char *bytes) {
  unsigned major = bytes[MAGIC_BYTES], minor = bytes[MAGIC_BYTES + 1];
  if (minor != 0 || major < 1 || major > 3) return 0;
  return MAGIC_BYTES + VERSION_BYTES + (major == 1 ? 2 : 4);
}

static uint64_t header_bytes(const unsigned char *bytes, uint64_t preamble) {
  uint64_t length = 0;
  for (uint64_t k = preamble; k > MAGIC_BYTES + VERSION_BYTES; k--)
    length = length << 8 | bytes[k - 1]; /* little endian */
  return length;
}

uint64_t rh_npy_wanted(const void *bytes, uint64_t length) {
  if (length < LONGEST_PREAMBLE || !rh_npy_has_magic(bytes, length)) return LONGEST_PREAMBLE;
  uint64_t preamble = preamble_bytes(bytes);
  return preamble ? preamble + header_bytes(bytes, preamble) : LONGEST_PREAMBLE;
}

/* ---- Tokens of the header, a Python literal: a dictionary, strings, booleans and a tuple of
 * numbers */

static rh_status malformed(const cursor *c, const char *expected) {
  return rh_fail(c->error, RH_E_FILE,
                 "%s: its .npy header is malformed: expected %s at character %llu; save the array "
                 "again with numpy.save",
                 c->name, expected, (unsigned long long)(c->at - c->start));
}

/* The next character that is not white space, or 0 at the end; a NUL in the header reads as its
 * end. */
static char peek(cursor *c) {
  while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\n' || *c->at == '\r'))
    c->at++;
  return c->at < c->end ? *c->at : 0;
}

static int accept_char(cursor *c, char expected) {
  if (peek(c) != expected) return 0;
  c->at++;
  return 1;
}

static int accept_word(cursor *c, const char *word) {
  size_t length = strlen(word);
  peek(c);
  if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length) != 0) return 0;
  c->at += length;
  return 1;
}

static rh_status read_string(cursor *c, const char *what, span *string) {
  char quote = peek(c);
  if (quote != '\'' && quote != '"') return malformed(c, what);
  const char *first = ++c->at;
  while (c->at < c->end && *c->at != quote) {
    if (*c->at == '\\' || *c->at == '\n') return malformed(c, "a closing quote");
    c->at++;
  }
  if (c->at == c->end) return malformed(c, "a closing quote");
  *string = (span){first, (size_t)(c->at - first)};
  c->at++;
  return RH_OK;
}

/* A piece of the header for messages: short and printable. */
static const char *printable(char text[static 32], span piece) {
  size_t length = piece.length < 31 ? piece.length : 31;
  for (size_t k = 0; k < length; k++)
    text[k] = (char)(piece.s[k] >= 0x20 && piece.s[k] < 0x7f ? piece.s[k] : '?');
  if (length < piece.length) memcpy(text + length - 3, "...", 3);
  text[length] = 0;
  return text;
}

static int span_is(span piece, const char *word) {
  return piece.length == strlen(word) && memcmp(piece.s, word, piece.length) == 0;
}

/* ---- The three values ------------------------------------------------------------------------ */

static rh_status unsupported_dtype(const cursor *c, span descr) {
  static const struct {
    char letter;
    const char *meaning;
  } kinds[] = {{'O', " (Python objects)"}, {'c', " (complex numbers)"}, {'U', " (text)"},
               {'S', " (bytes)"},          {'M', " (dates)"},           {'m', " (time spans)"},
               {'V', " (raw bytes)"}};
  char text[32];
  const char *meaning = "";
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    if (descr.length >= 2 && descr.s[1] == kinds[k].letter) meaning = kinds[k].meaning;
  if (descr.length == 4 && descr.s[1] == 'f') meaning = " (long double)"; /* f12, f16: of bytes */
  return rh_fail(c->error, RH_E_FILE, "%s: dtype '%s'%s is not supported; " SUPPORTED, c->name,
                 printable(text, descr), meaning);
}

/* 1: swapped, 0: native, -1: unknown. '|' means that the order does not matter. */
static int is_swapped(char order, uint32_t size) {
  static const uint16_t one = 1;
  const char native = *(const unsigned char *)&one ? '<' : '>';
  if (order == '<' || order == '>') return size > 1 && order != native;
  return order == '=' || (order == '|' && size == 1) ? 0 : -1;
}

static rh_status read_descr(cursor *c, rh_npy *npy) {
  static const struct {
    const char *code;
    rh_type type;
  } known[] = {{"i1", RH_TYPE_i8},  {"u1", RH_TYPE_u8},  {"i2", RH_TYPE_i16}, {"u2", RH_TYPE_u16},
               {"i4", RH_TYPE_i32}, {"u4", RH_TYPE_u32}, {"i8", RH_TYPE_i64}, {"u8", RH_TYPE_u64},
               {"f2", RH_TYPE_f16}, {"f4", RH_TYPE_f32}, {"f8", RH_TYPE_f64}, {"b1", RH_TYPE_u8}};
  char first = peek(c);
  if (first == '[' || first == '(')
    return rh_fail(c->error, RH_E_FILE,
                   "%s: a structured dtype is not supported; save one of its fields; " SUPPORTED,
                   c->name);
  span descr;
  RH_TRY(read_string(c, "a dtype", &descr));
  for (size_t k = 0; k < sizeof known / sizeof *known && descr.length == 3; k++) {
    if (!span_is((span){descr.s + 1, 2}, known[k].code)) continue;
    int swapped = is_swapped(descr.s[0], rh_type_size(known[k].type));
    if (swapped < 0) break;
    npy->type = known[k].type;
    npy->swapped = (uint32_t)swapped;
    return RH_OK;
  }
  return unsupported_dtype(c, descr);
}

static rh_status read_fortran_order(cursor *c, rh_npy *npy) {
  if (accept_word(c, "True")) npy->fortran_order = 1;
  else if (accept_word(c, "False")) npy->fortran_order = 0;
  else return malformed(c, "True or False");
  return RH_OK;
}

static rh_status too_large(const cursor *c) {
  return rh_fail(c->error, RH_E_FILE, "%s: its shape is too large: its size overflows 64 bits",
                 c->name);
}

static rh_status read_length(cursor *c, uint64_t *length) {
  if (peek(c) == '-')
    return rh_fail(c->error, RH_E_FILE, "%s: its shape has a negative length", c->name);
  const char *first = c->at;
  uint64_t value = 0;
  for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++) {
    uint64_t digit = (uint64_t)(*c->at - '0');
    if (value > (UINT64_MAX - digit) / 10) return too_large(c);
    value = value * 10 + digit;
  }
  if (c->at == first || (*first == '0' && c->at > first + 1)) return malformed(c, "a length");
  if (c->at < c->end && *c->at == 'L') c->at++; /* Python 2's suffix of long integers */
  *length = value;
  return RH_OK;
}

/* Appends one length to the text of a shape, or "..." if the rest does not fit. */
static void describe_length(rh_npy *npy, uint64_t length) {
  static const char rest[] = ", ...";
  size_t used = strlen(npy->shape);
  char piece[32];
  int added = snprintf(piece, sizeof piece, "%s%llu", npy->dimensions ? ", " : "",
                       (unsigned long long)length);
  if (used >= 3 && npy->shape[used - 1] == '.') return;
  if (used + (size_t)added + sizeof rest + sizeof ",)" > sizeof npy->shape) {
    memcpy(npy->shape + used, rest, sizeof rest);
  } else {
    memcpy(npy->shape + used, piece, (size_t)added + 1);
  }
}

static rh_status read_shape(cursor *c, rh_npy *npy) {
  int has_zero = 0, overflows = 0, comma = 1;
  uint64_t product = 1, length = 0;
  if (!accept_char(c, '(')) return malformed(c, "a tuple");
  memcpy(npy->shape, "(", 2);
  while (!accept_char(c, ')')) {
    if (!comma) return malformed(c, "',' or ')'");
    RH_TRY(read_length(c, &length));
    describe_length(npy, length);
    npy->dimensions++;
    npy->long_dimensions += length != 1;
    if (npy->dimensions <= RH_NPY_MOST_DIMENSIONS) npy->lengths[npy->dimensions - 1] = length;
    if (length == 0) has_zero = 1;
    else if (product > UINT64_MAX / length) overflows = 1;
    else product *= length;
    comma = accept_char(c, ',');
  }
  if (npy->dimensions == 1 && !comma) return malformed(c, "a tuple, as in (3,),");
  if (overflows && !has_zero) return too_large(c);
  npy->n = has_zero ? 0 : product;
  strcat(npy->shape, npy->dimensions == 1 ? ",)" : ")");
  return RH_OK;
}

/* ---- The dictionary -------------------------------------------------------------------------- */

static const struct {
  const char *key;
  rh_status (*read)(cursor *c, rh_npy *npy);
} entries[] = {{"descr", read_descr}, {"fortran_order", read_fortran_order}, {"shape", read_shape}};
enum { N_ENTRIES = sizeof entries / sizeof *entries };

static rh_status read_entry(cursor *c, rh_npy *npy, unsigned *seen) {
  char text[32];
  span key;
  RH_TRY(read_string(c, "a key", &key));
  for (unsigned k = 0; k < N_ENTRIES; k++) {
    if (!span_is(key, entries[k].key)) continue;
    if (*seen & 1u << k)
      return rh_fail(c->error, RH_E_FILE, "%s: its .npy header has the key '%s' twice", c->name,
                     entries[k].key);
    *seen |= 1u << k;
    if (!accept_char(c, ':')) return malformed(c, "':'");
    return entries[k].read(c, npy);
  }
  return rh_fail(c->error, RH_E_FILE,
                 "%s: its .npy header has the unknown key '%s'; known: descr fortran_order shape",
                 c->name, printable(text, key));
}

/* Spaces and a newline as the header's last byte.  This detects a wrong header length, which
 * would shift all of the data. */
static rh_status read_padding(cursor *c) {
  while (c->at < c->end && *c->at == ' ') c->at++;
  if (c->at + 1 == c->end && *c->at == '\n') return RH_OK;
  return malformed(c, c->at < c->end && *c->at != '\n'
                          ? "nothing more"
                          : "a line break as the last byte of the header");
}

static rh_status read_dictionary(cursor *c, rh_npy *npy) {
  unsigned seen = 0;
  int comma = 1;
  if (!accept_char(c, '{')) return malformed(c, "'{'");
  while (!accept_char(c, '}')) {
    if (!comma) return malformed(c, "',' or '}'");
    RH_TRY(read_entry(c, npy, &seen));
    comma = accept_char(c, ',');
  }
  RH_TRY(read_padding(c));
  for (unsigned k = 0; k < N_ENTRIES; k++)
    if (!(seen & 1u << k))
      return rh_fail(c->error, RH_E_FILE, "%s: its .npy header lacks the key '%s'", c->name,
                     entries[k].key);
  return RH_OK;
}

/* Finds the header's text among the bytes. */
static rh_status find_header(cursor *c, const unsigned char *bytes, uint64_t length) {
  if (!rh_npy_has_magic(bytes, length))
    return rh_fail(c->error, RH_E_FILE, "%s: is not a .npy file", c->name);
  uint64_t preamble = 0, wanted = LONGEST_PREAMBLE;
  if (length >= MAGIC_BYTES + VERSION_BYTES) {
    preamble = preamble_bytes(bytes);
    if (!preamble)
      return rh_fail(c->error, RH_E_FILE,
                     "%s: .npy version %d.%d is not supported; supported: 1.0 2.0 3.0", c->name,
                     bytes[MAGIC_BYTES], bytes[MAGIC_BYTES + 1]);
    wanted = preamble;
    if (length >= preamble) wanted += header_bytes(bytes, preamble);
  }
  if (length < wanted)
    return rh_fail(c->error, RH_E_FILE,
                   "%s: ends within its .npy header: %llu bytes of at least %llu; is the copy "
                   "complete?",
                   c->name, (unsigned long long)length, (unsigned long long)wanted);
  c->start = c->at = (const char *)bytes + preamble;
  c->end = (const char *)bytes + wanted;
  return RH_OK;
}

rh_status rh_npy_parse(rh_npy *npy, const void *bytes, uint64_t length, const char *name,
                       rh_error *error) {
  cursor c = {.name = name, .error = error};
  memset(npy, 0, sizeof *npy);
  RH_TRY(find_header(&c, bytes, length));
  RH_TRY(read_dictionary(&c, npy));
  uint32_t size = rh_type_size(npy->type);
  if (npy->n > UINT64_MAX / size) return too_large(&c);
  npy->data_bytes = npy->n * size;
  npy->data_offset = (uint64_t)(c.end - (const char *)bytes);
  return RH_OK;
}
