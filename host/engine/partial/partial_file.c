#include "partial.h"

#include <float.h>

static const unsigned char magic[8] = {0x8f, 'R', 'H', 'P', 'A', 'R', 'T', '\n'};
static const uint32_t order = 0x01020304;

typedef struct head {
  unsigned char magic[8];
  uint32_t version, order, mantissa, check;
  uint64_t size, checksum; /* of all but this number; 0: none */
  uint64_t text_bytes;
  uint64_t first, n, whole_n;
  uint64_t tile, value_size, n_values, element_bytes;
  uint64_t n_nodes, n_edges;
} head;

_Static_assert(sizeof(head) == RH_PARTIAL_HEAD_BYTES, "docs/inside/partial-file.md has it");

uint64_t rh_partial_file_bytes(const void *begin, uint64_t n) {
  head first;
  if (n < sizeof first || memcmp(begin, magic, sizeof magic) != 0) return 0;
  memcpy(&first, begin, sizeof first);
  return first.size;
}

static uint64_t checksum_of(const unsigned char *bytes, uint64_t size) {
  uint64_t at = offsetof(head, checksum), after = at + sizeof(uint64_t);
  uint64_t hash = rh_hash(0, bytes, at);
  hash = rh_hash(hash, bytes + after, size - after);
  return hash ? hash : 1;
}

/* ---- The facts, one after the other, either way ---- */

typedef struct stream {
  rh_text *to; /* null: reading */
  const unsigned char *from;
  uint64_t left;
  int failed;
} stream;

static void pass(stream *s, void *field, uint64_t bytes) {
  if (s->to) {
    rh_text_append(s->to, field, bytes);
    return;
  }
  if (s->failed || bytes > s->left) {
    s->failed = 1;
    return;
  }
  memcpy(field, s->from, bytes);
  s->from += bytes;
  s->left -= bytes;
}

static void pass_u32(stream *s, uint32_t *field) {
  uint64_t word = *field;
  pass(s, &word, sizeof word);
  s->failed |= word > UINT32_MAX;
  *field = (uint32_t)word;
}

/* 16 bytes, of which those behind the number are 0. */
static void pass_long(stream *s, long double *field) {
  enum { BYTES = LDBL_MANT_DIG == 64 ? 10 : sizeof *field };
  unsigned char bytes[16] = {0};
  memcpy(bytes, field, BYTES);
  pass(s, bytes, sizeof bytes);
  memcpy(field, bytes, BYTES);
}

/* Structs of numbers of 8 bytes pass as they lie in memory. */
_Static_assert(sizeof(rh_enclosed) == 6 * 8 && sizeof(rh_exact_sum) == (2 * RH_FIXED_LIMBS + 5) * 8,
               "docs/inside/partial-file.md has them");

/* Far beyond any product's, and far from where sums of such exponents would overflow. */
#define MOST_EXPONENT ((int64_t)1 << 52)

static void pass_prod(stream *s, rh_exact_prod *prod) {
  pass_long(s, &prod->magnitude.mantissa);
  pass(s, &prod->magnitude.exponent, sizeof prod->magnitude.exponent);
  s->failed |=
      prod->magnitude.exponent > MOST_EXPONENT || prod->magnitude.exponent < -MOST_EXPONENT;
  pass(s, &prod->n, 6 * 8); /* and what follows it */
}

static void pass_field(stream *s, rh_field_sum *sum) {
  pass_long(s, &sum->sum);
  pass_long(s, &sum->positive);
  pass_long(s, &sum->negative);
  pass_long(s, &sum->lost);
  pass(s, &sum->specials, sizeof sum->specials);
  pass(s, &sum->enclosed, sizeof sum->enclosed);
}

static void pass_verdict(stream *s, rh_verdict *verdict) {
  uint64_t words[3] = {(uint64_t)verdict->verdict, (uint64_t)verdict->weak, verdict->depth};
  pass(s, words, sizeof words);
  s->failed |= words[0] > RH_VERDICT_UNJUDGED || words[1] > 1;
  verdict->verdict = (int)words[0];
  verdict->weak = (int)words[1];
  verdict->depth = words[2];
  pass(s, &verdict->error, 3 * 8); /* and what follows it */
  pass(s, verdict->text, sizeof verdict->text);
}

