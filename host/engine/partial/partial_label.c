#include "partial_label.h"
#include "../../core/base/error.h"
#include "../../core/base/vocabulary.h"
#include "../../operators/custom/told.h"
#include "../ranks/agree.h"
#include "accuracy.h"

#include <stdlib.h>
#include <string.h>

static const char *const checks[] = {"full", "sampled", "none"};

rh_status rh_partial_describe(rh_partial_texts *texts, const rh_job_spec *job, uint32_t check,
                              const char *strategy, rh_error *error) {
  rh_text text = {0};
  rh_agree_add_version(&text);
  rh_agree_add_job(&text, job);
  rh_agree_add(&text, "check", checks[check]);
  rh_agree_add(&text, "strategy", strategy ? strategy : "of the canonical order");
  *texts = (rh_partial_texts){text.s, job->operation.op->is_custom
                                          ? rh_custom_tell(rh_custom_of(job->operation.op))
                                          : strdup("")};
  if (!text.failed && texts->own) return RH_OK;
  return rh_fail(error, RH_E_NOMEM, "no memory for the description of a part");
}

rh_partial_label rh_partial_label_of(const rh_partial_texts *texts) {
  return (rh_partial_label){texts->text, texts->own};
}

void rh_partial_texts_finish(rh_partial_texts *texts) {
  free(texts->text);
  free(texts->own);
  *texts = (rh_partial_texts){0};
}

/* ---- What a part may be ---- */

int rh_partial_order_decides(const rh_job_spec *job) {
  if (job->operation.accuracy) return 0;
  if (job->operation.op->is_struct) return !(job->operation.op->abi->flags & RH_OP_EXACT);
  return rh_op_rounds(job->operation.op->base, job->operation.op->type);
}

/* Then nobody but the part's device can reduce a tile of it. */
static int differs_by_device(const rh_operator *op) {
  const rh_custom *custom = rh_custom_of(op);
  int has_float = 0;
  if (!op->is_struct) return op->map_error != 0;
  if (!op->is_code) return !rh_exprs_is_exact(custom->load);
  for (uint32_t k = 0; k < custom->n_fields; k++)
    has_float |= rh_type_is_float(custom->fields[k].type);
  return has_float;
}

rh_status rh_partial_check_part(const rh_job_spec *job, uint64_t first, uint64_t n,
                                uint64_t *whole_n, rh_error *error) {
  uint64_t tile = rh_partial_tile(job);
  if (n > UINT64_MAX / 2 || first > UINT64_MAX / 2)
    return rh_fail(error, RH_E_USAGE, "the part ends behind element 2^63");
  if (first + n > *whole_n)
    return rh_fail(error, RH_E_USAGE,
                   "the part ends before element %llu, and the whole has %llu elements",
                   (unsigned long long)(first + n), (unsigned long long)*whole_n);
  if (*whole_n == UINT64_MAX && job->operation.op->count_slot >= 0)
    return rh_fail(error, RH_E_USAGE,
                   "the map uses n, the number of elements of the whole, which is not known");
  if (job->operation.accuracy || !differs_by_device(job->operation.op)) return RH_OK;
  if (first % tile)
    return rh_fail(error, RH_E_USAGE,
                   "%s other bits on other devices, so a part has to begin at a multiple of %llu "
                   "elements, and element %llu is none",
                   job->operation.op->is_code ? "OpenCL C has" : "functions of the map have",
                   (unsigned long long)tile, (unsigned long long)first);
  if ((first + n) % tile == 0) return RH_OK;
  if (*whole_n != UINT64_MAX && *whole_n != first + n)
    return rh_fail(error, RH_E_USAGE,
                   "%s other bits on other devices, so a part has to end at a multiple of %llu "
                   "elements, or with the whole, and element %llu is neither",
                   job->operation.op->is_code ? "OpenCL C has" : "functions of the map have",
                   (unsigned long long)tile, (unsigned long long)(first + n));
  *whole_n = first + n;
  return RH_OK;
}

/* ---- Reading ---- */

/* The value of a line, or "". */
static void find_line(const char *text, const char *what, char *value, size_t bytes) {
  size_t length = strlen(what);
  *value = 0;
  for (const char *line = text; line && *line; line = strchr(line, '\n')) {
    line += *line == '\n';
    if (strncmp(line, what, length) != 0 || line[length] != '\t') continue;
    const char *from = line + length + 1;
    size_t n = strcspn(from, "\n");
    if (n < bytes) {
      memcpy(value, from, n);
      value[n] = 0;
    }
    return;
  }
}

static rh_status find_operator(rh_job_spec *job, rh_custom **own, const rh_partial_label *label,
                               rh_error *error) {
  char value[64];
  if (*label->own) {
    RH_TRY(rh_custom_hear(own, label->own, error));
    rh_custom_take_base(*own);
    job->operation.op = &(*own)->face;
  } else {
    find_line(label->text, "operator", value, sizeof value);
    uint32_t op = rh_op_from_name(value);
    find_line(label->text, "type", value, sizeof value);
    job->operation.op = rh_operator_builtin(op, rh_type_from_name(value));
    if (!job->operation.op) return rh_fail(error, RH_E_FILE, "there is no such operator");
  }
  find_line(label->text, "accuracy", value, sizeof value);
  return strcmp(value, "exact") == 0 ? rh_accuracy_ask(job, *own, error) : RH_OK;
}

/* What this redhost would write of the same. */
static rh_status compare_own(const rh_job_spec *job, const rh_partial_about *about,
                             rh_error *error) {
  rh_partial_texts mine = {0};
  char strategy[512];
  find_line(about->label.text, "strategy", strategy, sizeof strategy);
  rh_status status = rh_partial_describe(&mine, job, about->check, strategy, error);
  const rh_partial_label label = rh_partial_label_of(&mine);
  if (status == RH_OK)
    status = rh_partial_compare("the partial", &about->label, "this redhost", &label, error);
  rh_partial_texts_finish(&mine);
  return status;
}

rh_status rh_partial_job(rh_job_spec *job, rh_custom **own, const rh_partial_about *about,
                         rh_error *error) {
  char version[128], mine[128];
  rh_text text = {0};
  rh_error why = {0};
  *job = (rh_job_spec){.strategy = "auto"};
  *own = NULL;
  find_line(about->label.text, "version", version, sizeof version);
  rh_agree_add_version(&text);
  find_line(rh_text_get(&text), "version", mine, sizeof mine);
  rh_text_finish(&text);
  rh_status status = find_operator(job, own, &about->label, &why);
  if (status != RH_OK && strcmp(version, mine) == 0)
    return rh_fail(error, RH_E_FILE, "the partial's operator cannot be made: %.800s", why.message);
  if (status != RH_OK)
    return rh_fail(error, RH_E_FILE, "the partial is of redhost %.100s, and this is %s",
                   rh_quotable(version), mine);
  return compare_own(job, about, error);
}

rh_status rh_partial_compare(const char *a, const rh_partial_label *of_a, const char *b,
                             const rh_partial_label *of_b, rh_error *error) {
  rh_difference found;
  if (!rh_agree_differ(of_a->text, of_b->text, &found) &&
      !rh_agree_differ(of_a->own, of_b->own, &found))
    return RH_OK;
  int is_same = strcmp(found.what, found.other) == 0;
  return rh_fail(error, RH_E_FILE, "%.300s and %.300s do not go together: %s '%s' and %s%s'%s'", a,
                 b, found.what, found.values[0], is_same ? "" : found.other, is_same ? "" : " ",
                 found.values[1]);
}
