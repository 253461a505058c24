#include "nan_note.h"
#include "../core/base/half.h"
#include "../engine/io/feed.h"
#include "plain.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

static int is_nan(const rh_result *result) {
  int found = rh_type_is_float(result->type) && isnan(result->value.f);
  for (uint32_t k = 0; k < result->n_fields; k++)
    found |= rh_type_is_float(result->fields[k].type) && isnan(result->fields[k].value.f);
  return found;
}

static int is_nan_at(rh_type type, const void *elements, uint64_t k) {
  switch (type) {
  case RH_TYPE_f16: return isnan(rh_half_to_float(((const uint16_t *)elements)[k]));
  case RH_TYPE_f32: return isnan(((const float *)elements)[k]);
  default: return isnan(((const double *)elements)[k]);
  }
}

/* The elements of a file that are not numbers, and the first of them; 0 if it was not counted. */
static int count(const rh_app *app, uint64_t *n_nan, uint64_t *first) {
  enum { AT_ONCE = 1 << 17, MOST_BYTES = 1 << 30 };
  atomic_int stop = 0;
  struct stat info;
  rh_feed feed = {0};
  double *some = malloc(AT_ONCE * sizeof *some);
  int counts = some && stat(app->typed->input, &info) == 0 && S_ISREG(info.st_mode) &&
               info.st_size <= MOST_BYTES &&
               rh_feed_open(&feed, app->typed->input, app->type, NULL, NULL) == RH_OK &&
               rh_type_is_float(feed.type);
  *n_nan = *first = 0;
  for (uint64_t at = 0, got = 0; counts && at < feed.n; at += got) {
    uint64_t n = feed.n - at < AT_ONCE ? feed.n - at : AT_ONCE;
    counts = rh_feed_read(&feed, at, n, some, &stop, &got, NULL) == RH_OK && got > 0;
    for (uint64_t k = 0; counts && k < got; k++)
      if (is_nan_at(feed.type, some, k) && (*n_nan)++ == 0) *first = at + k;
  }
  rh_feed_finish(&feed);
  free(some);
  return counts;
}

void rh_note_nan(const rh_app *app, const rh_result *result) {
  uint64_t n, first;
  char text[512];
  const char *input = app->typed->input;
  if (!input || app->typed->quiet || app->typed->json || !is_nan(result)) return;
  if (!count(app, &n, &first))
    snprintf(text, sizeof text,
             "the answer is not a number; --map 'isnan(x)' counts NaN, and --where '!isnan(x)' "
             "leaves them out");
  else if (n)
    snprintf(text, sizeof text,
             "%.200s has %llu NaN, the first at index %llu; --where '!isnan(x)' leaves them out",
             rh_plain(input), (unsigned long long)n, (unsigned long long)first);
  else
    snprintf(text, sizeof text,
             "no element of %.200s is NaN; the answer is, as it is of infinities of both signs",
             rh_plain(input));
  rh_terminal_say(app->terminal, text);
}
