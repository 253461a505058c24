/* In plain words, what two texts of operations say otherwise. */
#include "operation.h"

enum { MOST_DEPTH = 8, WORDS_BYTES = 120 };

/* Members in the order in which they are told; others follow.  An empty word adds nothing to those
 * of the object around it; of a list, it is its items' word. */
static const struct {
  const char *member, *word;
} known[] = {
    {"version", "version"},
    {"machine", "machine"},
    {"build", "REDHOST_BUILD_OPTIONS"},
    {"source", ""},
    {"files", "file"},
    {"bytes", "number of bytes"},
    {"header", "header"},
    {"changed", "time of change"},
    {"data", "kind of data"},
    {"seed", "seed"},
    {"order", "memory order"},
    {"rows", "shape behind the slowest dimension"},
    {"elements", "number of elements"},
    {"name", "operator"},
    {"constants", "constant"},
    {"operator", ""},
    {"op", "operator"},
    {"map", "map"},
    {"where", "condition"},
    {"value", "field"},
    {"load", "load"},
    {"identity", "identity"},
    {"combine", "combination"},
    {"let", "name"},
    {"code", "OpenCL C"},
    {"finalize", "finalizer"},
    {"text", ""},
    {"operands", "operand"},
    {"type", "type"},
    {"accuracy", "accuracy"},
    {"check", "check"},
    {"first", "first element"},
    {"count", "number of elements of the part"},
    {"chunk", "bytes of a chunk"},
    {"strategy", "strategy"},
};
enum { N_KNOWN = sizeof known / sizeof *known };

/* A text, from a little before where it differs from the other. */
static void show_text(char to[RH_SHOWN_BYTES], const char *text, const char *other) {
  enum { BEFORE = 24, ROOM = RH_SHOWN_BYTES - 4 };
  size_t into = 0, skip = 0;
  while (strlen(text) >= ROOM && other && text[into] && text[into] == other[into]) into++;
  if (into > BEFORE) skip = into - BEFORE;
  char cut[ROOM];
  rh_copy_plain(cut, sizeof cut, text + skip);
  snprintf(to, RH_SHOWN_BYTES, "%s%s", skip ? "..." : "", cut);
}

/* Returns what stands around it in a sentence. */
static const char *show(char to[RH_SHOWN_BYTES], const json_t *value, const json_t *other) {
  char number[32];
  while (json_is_array(value) && json_array_size(value) == 1) value = json_array_get(value, 0);
  if (json_object_get(value, "text")) value = json_object_get(value, "text");
  if (json_object_get(value, "name")) value = json_object_get(value, "name");
  if (json_is_string(value)) {
    show_text(to, json_string_value(value), json_string_value(other));
    return "'";
  }
  if (json_is_real(value)) rh_format_number(number, json_real_value(value));
  if (json_is_real(value))
    snprintf(to, RH_SHOWN_BYTES, "%s%s", number, strpbrk(number, ".e") ? "" : ".0");
  else if (json_is_integer(value))
    snprintf(to, RH_SHOWN_BYTES, "%lld", (long long)json_integer_value(value));
  else snprintf(to, RH_SHOWN_BYTES, "%s", value ? "another" : "none");
  return "";
}

typedef struct place {
  char member[64], words[WORDS_BYTES];
  int depth;
} place;

static place place_in(const place *around, const char *member) {
  place in = {.depth = around->depth + 1};
  snprintf(in.member, sizeof in.member, "%.40s%s%.20s", around->member, *around->member ? "." : "",
           member);
  return in;
}

static place place_of_member(const place *around, const char *member) {
  const char *word = member;
  place in = place_in(around, member);
  for (size_t k = 0; k < N_KNOWN; k++)
    if (strcmp(known[k].member, member) == 0) word = known[k].word;
  snprintf(in.words, sizeof in.words, "%.50s%s%.60s", word, *word && *around->words ? " of " : "",
           around->words);
  return in;
}

/* A list's or an object's item; name "": it is the only one, and has none. */
static place place_of_item(const place *around, const char *member, const char *name) {
  place in = place_in(around, member);
  snprintf(in.words, sizeof in.words, "%.50s%s%.60s", around->words, *name ? " " : "", name);
  return in;
}

typedef struct pair {
  const json_t *a, *b;
} pair;

static int compare(pair two, const place *at, rh_difference *found);

static int compare_member(pair two, const place *at, const char *member, rh_difference *found) {
  const pair in = {json_object_get(two.a, member), json_object_get(two.b, member)};
  int is_name = strcmp(at->member, "constants") == 0;
  const place of = is_name ? place_of_item(at, member, member) : place_of_member(at, member);
  return compare(in, &of, found);
}

static int compare_objects(pair two, const place *at, rh_difference *found) {
  const char *member;
  json_t *value;
  for (size_t k = 0; k < N_KNOWN; k++)
    if (compare_member(two, at, known[k].member, found)) return 1;
  json_object_foreach((json_t *)(uintptr_t)two.a, member,
                      value) if (compare_member(two, at, member, found)) return 1;
  json_object_foreach((json_t *)(uintptr_t)two.b, member,
                      value) if (compare_member(two, at, member, found)) return 1;
  return 0;
}

static int compare_lists(pair two, const place *at, rh_difference *found) {
  size_t n = json_array_size(two.a) > json_array_size(two.b) ? json_array_size(two.a)
                                                             : json_array_size(two.b);
  for (size_t k = 0; k < n; k++) {
    const pair in = {json_array_get(two.a, k), json_array_get(two.b, k)};
    const char *name = json_string_value(json_object_get(in.a ? in.a : in.b, "name"));
    char number[24];
    snprintf(number, sizeof number, "%zu", k);
    const place of = place_of_item(at, number, name ? name : n > 1 ? number : "");
    if (compare(in, &of, found)) return 1;
  }
  return 0;
}

static int compare(pair two, const place *at, rh_difference *found) {
  char *a = found->values[0], *b = found->values[1];
  if (two.a == two.b || json_equal(two.a, two.b)) return 0;
  if (at->depth < MOST_DEPTH && json_is_object(two.a) && json_is_object(two.b))
    return compare_objects(two, at, found);
  if (at->depth < MOST_DEPTH && json_is_array(two.a) && json_is_array(two.b))
    return compare_lists(two, at, found);
  const char *at_a = show(a, two.a, two.b), *at_b = show(b, two.b, two.a);
  snprintf(found->member, sizeof found->member, "%s", at->member);
  snprintf(found->words, sizeof found->words, "%s is %s%s%s and %s%s%s", at->words, at_a, a, at_a,
           at_b, b, at_b);
  rh_make_plain(found->words);
  return 1;
}

int rh_operation_differ(const char *a, const char *b, rh_difference *found) {
  const place whole = {.depth = 0};
  *found = (rh_difference){0};
  if (strcmp(a, b) == 0) return 0;
  json_t *of_a = json_loads(a, 0, NULL), *of_b = json_loads(b, 0, NULL);
  if (!of_a || !of_b || !compare((pair){of_a, of_b}, &whole, found))
    snprintf(found->words, sizeof found->words, "one is not as this redhost writes it");
  json_decref(of_a);
  json_decref(of_b);
  return 1;
}
