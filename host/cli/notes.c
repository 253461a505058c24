/* Notes on standard error: what may surprise in an answer. */
#include "app.h"

enum { EXCERPT = 64, MOST_ELEMENTS = 62 /* 2^62 where their number is not known */ };

/* A part of a text, or "..." for one that is too long to be repeated. */
static const char *excerpt(const char *from, size_t bytes) {
  return bytes > EXCERPT ? "..." : rh_show("%.*s", (int)bytes, from);
}

static const char *text_at(const rh_expr_place *place) {
  return excerpt(place->text + place->begin, place->end - place->begin);
}

/* The difference as one of signed numbers.  An i64 makes one of all that it meets but a u64; the
 * bits of a u64 are those of the signed number. */
static const char *signed_text(const rh_expr_place *place, const char *whole) {
  if (place->type == RH_TYPE_u64) return rh_show("(i64)(%s)", whole);
  if (place->begin == place->sign && *whole == '-')
    return rh_show("-(i64)%s", whole + 1 + strspn(whole + 1, " "));
  return rh_show("(i64)%s", whole);
}

static int note_difference(const rh_app *app, const rh_custom *self, uint64_t n) {
  rh_expr_place place;
  if (!rh_exprs_find_difference(self->load, n, &place)) return 0;
  const char *whole = text_at(&place);
  rh_log(&app->context->options.reporter, RH_LOG_WARNING,
         "%s: '%s' is computed in %s, where what is below 0 becomes a large number; for a signed "
         "result write '%s'",
         place.what, whole, rh_type_name(place.type), signed_text(&place, whole));
  return 1;
}

/* How to have the field's values in 64 bits. */
static const char *wide_text(const rh_app *app, const rh_custom *self,
                             const rh_operator_field *field) {
  const char *map = app->typed->texts.map, *type = rh_type_is_signed(field->type) ? "i64" : "u64";
  if (*field->name) return rh_show("give the field %s the type %s", field->name, type);
  if (!map) return rh_show("for 64 bits write --map '(%s)%s'", type, self->operands[0].name);
  return rh_show("for 64 bits write --map '(%s)(%s)'", type, excerpt(map, strlen(map)));
}

static void note_narrow(const rh_app *app, const rh_custom *self, uint64_t n) {
  rh_expr_place place;
  for (uint32_t k = 0; k < self->n_fields; k++) {
    const rh_operator_field *field = &self->fields[k];
    if (rh_type_size(field->type) != sizeof(uint32_t) || rh_type_is_float(field->type)) continue;
    int is_sum = rh_exprs_output_adds(self->combine, k, k, self->n_fields + k);
    /* A sum of few small numbers does not wrap. */
    if (n <= 1 || (is_sum && rh_exprs_sum_fits(self->load, k, n)) ||
        !rh_exprs_find_narrow(self->combine, k, &place))
      continue;
    rh_log(&app->context->options.reporter, RH_LOG_WARNING,
           "%s: '%s' is computed in %s, and wraps beyond 32 bits; %s", place.what, text_at(&place),
           rh_type_name(place.type), wide_text(app, self, field));
    return;
  }
}

static void note_wrapping(const rh_app *app, const rh_custom *self, uint64_t n) {
  uint64_t known = n == UINT64_MAX ? UINT64_C(1) << MOST_ELEMENTS : n;
  int has_fields = self->face.is_struct && self->n_parts == 0;
  if (self->code || known == 0) return;
  if (!note_difference(app, self, known) && has_fields) note_narrow(app, self, known);
}

static int has_index(const rh_job_spec *spec) {
  const rh_custom *custom = rh_custom_of(spec->operation.op);
  uint32_t flags = rh_op_flags(spec->operation.op->base, spec->operation.op->type);
  for (uint32_t k = 0; spec->operation.op->is_custom && k < custom->n_parts; k++)
    flags |= rh_op_flags(custom->parts[k].op, custom->parts[k].type);
  return spec->operation.op->uses_index || flags & RH_OP_INDEXED;
}

void rh_note_operator(const rh_app *app, const rh_inputs *inputs, const rh_job_spec *spec) {
  const rh_feed *feed = &inputs->feeds[0];
  const rh_npy *npy = &feed->npy;
  uint64_t n = spec->operation.n;
  if (inputs->n && feed->is_npy && npy->fortran_order && npy->long_dimensions > 1 &&
      has_index(spec))
    rh_log(&app->context->options.reporter, RH_LOG_WARNING,
           "%s: shape %s, Fortran order: the index counts in storage order", feed->name,
           npy->shape);
  if (spec->operation.op->is_custom)
    note_wrapping(app, rh_custom_of(spec->operation.op), inputs->n && !n ? feed->n : n);
}