static void pass_facts(stream *s, rh_partial *partial) {
  const rh_operator *op = partial->job->operation.op;
  rh_reference *facts = &partial->facts;
  pass(s, partial->strategy, sizeof partial->strategy);
  pass(s, &partial->strategy_first, sizeof partial->strategy_first);
  pass(s, &partial->chunks, 4 * 8); /* and what follows it */
  pass_u32(s, &partial->depth_unknown);
  pass_u32(s, &partial->flushes);
  if (partial->check == RH_CHECK_SAMPLED) pass_verdict(s, &partial->worst);
  if (partial->check != RH_CHECK_FULL) return;
  pass(s, &facts->n, sizeof facts->n);
  pass_u32(s, &facts->sampled.n_orders);
  for (uint32_t k = 0; op->is_struct && k < rh_custom_of(op)->n_fields; k++)
    pass_field(s, &facts->sums[k]);
  if (op->is_struct) return;
  pass(s, &facts->sum, sizeof facts->sum);
  pass_prod(s, &facts->prod);
  pass(s, &facts->enclosed, sizeof facts->enclosed);
}

/* ---- Writing ---- */

static uint64_t element_bytes(const rh_job_spec *job) { return rh_edge_bytes(job, 16) / 16; }

static void write_nodes(rh_text *to, const rh_fold *fold) {
  for (uint32_t k = 0; k < fold->n; k++) {
    const unsigned char *values = rh_fold_values(fold, k);
    const rh_fold_node *node = &fold->nodes[k];
    const uint64_t words[] = {node->first >> node->level, node->level};
    rh_text_append(to, (const char *)words, sizeof words);
    for (uint32_t v = 0; v < fold->n_values; v++)
      rh_text_append(to, (const char *)values + v * fold->stride, fold->op->value_size);
  }
}

static void write_edges(rh_text *to, const rh_partial *partial) {
  for (uint32_t k = 0; k < partial->n_edges; k++) {
    const rh_edge *edge = &partial->edges[k];
    const uint64_t words[] = {edge->first, edge->n};
    rh_text_append(to, (const char *)words, sizeof words);
    rh_text_append(to, (const char *)edge->bytes, rh_edge_bytes(partial->job, edge->n));
  }
}

static head head_of(const rh_partial *partial, const char *text) {
  head first = {.version = RH_PARTIAL_VERSION,
                .order = order,
                .mantissa = LDBL_MANT_DIG,
                .check = partial->check,
                .text_bytes = text ? strlen(text) + 1 : 0,
                .first = rh_partial_first(partial),
                .n = rh_partial_count(partial),
                .whole_n = partial->whole_n,
                .tile = partial->fold.unit,
                .value_size = partial->fold.op->value_size,
                .n_values = partial->fold.n_values,
                .element_bytes = element_bytes(partial->job),
                .n_nodes = partial->fold.n,
                .n_edges = partial->n_edges};
  memcpy(first.magic, magic, sizeof magic);
  return first;
}

rh_status rh_partial_write(const rh_partial *partial, const char *text, void **bytes,
                           uint64_t *size, rh_error *error) {
  rh_partial copy = *partial; /* passing writes back what it reads */
  rh_text to = {0};
  stream s = {.to = &to};
  head first = head_of(partial, text);
  rh_text_append(&to, (const char *)&first, sizeof first);
  if (text) rh_text_append(&to, text, first.text_bytes);
  pass_facts(&s, &copy);
  write_nodes(&to, &partial->fold);
  write_edges(&to, partial);
  if (to.failed) {
    rh_text_finish(&to);
    return rh_fail(error, RH_E_NOMEM, "no memory for what a part comes to");
  }
  first.size = *size = to.length;
  *bytes = to.s;
  memcpy(*bytes, &first, sizeof first);
  if (text) first.checksum = checksum_of(*bytes, *size);
  memcpy(*bytes, &first, sizeof first);
  return RH_OK;
}

/* ---- Reading ---- */

static rh_status check_machine(const head *first, uint64_t size, rh_error *error) {
  if (memcmp(first->magic, magic, sizeof magic) != 0)
    return rh_fail(error, RH_E_FILE, "this is not a partial that redhost wrote");
  if (first->order != order)
    return rh_fail(error, RH_E_FILE,
                   "the partial is of a machine of the other byte order; merge it there");
  if (first->version != RH_PARTIAL_VERSION)
    return rh_fail(error, RH_E_FILE,
                   "the partial has version %u of the format, and this redhost reads version %d",
                   first->version, RH_PARTIAL_VERSION);
  if (first->mantissa != LDBL_MANT_DIG)
    return rh_fail(error, RH_E_FILE,
                   "the partial is of a machine whose long double has %u bits, and this one's has "
                   "%d; merge it there",
                   first->mantissa, LDBL_MANT_DIG);
  if (first->size != size)
    return rh_fail(error, RH_E_FILE, "the partial is %s: it has %llu bytes instead of %llu",
                   size < first->size ? "cut short" : "damaged", (unsigned long long)size,
                   (unsigned long long)first->size);
  return RH_OK;
}

static rh_status damaged(rh_error *error) {
  return rh_fail(error, RH_E_FILE, "the partial is damaged");
}

