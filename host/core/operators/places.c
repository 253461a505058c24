#include "places.h"

#include <string.h>

typedef struct scanner {
  const char *at, *end;
  rh_json_place place;
} scanner;

static int is_at(const scanner *s, const char *characters) {
  return s->at < s->end && *s->at && strchr(characters, *s->at);
}

static void step(scanner *s) {
  if (s->at == s->end) return;
  char c = *s->at++;
  if (c == '\n')
    s->place = (rh_json_place){s->place.line + 1, 1};
  else /* bytes that continue a character of UTF-8 are not counted */
    s->place.column += s->at == s->end || ((unsigned char)*s->at & 0xc0) != 0x80;
}

static void skip_space(scanner *s) {
  while (is_at(s, " \t\r\n")) step(s);
}

static void skip_string(scanner *s) {
  step(s);
  while (s->at < s->end && *s->at != '"') {
    if (*s->at == '\\') step(s);
    step(s);
  }
  step(s);
}

/* Without recursion, whatever the depth. */
static void skip_value(scanner *s) {
  int64_t depth = 0;
  do {
    if (is_at(s, "\"")) {
      skip_string(s);
    } else {
      depth += is_at(s, "[{");
      depth -= is_at(s, "]}");
      int is_number = !is_at(s, "[]{},: \t\r\n");
      step(s);
      while (is_number && s->at < s->end && !is_at(s, "[]{},: \t\r\n\"")) step(s);
    }
  } while (depth > 0 && s->at < s->end);
}

/* Goes from the beginning of a list or an object to its member k. */
static void enter(scanner *s, int64_t k, int to_name) {
  int is_object = is_at(s, "{");
  step(s);
  for (;; k--) {
    skip_space(s);
    if (k == 0 && to_name) return;
    if (is_object) {
      skip_string(s);
      skip_space(s);
      step(s); /* the colon */
      skip_space(s);
    }
    if (k == 0 || s->at == s->end) return;
    skip_value(s);
    skip_space(s);
    step(s); /* the comma */
  }
}

rh_json_place rh_json_place_find(const char *json, size_t length, int64_t key, int64_t item,
                                 int of_name) {
  scanner s = {json, json + length, {1, 1}};
  skip_space(&s);
  if (key == RH_PLACE_SELF) return s.place;
  enter(&s, key, of_name && item == RH_PLACE_SELF);
  if (item != RH_PLACE_SELF && is_at(&s, "[{")) enter(&s, item, of_name);
  return s.place;
}
