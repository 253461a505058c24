#include "operation.h"

#include <float.h>

const char *rh_check_name(uint32_t check) {
  static const char *const names[] = {"full", "sampled", "none"};
  return check < sizeof names / sizeof *names ? names[check] : "unknown";
}

/* ---- Writing: calls may take microseconds, so no tree of values is made ---- */

enum { MOST_MEMBERS = 24 };

typedef struct member {
  const char *key;
  rh_text value;
} member;

typedef struct members {
  member list[MOST_MEMBERS];
  uint32_t n;
} members;

static rh_text *add(members *to, const char *key) {
  member *one = &to->list[to->n++];
  one->key = key;
  return &one->value;
}

/* Adds all of redhost and of the machine that decides the answer or how values and states are
 * read. */
static void add_version(members *to) {
  const char *build = rh_env("REDHOST_BUILD_OPTIONS");
  const uint16_t one = 1;
  unsigned char first;
  memcpy(&first, &one, 1);
  if (build) rh_text_add_json(add(to, "build"), build);
  rh_text_add(add(to, "machine"), "\"%s byte first, long double of %d bits\"",
              first ? "low" : "high", LDBL_MANT_DIG);
  rh_text_add(add(to, "version"), "\"%s, plugin ABI %d.%d\"", rh_version(), RH_ABI_MAJOR,
              RH_ABI_MINOR);
}

int rh_operation_rounds_once(const rh_operation *of) {
  return of->accuracy && (of->op->divides || rh_op_rounds(of->op->base, of->op->type));
}

static void add_operation(members *to, const rh_operation *operation) {
  const rh_operator *op = operation->op;
  rh_text_add(add(to, "accuracy"), "\"%s\"", operation->accuracy ? "exact" : "plain");
  rh_text_add(add(to, "check"), "\"%s\"", rh_check_name(operation->check));
  if (op->calls->constants) op->calls->constants(op, add(to, "constants"));
  rh_text_add_json(add(to, "name"), op->name);
  rh_text_append(add(to, "operator"), op->key, strlen(op->key));
}

static void add_more(members *to, const json_t *more) {
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)more, key, value) {
    int is_own = strcmp(key, "build") == 0;
    for (uint32_t k = 0; k < to->n; k++) is_own |= strcmp(key, to->list[k].key) == 0;
    if (is_own || to->n == MOST_MEMBERS) continue;
    RH_FREED(char) json = json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);
    rh_text_add(add(to, key), "%s", json ? json : "");
  }
}

static int by_key(const void *a, const void *b) {
  return strcmp(((const member *)a)->key, ((const member *)b)->key);
}

char *rh_operation_text(const rh_operation *operation, json_t *more) {
  members all = {.n = 0};
  rh_text text = {0};
  add_version(&all);
  if (operation) add_operation(&all, operation);
  add_more(&all, more);
  qsort(all.list, all.n, sizeof *all.list, by_key);
  for (uint32_t k = 0; k < all.n; k++) {
    rh_text *value = &all.list[k].value;
    if (value->length)
      rh_text_add(&text, "%c\"%s\":%s", text.length ? ',' : '{', all.list[k].key, value->s);
    text.failed |= value->failed;
    rh_text_finish(value);
  }
  rh_text_append(&text, "}", 1);
  json_decref(more);
  if (text.failed) rh_text_finish(&text);
  return text.s;
}

int rh_operation_is_foreign(const char *text, rh_difference *found) {
  RH_FREED(char) mine = rh_operation_text(NULL, json_loads(text, 0, NULL));
  /* Other numbers may be written otherwise here: they have no part in it. */
  return mine && rh_operation_differ(text, mine, found) && *found->member;
}
