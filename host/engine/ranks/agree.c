#include "agree.h"
#include "../../core/base/error.h"
#include "../../core/base/hash.h"
#include "../../core/base/path.h"
#include "../../core/base/vocabulary.h"
#include "../../core/operation/ops.h"
#include "../../core/run/operand_data.h"
#include "../../operators/custom/custom.h"

#include <float.h>
#include <redhost/plugin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Writing: "WHAT\tVALUE\n" ---- */

void rh_agree_add(rh_text *text, const char *what, const char *value) {
  rh_text_add(text, "%s\t", what);
  size_t begin = text->length;
  rh_text_append(text, value, strlen(value));
  if (text->failed) return;
  for (char *at = text->s + begin; *at; at++)
    if (*at == '\n') *at = '\v'; /* a line's end is that of the value */
  rh_text_append(text, "\n", 1);
}

void rh_agree_add_number(rh_text *text, const char *what, uint64_t number) {
  char value[32];
  snprintf(value, sizeof value, "%llu", (unsigned long long)number);
  rh_agree_add(text, what, value);
}

void rh_agree_add_version(rh_text *text) {
  const char *build = rh_env("REDHOST_BUILD_OPTIONS");
  const uint16_t one = 1;
  char value[96];
  unsigned char first;
  memcpy(&first, &one, 1);
  snprintf(value, sizeof value, "%.60s, plugin ABI %u.%u", rh_version(), RH_ABI_MAJOR,
           RH_ABI_MINOR);
  rh_agree_add(text, "version", value);
  snprintf(value, sizeof value, "%s byte first, long double of %d bits", first ? "low" : "high",
           LDBL_MANT_DIG);
  rh_agree_add(text, "machine", value);
  rh_agree_add(text, "REDHOST_BUILD_OPTIONS", build ? build : "");
}

static void add_constant(rh_text *text, const rh_let *let) {
  char what[64], value[64];
  const rh_expr_value *number = &let->value;
  uint64_t bits;
  memcpy(&bits, &number->as, sizeof bits);
  if (!number->is_float)
    snprintf(value, sizeof value, "%lld", (long long)number->as.i);
  else if (number->as.f == number->as.f)
    snprintf(value, sizeof value, "%.17g as a float", number->as.f);
  else
    snprintf(value, sizeof value, "nan of the bits %llx", (unsigned long long)bits);
  snprintf(what, sizeof what, "constant %.50s", let->name);
  rh_agree_add(text, what, value);
}

void rh_agree_add_job(rh_text *text, const rh_job_spec *job) {
  const rh_custom *own = job->operation.op->is_custom ? rh_custom_of(job->operation.op) : NULL;
  rh_text types = {0};
  for (uint32_t k = 0; k < job->operation.op->n_operands; k++)
    rh_text_add(&types, "%s%s", k ? ", " : "", rh_type_name(job->operation.op->operands[k].type));
  rh_agree_add(text, "operator", job->operation.op->name);
  rh_agree_add(text, "type", rh_text_get(&types));
  for (uint32_t k = 0; own && k < own->n_lets; k++) add_constant(text, &own->lets[k]);
  if (own) rh_agree_add(text, "definition", own->key);
  rh_agree_add(text, "accuracy", job->operation.accuracy ? "exact" : "plain");
  text->failed |= types.failed;
  rh_text_finish(&types);
}

rh_digest rh_agree_digest(const rh_text *text) {
  const char *s = rh_text_get(text);
  return (rh_digest){{rh_hash(0, s, text->length), rh_hash(text->length + 1, s, text->length)}};
}

static uint64_t add_to_hash(uint64_t hash, const char *text) {
  return rh_hash(hash, text, strlen(text) + 1);
}

rh_digest rh_agree_job_digest(const rh_job_spec *job, uint64_t more) {
  const rh_custom *own = job->operation.op->is_custom ? rh_custom_of(job->operation.op) : NULL;
  const char *build = rh_env("REDHOST_BUILD_OPTIONS");
  const uint32_t numbers[] = {job->operation.op->base,
                              job->operation.op->type,
                              job->operation.accuracy,
                              (uint32_t)more,
                              RH_ABI_MAJOR,
                              RH_ABI_MINOR,
                              LDBL_MANT_DIG};
  rh_digest digest = {{rh_hash(0, numbers, sizeof numbers), job->operation.op->hash}};
  digest.words[0] = add_to_hash(digest.words[0], rh_version());
  if (build) digest.words[0] = add_to_hash(digest.words[0], build);
  for (uint32_t k = 0; own && k < own->n_lets; k++) {
    const rh_expr_value *value = &own->lets[k].value;
    const uint64_t words[] = {(uint64_t)value->is_float, (uint64_t)value->as.i};
    digest.words[1] = rh_hash(digest.words[1], words, sizeof words);
  }
  return digest;
}

