#include "tune.h"

enum { SAMPLE = 24, MOST_DRAWS = 512 };
/* The neighbours of candidates within this factor of the best are tried, too, since quick
 * measurements are inexact. */
static const double promising = 1.05;

typedef struct known {
  rh_tried tried;
  int expanded; /* all its neighbours are known */
} known;

typedef struct search {
  const rh_tune_spec *spec;
  known *known;
  uint32_t n;
  uint32_t measured;
  uint64_t random;
  double best_s;
} search;

static int is_known(const search *s, uint64_t candidate) {
  for (uint32_t k = 0; k < s->n; k++)
    if (s->known[k].tried.candidate == candidate) return 1;
  return 0;
}

static rh_status remember(search *s, uint64_t candidate, double seconds, rh_error *error) {
  RH_TRY(RH_ROOM(&s->known, s->n, "a search", error));
  s->known[s->n++] = (known){.tried = {candidate, seconds > 0 ? seconds : INFINITY}};
  return RH_OK;
}

static int is_over(const search *s) {
  const rh_tune_spec *spec = s->spec;
  return s->measured >= spec->most || (spec->is_over && spec->is_over(spec->user, s->measured));
}

static rh_status try_one(search *s, uint64_t candidate, rh_error *error) {
  double seconds = 0;
  RH_TRY(s->spec->measure(s->spec->user, candidate, s->best_s, &seconds, error));
  s->measured += seconds > 0;
  if (seconds > 0 && seconds < s->best_s) s->best_s = seconds;
  return remember(s, candidate, seconds, error);
}

/* Tries the list in random order, so that an interrupted search has sampled everything. *all:
 * none is left. */
static rh_status try_list(search *s, uint64_t *list, uint32_t n, int until_better, int *all,
                          rh_error *error) {
  double before = s->best_s;
  rh_shuffle(list, n, &s->random);
  *all = 0;
  for (uint32_t k = 0; k < n; k++) {
    if (is_known(s, list[k])) continue;
    if (is_over(s)) return RH_OK;
    RH_TRY(try_one(s, list[k], error));
    if (until_better && s->best_s < before) return RH_OK;
  }
  *all = 1;
  return RH_OK;
}

/* Fewer if good candidates are already known. */
static rh_status try_sample(search *s, rh_error *error) {
  uint32_t wanted = s->measured + (s->spec->n_hints ? SAMPLE / 3 : SAMPLE);
  for (uint32_t draw = 0; draw < MOST_DRAWS && s->measured < wanted && !is_over(s); draw++) {
    uint64_t candidate = rh_random_next(&s->random) % s->spec->space->size;
    if (!is_known(s, candidate)) RH_TRY(try_one(s, candidate, error));
  }
  return RH_OK;
}

/* The best candidate with untried neighbours. */
static const known *most_promising(const search *s) {
  const known *best = NULL;
  for (uint32_t k = 0; k < s->n; k++) {
    const known *it = &s->known[k];
    if (it->expanded || it->tried.seconds > promising * s->best_s) continue;
    if (!best || it->tried.seconds < best->tried.seconds) best = it;
  }
  return best;
}

/* Hill climbing: tries neighbours of the best until none is better. */
static rh_status climb(search *s, int *complete, rh_error *error) {
  RH_FREED(uint64_t) list = NULL;
  RH_TRY(RH_NEW(&list, RH_SPACE_MOST_NEIGHBOURS, "a search", error));
  while (!is_over(s)) {
    int all;
    const known *from = most_promising(s);
    if (!from) {
      *complete = 1;
      break;
    }
    uint32_t place = (uint32_t)(from - s->known); /* the list may be reallocated */
    uint32_t n = rh_space_neighbours(s->spec->space, from->tried.candidate, list);
    rh_status status = try_list(s, list, n, 1, &all, error);
    s->known[place].expanded = all;
    RH_TRY(status);
  }
  return RH_OK;
}

static void choose_finalists(const search *s, double initial_s, rh_tune_found *found) {
  for (uint32_t k = 1; k < s->n; k++) { /* the first entry is the base */
    rh_tried it = s->known[k].tried;
    if (!(it.seconds < initial_s)) continue;
    uint32_t place = found->n;
    while (place > 0 && found->best[place - 1].seconds > it.seconds) place--;
    if (place == RH_TUNE_FINALISTS) continue;
    if (found->n < RH_TUNE_FINALISTS) found->n++;
    for (uint32_t m = found->n - 1; m > place; m--) found->best[m] = found->best[m - 1];
    found->best[place] = it;
  }
}

static rh_status try_space(search *s, int *complete, rh_error *error) {
  const rh_tune_spec *spec = s->spec;
  uint64_t list[RH_SMALL_SPACE];
  if (!is_known(s, spec->space->initial) && !is_over(s))
    RH_TRY(try_one(s, spec->space->initial, error));
  for (uint32_t k = 0; k < spec->n_hints && !is_over(s); k++)
    if (!is_known(s, spec->hints[k])) RH_TRY(try_one(s, spec->hints[k], error));
  if (spec->space->size > RH_SMALL_SPACE) {
    RH_TRY(try_sample(s, error));
    return climb(s, complete, error);
  }
  for (uint32_t k = 0; k < spec->space->size; k++) list[k] = k;
  return try_list(s, list, (uint32_t)spec->space->size, 0, complete, error);
}

rh_status rh_tune_search(const rh_tune_spec *spec, double initial_s, rh_tune_found *found,
                         rh_error *error) {
  search s = {.spec = spec, .random = spec->seed, .best_s = initial_s};
  *found = (rh_tune_found){0};
  RH_TRY(remember(&s, spec->base, initial_s, error));
  s.known[0].expanded = spec->base == RH_TUNE_OUTSIDE;
  rh_status status = try_space(&s, &found->complete, error);
  choose_finalists(&s, initial_s, found);
  found->measured = s.measured;
  free(s.known);
  return status;
}
