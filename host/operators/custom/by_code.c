#include "internal.h"

/* ---- A compiler's complaint ---- */

enum { MOST_WORDS = 300 };

static const char *next_line(const char *at) {
  at += strcspn(at, "\n");
  return *at ? at + 1 : at;
}

/* Is "error: " in a line, behind its place or before it? */
static int says(const char *line, const char *what) {
  const char *at = strstr(line, what);
  return at && at < line + strcspn(line, "\n");
}

static int is_in_code(const rh_log_place *place, const char *code) {
  size_t length;
  return rh_source_line(code, place->file, place->length, place->line, &length) != NULL;
}

static void take_words(const char *line, char words[MOST_WORDS]) {
  static const char first[] = "error: ", hint[] = "; did you mean ";
  rh_log_place place;
  if (rh_log_place_of(line, &place)) line = place.after;
  if (strncmp(line, first, sizeof first - 1) == 0) line += sizeof first - 1;
  snprintf(words, MOST_WORDS, "%.*s", (int)strcspn(line, "\n"), line);
  rh_make_plain(words);
  /* The user's functions have other names in the program: see operators/device.c. */
  for (char *at = words; (at = strstr(at, "rh_code_"));)
    memmove(at + 3, at + 8, strlen(at + 8) + 1);
  /* "no member 'fur'; did you mean 'far'?" can go on as "no member 'fur' (did you mean 'far'?)". */
  char *aside = strstr(words, hint);
  size_t length = strlen(words);
  if (!aside || words[length - 1] != '?' || length + 1 >= MOST_WORDS) return;
  memcpy(aside, " (", 2);
  memcpy(words + length, ")", 2);
}

/* The note on an error, up to the next one, that names a line of the code. */
static int find_note(const char *error, const char *code, rh_log_place *place) {
  for (const char *at = next_line(error); *at && !says(at, "error: "); at = next_line(at))
    if (says(at, "note: ") && rh_log_place_of(at, place) && is_in_code(place, code)) return 1;
  return 0;
}

int rh_code_complaint(const char *log, const char *code, char *to, size_t bytes) {
  char words[MOST_WORDS];
  const char *first = NULL;
  for (const char *at = log; *at; at = next_line(at)) {
    rh_log_place place;
    if (!says(at, "error: ") || !rh_log_place_of(at, &place)) continue;
    if (!first) first = at;
    if (!is_in_code(&place, code) && !find_note(at, code, &place)) continue;
    char excerpt[RH_EXCERPT_BYTES];
    size_t length;
    const char *line = rh_source_line(code, place.file, place.length, place.line, &length);
    take_words(at, words);
    snprintf(to, bytes, "%.*s:%u:%u: %s%s", (int)place.length, place.file, place.line, place.column,
             words, rh_excerpt(excerpt, line, length, place.column ? place.column - 1 : 0));
    return 1;
  }
  if (!first) return 0;
  /* In the program behind the code: of what a function takes, or of an open bracket. */
  const char *file = strchr(code, '"');
  file = file ? file + 1 : "";
  take_words(first, words);
  snprintf(to, bytes, "where its functions are used, behind the end of %.*s: %s",
           (int)strcspn(file, "\"\n"), file, words);
  return 1;
}

rh_status rh_by_code_open(const rh_operator *op, rh_cl_session *session, rh_error *error) {
  const rh_custom *custom = rh_custom_of(op);
  rh_on_device *device;
  RH_FINISHED(rh_text) log = {0};
  if (!op->is_code || custom->code->device) return RH_OK;
  rh_status status = rh_on_device_create(&device, custom, session, RH_ON_DEVICE_ROOM, &log, error);
  if (status == RH_E_BUILD) {
    char complaint[601];
    if (!rh_code_complaint(rh_text_get(&log), custom->code->text, complaint, 600))
      snprintf(complaint, sizeof complaint, "%.600s", error ? error->message : "");
    return rh_fail(error, RH_E_FILE, "operator %s does not compile: %s", custom->op.name,
                   complaint);
  }
  RH_TRY(status);
  rh_on_device_reduce(device, NULL, 0, 0, 1, custom->code->identity);
  status = rh_on_device_status(device, error);
  if (status == RH_OK) custom->code->device = device;
  else rh_on_device_destroy(device);
  return status;
}

rh_status rh_by_code_prepare(const rh_operator *op, rh_context *context, rh_error *error) {
  rh_cl_session *session;
  if (!op->is_code || rh_custom_of(op)->code->device) return RH_OK;
  RH_TRY(rh_context_session(context, &session, error));
  return rh_by_code_open(op, session, error);
}

rh_status rh_by_code_status(const rh_operator *op, rh_error *error) {
  if (!op->is_code) return RH_OK;
  const rh_on_device *device = rh_custom_of(op)->code->device;
  if (device) return rh_on_device_status(device, error);
  return rh_fail(error, RH_E_INTERNAL, "operator %s has no device to be evaluated on",
                 op->abi->name);
}