/* ---- Comparing ---- */

rh_status rh_agree_digests(rh_ranks *ranks, const rh_text *mine, int *differ, rh_error *error) {
  const rh_digest digest = rh_agree_digest(mine);
  if (mine->failed) return rh_fail(error, RH_E_NOMEM, "no memory for what the ranks say");
  rh_digest *all = calloc(ranks->place.size, sizeof *all);
  if (!all) return rh_fail(error, RH_E_NOMEM, "no memory for what the ranks say");
  rh_status status = rh_ranks_gather(ranks, &digest, sizeof digest, all, error);
  for (uint32_t r = 0; r < ranks->place.size && status == RH_OK; r++)
    *differ |= memcmp(&all[r], &all[0], sizeof *all) != 0;
  free(all);
  return status;
}

typedef struct comparison {
  char *first; /* of rank 0 */
  rh_difference *found;
} comparison;

/* Of a line, what stands around its character `at`; untrusted. */
static void take_line(char *what, size_t what_bytes, char *value, size_t bytes, const char *line,
                      size_t at) {
  enum { BEFORE = 24 };
  size_t key = strcspn(line, "\t\n");
  const char *begin = line + key + (line[key] == '\t');
  size_t length = strcspn(begin, "\n");
  size_t offset = (size_t)(begin - line), into = at > offset ? at - offset : 0;
  size_t skip = length < bytes || into < BEFORE ? 0 : into - BEFORE;
  snprintf(what, what_bytes, "%.*s", (int)key, line);
  snprintf(value, bytes, "%s%.*s", skip ? "..." : "", (int)(length - skip), begin + skip);
  rh_make_plain(what);
  rh_make_plain(value);
}

static void find_difference(const char *a, const char *b, rh_difference *found) {
  const char *line = a;
  size_t at = 0;
  while (a[at] && a[at] == b[at])
    if (a[at++] == '\n') line = a + at;
  size_t before = (size_t)(line - a), into = at - before;
  take_line(found->what, sizeof found->what, found->values[0], sizeof found->values[0], line, into);
  take_line(found->other, sizeof found->other, found->values[1], sizeof found->values[1],
            b + before, into);
}

int rh_agree_differ(const char *a, const char *b, rh_difference *found) {
  *found = (rh_difference){0};
  if (strcmp(a, b) == 0) return 0;
  find_difference(a, b, found);
  return 1;
}

static rh_status take_text(void *of_comparison, uint32_t rank, const void *theirs, uint64_t bytes,
                           rh_error *error) {
  comparison *c = of_comparison;
  if (c->found->rank) return RH_OK;
  char *text = strndup(theirs, bytes);
  if (!text) return rh_fail(error, RH_E_NOMEM, "no memory for what the ranks say");
  if (rank == 0) {
    c->first = text;
    return RH_OK;
  }
  if (strcmp(text, c->first) != 0) {
    c->found->rank = rank;
    find_difference(c->first, text, c->found);
  }
  free(text);
  return RH_OK;
}

rh_status rh_agree_compare(rh_ranks *ranks, const rh_text *mine, rh_difference *found,
                           rh_error *error) {
  comparison c = {NULL, found};
  *found = (rh_difference){0};
  rh_status status =
      rh_ranks_gather_any(ranks, rh_text_get(mine), mine->length + 1, take_text, &c, error);
  free(c.first);
  return status;
}

rh_status rh_agree_fail(const rh_ranks *ranks, const rh_difference *found, rh_error *error) {
  int is_same = strcmp(found->what, found->other) == 0;
  return rh_fail(error, RH_E_USAGE,
                 "rank 0 (host %s) and rank %u (host %s) are asked for different reductions: %s "
                 "'%s' and %s%s'%s'; start all with the same request",
                 ranks->hosts[0], found->rank, ranks->hosts[found->rank], found->what,
                 found->values[0], is_same ? "" : found->other, is_same ? "" : " ",
                 found->values[1]);
}
