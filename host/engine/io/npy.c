#include "io.h"

#define SUPPORTED "supported: i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 b1"

enum { MAGIC_BYTES = 6, VERSION_BYTES = 2, LONGEST_PREAMBLE = 12 };

/* ---- The preamble: magic, version, length of the header -------------------------------------- */

int rh_npy_has_magic(const void *bytes, uint64_t length) {
  return length >= MAGIC_BYTES && memcmp(bytes, RH_NPY_MAGIC, MAGIC_BYTES) == 0;
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

/* ---- The header, a Python literal: a dictionary of a string, a boolean and a tuple ----------- */

/* Makes it JSON, in which every character stays where it is.  What is not a header of NumPy's is
 * not JSON, either. */
static void make_json(char *text, uint64_t length) {
  char quote = 0, before = 0, *open = NULL, *comma = NULL;
  for (char *c = text; c < text + length; c++) {
    if (quote) {
      if (*c == '\\' || (*c == '"' && quote != '"')) *c = '\n';
      if (*c != quote) continue;
      *c = '"';
      quote = 0;
    } else if (*c == '\'' || *c == '"') {
      quote = *c;
      *c = '"';
    }
    if (*c == ' ' || *c == '\t' || *c == '\r' || *c == '\n') continue;
    if (*c == 'T' || *c == 'F') *c += 'a' - 'A';
    if (*c == 'L' && before >= '0' && before <= '9') *c = ' '; /* Python 2's of long integers */
    if ((*c == ')' || *c == '}') && before == ',' && comma) *comma = ' ';
    if (*c == ')') *c = before == ',' || !open ? ']' : before == '[' ? ']' : ')';
    if (*c == '(') {
      open = c;
      *c = '[';
    }
    if (*c == ',') {
      comma = strchr("[{,", before) ? NULL : c;
      open = NULL;
    }
    before = *c;
  }
}

static rh_status malformed(const char *name, const char *what, rh_error *error) {
  return rh_fail(error, RH_E_FILE,
                 "%s: its .npy header is malformed: %s; save the array again with numpy.save", name,
                 what);
}

/* Spaces and a newline are the last bytes, which tell a wrong length: it would shift all data. */
static rh_status read_literal(json_t **read, const char *header, uint64_t length, const char *name,
                              rh_error *error) {
  char *text, at[64];
  json_error_t why = {.position = 0};
  RH_TRY(rh_alloc(&text, length + 1, 1, "a .npy header", error));
  memcpy(text, header, length);
  make_json(text, length);
  *read = json_loadb(text, length, JSON_REJECT_DUPLICATES, &why);
  free(text);
  if (!*read) {
    snprintf(at, sizeof at, "it is not a Python dictionary, from character %d on", why.position);
    return malformed(name, at, error);
  }
  if (header[length - 1] == '\n') return RH_OK;
  json_decref(*read);
  return malformed(name, "a line break is not its last byte", error);
}

/* A piece of the header for messages: short and printable. */
static const char *printable(char text[static 32], const char *piece) {
  size_t length = strnlen(piece, 31);
  for (size_t k = 0; k < length; k++)
    text[k] = (char)(piece[k] >= 0x20 && piece[k] < 0x7f ? piece[k] : '?');
  if (piece[length]) memcpy(text + length - 3, "...", 3);
  text[length] = 0;
  return text;
}

/* ---- The three values ------------------------------------------------------------------------ */

static rh_status unsupported_dtype(const char *name, const char *descr, rh_error *error) {
  static const struct {
    char letter;
    const char *meaning;
  } kinds[] = {{'O', " (Python objects)"}, {'c', " (complex numbers)"}, {'U', " (text)"},
               {'S', " (bytes)"},          {'M', " (dates)"},           {'m', " (time spans)"},
               {'V', " (raw bytes)"}};
  char text[32];
  const char *meaning = "";
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    if (descr[0] && descr[1] == kinds[k].letter) meaning = kinds[k].meaning;
  if (strlen(descr) == 4 && descr[1] == 'f') meaning = " (long double)"; /* f12, f16: of bytes */
  return rh_fail(error, RH_E_FILE, "%s: dtype '%s'%s is not supported; " SUPPORTED, name,
                 printable(text, descr), meaning);
}

static char native_order(void) { return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>'; }

/* 1: swapped, 0: native, -1: unknown. '|' means that the order does not matter. */
static int is_swapped(char order, uint32_t size) {
  if (order == '<' || order == '>') return size > 1 && order != native_order();
  return order == '=' || (order == '|' && size == 1) ? 0 : -1;
}

static rh_status read_descr(rh_npy *npy, const json_t *value, const char *name, rh_error *error) {
  static const struct {
    const char *code;
    rh_type type;
  } known[] = {{"i1", RH_TYPE_i8},  {"u1", RH_TYPE_u8},  {"i2", RH_TYPE_i16}, {"u2", RH_TYPE_u16},
               {"i4", RH_TYPE_i32}, {"u4", RH_TYPE_u32}, {"i8", RH_TYPE_i64}, {"u8", RH_TYPE_u64},
               {"f2", RH_TYPE_f16}, {"f4", RH_TYPE_f32}, {"f8", RH_TYPE_f64}, {"b1", RH_TYPE_u8}};
  const char *descr = json_string_value(value);
  if (json_is_array(value))
    return rh_fail(error, RH_E_FILE,
                   "%s: a structured dtype is not supported; save one of its fields; " SUPPORTED,
                   name);
  if (!descr) return malformed(name, "'descr' is not a dtype", error);
  for (size_t k = 0; k < sizeof known / sizeof *known && *descr; k++) {
    if (strcmp(descr + 1, known[k].code) != 0) continue;
    int swapped = is_swapped(*descr, rh_type_size(known[k].type));
    if (swapped < 0) break;
    npy->type = known[k].type;
    npy->swapped = (uint32_t)swapped;
    return RH_OK;
  }
  return unsupported_dtype(name, descr, error);
}

static rh_status too_large(const char *name, rh_error *error) {
  return rh_fail(error, RH_E_FILE, "%s: its shape is too large: its size overflows 64 bits", name);
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

static rh_status read_shape(rh_npy *npy, const json_t *value, const char *name, rh_error *error) {
  int has_zero = 0, overflows = 0;
  uint64_t product = 1;
  const json_t *item;
  size_t k;
  if (!json_is_array(value)) return malformed(name, "'shape' is not a tuple, as (3,) is", error);
  memcpy(npy->shape, "(", 2);
  json_array_foreach(value, k, item) {
    uint64_t length = (uint64_t)json_integer_value(item);
    if (!json_is_integer(item) || json_integer_value(item) < 0)
      return malformed(name, "'shape' has what is not a length", error);
    describe_length(npy, length);
    npy->dimensions++;
    npy->long_dimensions += length != 1;
    if (npy->dimensions <= RH_NPY_MOST_DIMENSIONS) npy->lengths[npy->dimensions - 1] = length;
    has_zero |= length == 0;
    overflows |= length && __builtin_mul_overflow(product, length, &product);
  }
  if (overflows && !has_zero) return too_large(name, error);
  npy->n = has_zero ? 0 : product;
  strcat(npy->shape, npy->dimensions == 1 ? ",)" : ")");
  return RH_OK;
}

static rh_status read_dictionary(rh_npy *npy, json_t *all, const char *name, rh_error *error) {
  static const char *const keys[] = {"descr", "fortran_order", "shape"};
  const json_t *values[3];
  const char *key;
  json_t *value;
  char text[32];
  if (!json_is_object(all)) return malformed(name, "it is not a dictionary", error);
  for (int k = 0; k < 3; k++)
    if (!(values[k] = json_object_get(all, keys[k])))
      return rh_fail(error, RH_E_FILE, "%s: its .npy header lacks the key '%s'", name, keys[k]);
  json_object_foreach(all, key, value) {
    if (value == values[0] || value == values[1] || value == values[2]) continue;
    return rh_fail(error, RH_E_FILE,
                   "%s: its .npy header has the unknown key '%s'; known: descr fortran_order shape",
                   name, printable(text, key));
  }
  RH_TRY(read_descr(npy, values[0], name, error));
  if (!json_is_boolean(values[1]))
    return malformed(name, "'fortran_order' is neither True nor False", error);
  npy->fortran_order = json_is_true(values[1]);
  return read_shape(npy, values[2], name, error);
}

/* *preamble: bytes before its text; *end: of both. */
static rh_status find_header(const unsigned char *bytes, uint64_t length, uint64_t *preamble,
                             uint64_t *end, const char *name, rh_error *error) {
  if (!rh_npy_has_magic(bytes, length))
    return rh_fail(error, RH_E_FILE, "%s: is not a .npy file", name);
  *end = LONGEST_PREAMBLE;
  if (length >= MAGIC_BYTES + VERSION_BYTES) {
    *preamble = *end = preamble_bytes(bytes);
    if (!*preamble)
      return rh_fail(error, RH_E_FILE,
                     "%s: .npy version %d.%d is not supported; supported: 1.0 2.0 3.0", name,
                     bytes[MAGIC_BYTES], bytes[MAGIC_BYTES + 1]);
    if (length >= *preamble) *end += header_bytes(bytes, *preamble);
  }
  if (length < *end)
    return rh_fail(error, RH_E_FILE,
                   "%s: ends within its .npy header: %llu bytes of at least %llu; is the copy "
                   "complete?",
                   name, (unsigned long long)length, (unsigned long long)*end);
  return RH_OK;
}

rh_status rh_npy_parse(rh_npy *npy, const void *bytes, uint64_t length, const char *name,
                       rh_error *error) {
  uint64_t preamble = 0;
  json_t *all;
  memset(npy, 0, sizeof *npy);
  RH_TRY(find_header(bytes, length, &preamble, &npy->data_offset, name, error));
  RH_TRY(
      read_literal(&all, (const char *)bytes + preamble, npy->data_offset - preamble, name, error));
  rh_status status = read_dictionary(npy, all, name, error);
  json_decref(all);
  RH_TRY(status);
  uint32_t size = rh_type_size(npy->type);
  if (npy->n > UINT64_MAX / size) return too_large(name, error);
  npy->data_bytes = npy->n * size;
  return RH_OK;
}

/* ---- Writing ---- */

/* "'<f4'" */
static void add_type(rh_text *to, rh_type type) {
  char kind = rh_type_is_float(type) ? 'f' : rh_type_is_signed(type) ? 'i' : 'u';
  rh_text_add(to, "'%c%c%u'", rh_type_size(type) == 1 ? '|' : native_order(), kind,
              rh_type_size(type));
}

static void add_name(rh_text *to, const char *name) {
  rh_text_add(to, "'");
  for (; *name; name++) rh_text_add(to, *name == '\'' || *name == '\\' ? "\\%c" : "%c", *name);
  rh_text_add(to, "'");
}

static void add_fields(rh_text *to, const rh_npy_field *fields, uint32_t n) {
  if (n == 1 && !fields->name) {
    add_type(to, fields->type);
    return;
  }
  rh_text_add(to, "[");
  for (uint32_t k = 0; k < n; k++) {
    rh_text_add(to, k ? ", (" : "(");
    add_name(to, fields[k].name);
    rh_text_add(to, ", ");
    add_type(to, fields[k].type);
    rh_text_add(to, ")");
  }
  rh_text_add(to, "]");
}

void rh_npy_write_header(rh_text *to, const rh_npy_field *fields, uint32_t n_fields,
                         uint32_t n_dimensions, const uint64_t *lengths, int fortran_order) {
  enum { ALIGNMENT = 64, PREAMBLE = 10, MOST_OF_VERSION_1 = 0xffff };
  RH_FINISHED(rh_text) header = {0};
  rh_text_add(&header, "{'descr': ");
  add_fields(&header, fields, n_fields);
  rh_text_add(&header, ", 'fortran_order': %s, 'shape': (", fortran_order ? "True" : "False");
  for (uint32_t k = 0; k < n_dimensions; k++)
    rh_text_add(&header, "%s%llu", k ? ", " : "", (unsigned long long)lengths[k]);
  rh_text_add(&header, "%s), }", n_dimensions == 1 ? "," : "");
  size_t bytes = PREAMBLE + header.length + 1;
  int is_long = bytes + ALIGNMENT > MOST_OF_VERSION_1;
  if (is_long) bytes += LONGEST_PREAMBLE - PREAMBLE;
  for (; bytes % ALIGNMENT != 0; bytes++) rh_text_add(&header, " ");
  rh_text_add(&header, "\n");
  to->failed |= header.failed;
  unsigned char preamble[LONGEST_PREAMBLE] = RH_NPY_MAGIC;
  preamble[6] = is_long ? 2 : 1;
  for (uint32_t k = 0; k < sizeof(uint32_t); k++)
    preamble[8 + k] = (unsigned char)(header.length >> 8 * k);
  rh_text_append(to, (const char *)preamble, is_long ? LONGEST_PREAMBLE : PREAMBLE);
  rh_text_append(to, rh_text_get(&header), header.length);
}
