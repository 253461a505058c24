#include "io.h"

enum { ALIGNMENT = 64, PREAMBLE = 10, LONG_PREAMBLE = 12, MOST_OF_VERSION_1 = 0xffff };

/* "'<f4'" */
static void add_type(rh_text *to, rh_type type) {
  static const uint16_t one = 1;
  char order = *(const unsigned char *)&one ? '<' : '>';
  char kind = rh_type_is_float(type) ? 'f' : rh_type_is_signed(type) ? 'i' : 'u';
  rh_text_add(to, "'%c%c%u'", rh_type_size(type) == 1 ? '|' : order, kind, rh_type_size(type));
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
  RH_FINISHED(rh_text) header = {0};
  rh_text_add(&header, "{'descr': ");
  add_fields(&header, fields, n_fields);
  rh_text_add(&header, ", 'fortran_order': %s, 'shape': (", fortran_order ? "True" : "False");
  for (uint32_t k = 0; k < n_dimensions; k++)
    rh_text_add(&header, "%s%llu", k ? ", " : "", (unsigned long long)lengths[k]);
  rh_text_add(&header, "%s), }", n_dimensions == 1 ? "," : "");
  size_t bytes = PREAMBLE + header.length + 1;
  int is_long = bytes + ALIGNMENT > MOST_OF_VERSION_1;
  if (is_long) bytes += LONG_PREAMBLE - PREAMBLE;
  for (; bytes % ALIGNMENT != 0; bytes++) rh_text_add(&header, " ");
  rh_text_add(&header, "\n");
  to->failed |= header.failed;
  unsigned char preamble[LONG_PREAMBLE] = "\x93NUMPY";
  preamble[6] = is_long ? 2 : 1;
  for (uint32_t k = 0; k < sizeof(uint32_t); k++)
    preamble[8 + k] = (unsigned char)(header.length >> 8 * k);
  rh_text_append(to, (const char *)preamble, is_long ? LONG_PREAMBLE : PREAMBLE);
  rh_text_append(to, rh_text_get(&header), header.length);
}
