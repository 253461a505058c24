#include "wrap_note.h"
#include "../core/base/log.h"

#include <string.h>

enum { EXCERPT = 64, MOST_ELEMENTS = 62 /* 2^62 where their number is not known */ };

/* A part of a text, or "..." for one that is too long to be repeated. */
static void cut(char to[EXCERPT + 1], const char *from, size_t bytes) {
  if (bytes > EXCERPT)
    snprintf(to, EXCERPT + 1, "...");
  else
    snprintf(to, EXCERPT + 1, "%.*s", (int)bytes, from);
}

/* The difference as one of signed numbers.  An i64 makes one of all that it meets but a u64; the
 * bits of a u64 are those of the signed number. */
static void write_signed(char *to, size_t bytes, const rh_expr_place *place) {
  char whole[EXCERPT + 1];
  const char *begin = place->text + place->begin;
  cut(whole, begin, place->end - place->begin);
  if (place->type == RH_TYPE_u64)
    snprintf(to, bytes, "(i64)(%s)", whole);
  else if (place->begin == place->sign && *whole == '-')
    snprintf(to, bytes, "-(i64)%s", whole + 1 + strspn(whole + 1, " "));
  else
    snprintf(to, bytes, "(i64)%s", whole);
}

static int note_difference(const rh_app *app, const rh_custom *self, uint64_t n) {
  rh_expr_place place;
  char whole[EXCERPT + 1], instead[EXCERPT + 16];
  if (!rh_exprs_find_difference(self->load, n, &place)) return 0;
  cut(whole, place.text + place.begin, place.end - place.begin);
  write_signed(instead, sizeof instead, &place);
  rh_log(&app->context->options.reporter, RH_LOG_WARNING,
         "%s: '%s' is computed in %s, where what is below 0 becomes a large number; for a signed "
         "result write '%s'",
         place.what, whole, rh_type_name(place.type), instead);
  return 1;
}

/* How to have the field's values in 64 bits. */
static void write_wide(char *to, size_t bytes, const rh_app *app, const rh_custom *self,
                       const rh_operator_field *field) {
  const char *map = app->typed->map ? app->typed->map : self->operands[0].name;
  const char *type = rh_type_is_signed(field->type) ? "i64" : "u64";
  char text[EXCERPT + 1];
  cut(text, map, strlen(map));
  if (*field->name)
    snprintf(to, bytes, "give the field %s the type %s", field->name, type);
  else if (app->typed->map)
    snprintf(to, bytes, "for 64 bits write --map '(%s)(%s)'", type, text);
  else
    snprintf(to, bytes, "for 64 bits write --map '(%s)%s'", type, text);
}

/* A sum of few small numbers does not wrap. */
static int may_wrap(const rh_custom *self, uint32_t k, uint64_t n) {
  int is_sum = rh_exprs_output_adds(self->combine, k, k, self->n_fields + k);
  return n > 1 && !(is_sum && rh_exprs_sum_fits(self->load, k, n));
}

static void note_narrow(const rh_app *app, const rh_custom *self, uint64_t n) {
  rh_expr_place place;
  char whole[EXCERPT + 1], instead[128 + EXCERPT];
  for (uint32_t k = 0; k < self->n_fields; k++) {
    const rh_operator_field *field = &self->fields[k];
    if (rh_type_size(field->type) != sizeof(uint32_t) || rh_type_is_float(field->type)) continue;
    if (!may_wrap(self, k, n) || !rh_exprs_find_narrow(self->combine, k, &place)) continue;
    cut(whole, place.text + place.begin, place.end - place.begin);
    write_wide(instead, sizeof instead, app, self, field);
    rh_log(&app->context->options.reporter, RH_LOG_WARNING,
           "%s: '%s' is computed in %s, and wraps beyond 32 bits; %s", place.what, whole,
           rh_type_name(place.type), instead);
    return;
  }
}

void rh_wrap_note(const rh_app *app, const rh_custom *self, uint64_t n) {
  uint64_t known = n == UINT64_MAX ? UINT64_C(1) << MOST_ELEMENTS : n;
  int has_fields = self->face.is_struct && self->n_parts == 0;
  if (self->code || known == 0) return;
  if (!note_difference(app, self, known) && has_fields) note_narrow(app, self, known);
}