static rh_status read_head(head *first, const unsigned char *bytes, uint64_t size,
                           rh_error *error) {
  memset(first, 0, sizeof *first);
  memcpy(first, bytes, size < sizeof *first ? size : sizeof *first);
  uint64_t known = size < sizeof magic ? size : sizeof magic;
  if (size < sizeof *first && memcmp(bytes, magic, known) == 0)
    return rh_fail(error, RH_E_FILE, "the partial is cut short: it has %llu bytes",
                   (unsigned long long)size);
  RH_TRY(check_machine(first, size, error));
  if (first->text_bytes > size - sizeof *first ||
      (first->checksum && first->checksum != checksum_of(bytes, size)))
    return damaged(error);
  return RH_OK;
}

/* A text ends with a null, and has no other. */
static int is_text(const char *text, uint64_t bytes) {
  return bytes > 0 && memchr(text, 0, bytes) == text + bytes - 1;
}

/* *text: all that partials must have in common to be merged. */
static rh_status read_text(const char **text, const void *bytes, uint64_t size, rh_error *error) {
  head first;
  RH_TRY(read_head(&first, bytes, size, error));
  *text = (const char *)bytes + sizeof first;
  return is_text(*text, first.text_bytes) && first.checksum ? RH_OK : damaged(error);
}

static rh_status check_same(const rh_partial *partial, const head *first, rh_error *error) {
  const rh_fold *fold = &partial->fold;
  if (first->check == partial->check && first->tile == fold->unit &&
      first->value_size == fold->op->value_size && first->n_values == fold->n_values &&
      first->element_bytes == element_bytes(partial->job))
    return RH_OK;
  return rh_fail(error, RH_E_FILE, "the partial is of another operator or check");
}

static rh_status read_nodes(rh_partial *partial, stream *s, uint64_t n, rh_error *error) {
  unsigned char values[(1 + RH_MOST_ORDERS) * RH_ANY_VALUE_BYTES];
  rh_fold *fold = &partial->fold;
  uint64_t size = fold->op->value_size;
  for (uint64_t k = 0; k < n; k++) {
    uint64_t words[2] = {0};
    pass(s, words, sizeof words);
    pass(s, values, fold->n_values * size);
    if (s->failed || words[1] > 63 || words[0] > (UINT64_MAX / fold->unit) >> words[1])
      return damaged(error);
    const rh_fold_node node = {words[0] << words[1], (uint32_t)words[1]};
    RH_TRY(rh_fold_add(fold, &node, values, size, 0, error));
  }
  return RH_OK;
}

static rh_status read_edges(rh_partial *partial, stream *s, uint64_t n, rh_error *error) {
  const void *operands[RH_MOST_OPERANDS];
  for (uint64_t k = 0; k < n; k++) {
    uint64_t words[2] = {0};
    pass(s, words, sizeof words);
    if (s->failed || words[1] == 0 || words[1] > partial->fold.unit ||
        rh_edge_bytes(partial->job, words[1]) > s->left)
      return damaged(error);
    const rh_edge edge = {words[0], words[1], (unsigned char *)(uintptr_t)s->from};
    rh_edge_operands(partial, &edge, operands);
    RH_TRY(rh_partial_add_edge(partial, edge.first, edge.n, operands, error));
    s->from += rh_edge_bytes(partial->job, words[1]);
    s->left -= rh_edge_bytes(partial->job, words[1]);
  }
  return RH_OK;
}

static rh_status check_read(const rh_partial *partial, const head *first, const stream *s,
                            rh_error *error) {
  const char *strategy = partial->strategy;
  if (s->failed || s->left || !memchr(strategy, 0, sizeof partial->strategy) ||
      !memchr(partial->worst.text, 0, sizeof partial->worst.text) ||
      !rh_is_plain_utf8(strategy, strlen(strategy)) ||
      !rh_is_plain_utf8(partial->worst.text, strlen(partial->worst.text)) ||
      partial->facts.sampled.n_orders > RH_MOST_ORDERS || partial->depth > INT32_MAX ||
      partial->depth_unknown > 1 || partial->flushes > 1 ||
      first->first != rh_partial_first(partial) || first->n != rh_partial_count(partial) ||
      rh_partial_end(partial) > first->whole_n)
    return damaged(error);
  return RH_OK;
}

static rh_status read_all(rh_partial *to, const head *first, const unsigned char *bytes,
                          rh_error *error) {
  uint64_t before = sizeof *first + first->text_bytes;
  stream s = {.from = bytes + before, .left = first->size - before};
  pass_facts(&s, to);
  RH_TRY(read_nodes(to, &s, first->n_nodes, error));
  RH_TRY(read_edges(to, &s, first->n_edges, error));
  return check_read(to, first, &s, error);
}

