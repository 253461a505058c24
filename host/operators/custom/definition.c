#include "custom.h"

void rh_definition_finish(rh_definition *definition) {
  json_decref(definition->own);
  *definition = (rh_definition){0};
}

int rh_operator_is_name(const char *text, size_t length) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  return length > 0 && length < RH_OPERATOR_NAME_BYTES && strspn(text, letters) >= length &&
         !strchr("0123456789", *text);
}

int rh_definition_name_is_valid(const char *name) {
  static const char *const taken[] = {"i", "n", "inf", "nan"};
  for (size_t k = 0; k < sizeof taken / sizeof *taken; k++)
    if (strcmp(name, taken[k]) == 0) return 0;
  return rh_operator_is_name(name, strlen(name));
}

int rh_definition_mentions(const char *text, const char *name) {
  size_t length = strlen(name);
  for (const char *at = text; at && (at = strstr(at, name)); at++) {
    int begins = at == text || (!isalnum((unsigned char)at[-1]) && at[-1] != '_' && at[-1] != '.');
    if (begins && !isalnum((unsigned char)at[length]) && at[length] != '_' && at[length] != '(')
      return 1;
  }
  return 0;
}

void rh_definition_add_line(rh_text *to, const char *file, uint32_t line) {
  rh_text_add(to, "#line %u \"", line);
  for (; *file; file++) /* what a string of C cannot have as it is */
    rh_text_append(to, (unsigned char)*file < ' ' || strchr("\"\\", *file) ? "?" : file, 1);
  rh_text_add(to, "\"\n");
}
