/* Reads operator files, and has those that come with redhost. */
#include "custom.h"

#include "operator_library.h"

static rh_status read_file(const char *path, const char *kind, char **text, size_t *length,
                           rh_error *error) {
  enum { MOST_BYTES = 1 << 20 };
  const rh_file_kind of = {kind, MOST_BYTES, RH_E_FILE};
  return rh_error_prefix(error, rh_file_read(path, &of, text, length, error), "%s", path);
}

/* Code is trusted as a plugin is that the user named: by itself, wherever it is. */
static rh_status check_trust(const char *path, rh_error *error) {
  char why[RH_TRUST_BYTES];
  RH_FREED(char) whole = realpath(path, NULL);
  if (!whole) return rh_fail(error, RH_E_FILE, "%s: %s", path, strerror(errno));
  size_t directory = (size_t)(rh_path_name(whole) - whole);
  if (rh_trust_path(whole, directory, NULL, why, sizeof why) == 0) return RH_OK;
  return rh_fail(error, RH_E_FILE, "%s: is code and is not trusted: %s", path, why);
}

static rh_status read_code_file(rh_definition *definition, const char *path, rh_error *error) {
  RH_FREED(char) text = NULL;
  size_t length;
  RH_FINISHED(rh_text) code = {0};
  RH_TRY(check_trust(path, error));
  RH_TRY(read_file(path, "OpenCL C", &text, &length, error));
  if (memchr(text, 0, length))
    return rh_fail(error, RH_E_FILE, "%s: has a byte 0; expected OpenCL C", path);
  rh_definition_add_line(&code, definition->code_file, 1);
  size_t mark = strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  rh_text_append(&code, text + mark, length - mark);
  json_t *kept = code.failed ? NULL : json_stringn_nocheck(code.s, code.length);
  json_object_set_new(definition->own, "source", kept);
  definition->code = json_string_value(kept);
  return kept ? RH_OK : rh_fail(error, RH_E_NOMEM, "no memory for %s", path);
}

rh_status rh_definition_read_file(rh_definition *definition, const char *path, rh_error *error) {
  RH_FREED(char) text = NULL;
  size_t length;
  *definition = (rh_definition){0};
  RH_TRY(read_file(path, "an operator file", &text, &length, error));
  rh_status status = rh_definition_read(definition, text, length, path, error);
  if (definition->code || definition->code_file) status = check_trust(path, error);
  if (status == RH_OK && definition->code_file) {
    RH_FREED(char) file = rh_path_beside(path, definition->code_file);
    status = file ? read_code_file(definition, file, error)
                  : rh_fail(error, RH_E_NOMEM, "no memory for a path");
    if (status == RH_E_FILE) rh_definition_blame(definition, "code", RH_ITEM_WHOLE, error);
  }
  if (status != RH_OK) rh_definition_finish(definition);
  return status;
}

const char *rh_library_text(size_t k, const char **name) {
  static const struct { const char *name, *text; } library[] = {OPERATOR_ROWS};
  if (k >= sizeof library / sizeof *library) return NULL;
  if (name) *name = library[k].name;
  return library[k].text;
}