/* Adds what was written, by merging.  Accepts any bytes.  RH_E_FILE if they are not of the
 * partial's operator and check, or damaged; RH_E_INVALID if both have an element. */
static rh_status add(rh_partial *partial, const void *bytes, uint64_t size, rh_error *error) {
  rh_error why = {0};
  head first;
  RH_TRY(read_head(&first, bytes, size, error));
  RH_TRY(check_same(partial, &first, error));
  RH_FINISHED(rh_partial) other;
  rh_partial_init(&other, partial->job, first.whole_n, partial->check);
  rh_status status = read_all(&other, &first, bytes, &why);
  if (status == RH_OK) return rh_partial_merge(partial, &other, error);
  return status == RH_E_NOMEM ? rh_fail(error, status, "%s", why.message) : damaged(error);
}

/* ---- Several, one after the other ---- */

/* The operator again. */
static rh_status read_job(rh_job_spec *job, rh_custom **own, const char *text, rh_error *error) {
  rh_error why = {0};
  *job = (rh_job_spec){.strategy = "auto"};
  rh_status status = rh_operation_read(&job->operation, own, text, &why);
  if (*own) rh_custom_take_base(*own);
  if (status == RH_OK && job->operation.accuracy) status = rh_accuracy_ask(job, *own, &why);
  if (status == RH_OK) return RH_OK;
  return rh_fail(error, status == RH_E_NOMEM ? status : RH_E_FILE,
                 "the partial is not one of this redhost: %.800s", why.message);
}

/* The first one says what all are of. */
static rh_status begin(rh_merger *merger, rh_context *context, const char *name, const char *text,
                       rh_error *error) {
  RH_TRY(read_job(&merger->job, &merger->own, text, error));
  RH_TRY(rh_by_code_prepare(merger->job.operation.op, context, error));
  snprintf(merger->first, sizeof merger->first, "%s", name);
  RH_TRY(rh_copy(&merger->text, text, "the description of a part", error));
  rh_partial_init(&merger->all, &merger->job, UINT64_MAX, merger->job.operation.check);
  return RH_OK;
}

rh_status rh_merger_add(rh_merger *merger, rh_context *context, const char *name, const void *bytes,
                        uint64_t size, rh_error *error) {
  const char *text;
  rh_difference found;
  rh_error why = {0};
  rh_status status = read_text(&text, bytes, size, &why);
  if (status == RH_OK && !merger->text) status = begin(merger, context, name, text, &why);
  else if (status == RH_OK && rh_operation_differ(merger->text, text, &found))
    return rh_fail(error, RH_E_FILE, "%.300s and %.300s do not go together: %s", merger->first,
                   name, found.words);
  if (status == RH_OK) status = add(&merger->all, bytes, size, &why);
  if (status == RH_OK) return RH_OK;
  return rh_fail(error, status == RH_E_INVALID ? RH_E_FILE : status, "%.200s: %.800s", name,
                 why.message);
}

rh_status rh_merger_conclude(rh_merger *merger, rh_result *result, rh_reference *reference,
                             rh_verdict *verdict, rh_error *error) {
  rh_partial *all = &merger->all;
  rh_error why = {0};
  if (rh_partial_count(all) == 0 && merger->job.operation.op->needs_an_element)
    return rh_fail(error, RH_E_FILE, "%s of no elements is undefined, and no part has any",
                   merger->job.operation.op->name);
  rh_status status = rh_partial_conclude(all, result, reference, verdict, &why);
  merger->job.operation.n = all->whole_n;
  merger->job.strategy = all->strategy;
  if (status == RH_OK && all->check != RH_CHECK_NONE)
    rh_exact_data_settle(verdict, "the data are in parts");
  if (status == RH_OK) return RH_OK;
  return rh_fail(error, status == RH_E_INVALID ? RH_E_FILE : status, "%s", why.message);
}

void rh_merger_finish(rh_merger *merger) {
  rh_partial_finish(&merger->all);
  free(merger->text);
  rh_custom_destroy(merger->own);
  *merger = (rh_merger){0};
}

/* ---- Of ranks ---- */

static rh_status take_partial(void *all, uint32_t rank, const void *bytes, uint64_t n,
                              rh_error *error) {
  rh_error why = {0};
  rh_status status = add(all, bytes, n, &why);
  if (status == RH_OK) return RH_OK;
  return rh_fail(error, RH_E_INVALID, "the values of rank %u: %.800s", rank, why.message);
}

rh_status rh_partial_gather(rh_partial *all, const rh_partial *mine, rh_ranks *ranks,
                            rh_error *error) {
  RH_FREED(void) bytes = NULL;
  uint64_t n;
  RH_TRY(rh_partial_write(mine, NULL, &bytes, &n, error));
  return rh_ranks_gather_any(ranks, bytes, n, take_partial, all, error);
}
