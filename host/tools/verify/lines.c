#include "lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One line in a text. */
typedef struct line {
  const char *key, *value, *next; /* next: after the newline */
  size_t key_length, value_length;
} line;

/* 0 at the end of the text. */
static int read_line(const char *at, line *l) {
  if (!at || !*at) return 0;
  l->key = at;
  l->key_length = strcspn(at, "\t\n");
  l->value = at + l->key_length + (at[l->key_length] == '\t');
  l->value_length = strcspn(l->value, "\n");
  l->next = l->value + l->value_length + (l->value[l->value_length] == '\n');
  return 1;
}

static int find_line(const rh_text *lines, const char *key, size_t key_length, line *found) {
  for (const char *at = lines->s; read_line(at, found); at = found->next)
    if (found->key_length == key_length && memcmp(found->key, key, key_length) == 0) return 1;
  return 0;
}

static int same_value(const line *a, const line *b) {
  return a->value_length == b->value_length && memcmp(a->value, b->value, a->value_length) == 0;
}

static int has_line(const rh_text *lines, const line *wanted) {
  line found;
  for (const char *at = lines->s; read_line(at, &found); at = found.next)
    if (found.key_length == wanted->key_length && same_value(&found, wanted) &&
        memcmp(found.key, wanted->key, wanted->key_length) == 0)
      return 1;
  return 0;
}

static void append_plain(rh_text *to, const char *s) {
  for (;;) {
    size_t length = strcspn(s, "\t\n");
    rh_text_append(to, s, length);
    if (!s[length]) return;
    rh_text_append(to, " ", 1);
    s += length + 1;
  }
}

static int lines_have(const rh_text *lines, const char *key) {
  line found;
  return find_line(lines, key, strlen(key), &found);
}

void rh_lines_add(rh_text *lines, const char *key, const char *format, ...) {
  va_list args;
  char *value = NULL;
  if (lines_have(lines, key)) return;
  va_start(args, format);
  if (vasprintf(&value, format, args) < 0) value = NULL;
  va_end(args);
  append_plain(lines, key);
  rh_text_append(lines, "\t", 1);
  append_plain(lines, value ? value : "");
  rh_text_append(lines, "\n", 1);
  free(value);
}

int rh_lines_get(const rh_text *lines, const char *key, char *value, size_t bytes) {
  line found;
  if (!find_line(lines, key, strlen(key), &found)) return 0;
  snprintf(value, bytes, "%.*s", (int)found.value_length, found.value);
  return 1;
}

void rh_lines_copy(rh_text *to, const rh_text *from) {
  rh_text_finish(to);
  rh_text_append(to, rh_text_get(from), from->length);
}

void rh_lines_add_file(rh_text *lines, const char *key, const char *path) {
  char value[256] = "";
  FILE *file = fopen(path, "re");
  if (!file) return;
  if (!fgets(value, sizeof value, file)) value[0] = 0;
  fclose(file);
  value[strcspn(value, "\n")] = 0;
  rh_lines_add(lines, key, "%s", value);
}

/* ---- Differences ---- */

static int say_change(rh_lines_change *change, const line *old, const line *new) {
  const line *one = new ? new : old;
  snprintf(change->key, sizeof change->key, "%.*s", (int)one->key_length, one->key);
  snprintf(change->what, sizeof change->what, "%s%s%.*s", change->key,
           one->value_length ? ": " : "", (int)one->value_length, one->value);
  if (old && new)
    snprintf(change->how, sizeof change->how, ", before: %.*s", (int)old->value_length, old->value);
  else
    snprintf(change->how, sizeof change->how, "%s", new ? " is new" : " is gone");
  return 1;
}

static int is_same_text(const rh_text *a, const rh_text *b) {
  return a->length == b->length && memcmp(rh_text_get(a), rh_text_get(b), a->length) == 0;
}

int rh_lines_differ(const rh_text *before, const rh_text *allowed, const rh_text *after, int which,
                    rh_lines_change *change) {
  line old, new;
  if (is_same_text(before, after)) return 0;
  for (const char *at = before->s; which != RH_LINES_GAINED && read_line(at, &old); at = old.next) {
    if (!find_line(after, old.key, old.key_length, &new)) return say_change(change, &old, NULL);
    if (!same_value(&old, &new)) return say_change(change, &old, &new);
  }
  for (const char *at = after->s; which != RH_LINES_LOST && read_line(at, &new); at = new.next)
    if (!find_line(before, new.key, new.key_length, &old) && !has_line(allowed, &new))
      return say_change(change, NULL, &new);
  return 0;
}

void rh_lines_note_new(rh_text *to, const rh_text *before, const rh_text *after,
                       const char *value) {
  line old, new;
  char key[512];
  for (const char *at = after->s; read_line(at, &new); at = new.next) {
    if (find_line(before, new.key, new.key_length, &old)) continue;
    snprintf(key, sizeof key, "%.*s", (int)new.key_length, new.key);
    rh_lines_add(to, key, "%s", value);
  }
}

void rh_lines_redo(rh_text *lines, rh_text *added, const rh_text *before, const rh_text *after) {
  rh_text done = {0};
  line mine, old, new;
  if (is_same_text(before, after)) return;
  for (const char *at = lines->s; read_line(at, &mine); at = mine.next) {
    int was = find_line(before, mine.key, mine.key_length, &old) && same_value(&old, &mine);
    int is = find_line(after, mine.key, mine.key_length, &new);
    const line *kept = !was ? &mine : is ? &new : NULL;
    if (kept) rh_text_append(&done, kept->key, (size_t)(kept->next - kept->key));
  }
  for (const char *at = after->s; read_line(at, &new); at = new.next)
    if (!has_line(before, &new) && !has_line(added, &new))
      rh_text_append(added, new.key, (size_t)(new.next - new.key));
  rh_text_finish(lines);
  *lines = done;
}
