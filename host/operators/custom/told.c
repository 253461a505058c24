/* A name, the constants' bits, a number sign, and the key as key.c writes it. */
#include "told.h"
#include "../../core/base/error.h"
#include "../../core/base/vocabulary.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Writing ---- */

char *rh_custom_tell(const rh_custom *self) {
  rh_text text = {0};
  rh_text_add(&text, "%zu:%s;", strlen(self->name), self->name);
  for (uint32_t k = 0; k < self->n_lets; k++) {
    uint64_t bits;
    memcpy(&bits, &self->lets[k].value.as, sizeof bits);
    rh_text_add(&text, "%" PRIu64 ";", bits);
  }
  rh_text_add(&text, "#%s", self->key);
  if (text.failed) rh_text_finish(&text);
  return text.s;
}

/* ---- Reading ---- */

typedef struct reader {
  const char *at;
  int failed;
} reader;

static uint64_t take_digits(reader *from, char after) {
  char *end;
  if (from->failed || *from->at < '0' || *from->at > '9') {
    from->failed = 1;
    return 0;
  }
  errno = 0;
  uint64_t number = strtoull(from->at, &end, 10);
  from->failed = errno != 0 || *end != after;
  if (!from->failed) from->at = end + 1;
  return number;
}

static uint64_t take_number(reader *from, uint64_t most) {
  uint64_t number = take_digits(from, ';');
  if (number > most) from->failed = 1;
  return from->failed ? 0 : number;
}

/* malloc'ed; null for null and where it failed. */
static char *take_text(reader *from) {
  if (!from->failed && from->at[0] == '-' && from->at[1] == ';') {
    from->at += 2;
    return NULL;
  }
  uint64_t length = take_digits(from, ':');
  if (from->failed || strnlen(from->at, length + 1) <= length || from->at[length] != ';') {
    from->failed = 1;
    return NULL;
  }
  char *text = strndup(from->at, length);
  from->failed = !text;
  from->at += length + 1;
  return text;
}

static void take_name(reader *from, char *name, size_t size) {
  char *text = take_text(from);
  if (!text || strlen(text) >= size)
    from->failed = 1;
  else
    strcpy(name, text);
  free(text);
}

static uint32_t take_named(reader *from, rh_named_text *list, uint32_t most) {
  uint32_t n = (uint32_t)take_number(from, most);
  for (uint32_t k = 0; k < n; k++) {
    take_name(from, list[k].name, sizeof list[k].name);
    list[k].text = take_text(from);
    from->failed |= !list[k].text;
  }
  return n;
}

static void take_fields(reader *from, rh_definition *definition) {
  definition->n_fields = (uint32_t)take_number(from, RH_MOST_FIELDS);
  for (uint32_t k = 0; k < definition->n_fields; k++) {
    rh_field_text *field = &definition->fields[k];
    take_name(from, field->name, sizeof field->name);
    field->type = (rh_type)take_number(from, RH_N_TYPES);
    field->load = take_text(from);
    field->identity = take_text(from);
    field->combine = take_text(from);
    from->failed |= !definition->code && (!field->identity || !field->combine);
    int may_lack = !definition->code && definition->n_fields == 1; /* it is the map's */
    from->failed |= field->type ? rh_type_size(field->type) < sizeof(uint32_t) : !may_lack;
  }
}

typedef struct told {
  rh_definition definition;
  rh_operand operands[RH_MOST_OPERANDS];
  rh_let lets[RH_MOST_CONSTANTS];
  uint32_t n_operands, n_lets;
} told;

static void take_all(reader *from, told *to) {
  rh_definition *definition = &to->definition;
  to->n_operands = (uint32_t)take_number(from, RH_MOST_OPERANDS);
  for (uint32_t k = 0; k < to->n_operands; k++) {
    take_name(from, to->operands[k].name, sizeof to->operands[k].name);
    to->operands[k].type = (rh_type)take_number(from, RH_N_TYPES);
    from->failed |= to->operands[k].type == 0;
  }
  to->n_lets = (uint32_t)take_number(from, RH_MOST_CONSTANTS);
  for (uint32_t k = 0; k < to->n_lets; k++) {
    take_name(from, to->lets[k].name, sizeof to->lets[k].name);
    uint64_t kind = take_number(from, UINT32_MAX) & 3; /* as key.c writes it */
    to->lets[k].value.is_float = kind == 1;
    to->lets[k].value.is_large = kind == 2;
  }
  definition->ops = take_text(from);
  definition->map = take_text(from);
  definition->where = take_text(from);
  definition->code = take_text(from);
  take_fields(from, definition);
  definition->n_lets = take_named(from, definition->lets, RH_MOST_LETS);
  definition->n_results = take_named(from, definition->results, RH_MOST_FIELDS);
  definition->flags = (uint32_t)take_number(from, UINT32_MAX);
  from->failed |= *from->at != 0 || (!definition->ops && !definition->n_fields);
}

static rh_status make_told(rh_custom **made, told *to, reader *from, const char *name,
                           rh_error *error) {
  for (uint32_t k = 0; k < to->n_lets && !from->failed; k++) {
    uint64_t bits = take_number(from, UINT64_MAX);
    memcpy(&to->lets[k].value.as, &bits, sizeof bits);
  }
  if (from->failed || *from->at != '#')
    return rh_fail(error, RH_E_USAGE, "the operator cannot be read");
  RH_TRY(rh_custom_create(made, &to->definition, to->operands, to->n_operands, to->lets, to->n_lets,
                          error));
  snprintf((*made)->name, sizeof(*made)->name, "%s", name);
  return RH_OK;
}

rh_status rh_custom_hear(rh_custom **made, const char *text, rh_error *error) {
  told to = {.n_operands = 0};
  reader from = {.at = text};
  char name[sizeof(*made)->name] = "";
  *made = NULL;
  take_name(&from, name, sizeof name);
  const char *key = strchr(from.at, '#');
  reader of_key = {.at = key ? key + 1 : "", .failed = !key};
  take_all(&of_key, &to);
  from.failed |= of_key.failed;
  rh_status status = make_told(made, &to, &from, name, error);
  rh_definition_finish(&to.definition);
  return status;
}
