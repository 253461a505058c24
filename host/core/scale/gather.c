#include "gather.h"
#include "../base/error.h"
#include "../reduce/accuracy.h"
#include "../reduce/by_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a rank gives: this, its check if there is one, and its nodes. */
typedef struct head {
  char strategy[64];
} head;

typedef struct gathering {
  rh_whole *whole;
  const rh_job_spec *job;
} gathering;

static uint64_t check_bytes(int checked) {
  return checked ? sizeof(rh_share_check) : 0;
}

rh_status rh_part_write(const rh_share *part, int checked, void **made, uint64_t *bytes,
                        rh_error *error) {
  head first = {0};
  uint64_t before = sizeof first + check_bytes(checked);
  *bytes = before + rh_fold_bytes(&part->fold);
  char *to = *made = malloc(*bytes);
  if (!to) return rh_fail(error, RH_E_NOMEM, "no memory for a part's values");
  memcpy(first.strategy, part->strategy, sizeof first.strategy);
  memcpy(to, &first, sizeof first);
  memcpy(to + sizeof first, &part->check, check_bytes(checked));
  rh_fold_write(&part->fold, to + before);
  return RH_OK;
}

rh_status rh_part_read(rh_share *part, const rh_job_spec *job, int checked, const void *bytes,
                       uint64_t n, rh_error *error) {
  head first;
  uint64_t before = sizeof first + check_bytes(checked);
  if (n < before) return rh_fail(error, RH_E_INVALID, "the values of a part are cut short");
  memcpy(&first, bytes, sizeof first);
  rh_share_begin(part, job);
  snprintf(part->strategy, sizeof part->strategy, "%.63s", first.strategy);
  memcpy(&part->check, (const char *)bytes + sizeof first, check_bytes(checked));
  return rh_fold_read(&part->fold, (const char *)bytes + before, n - before, error);
}

static rh_status take_part(void *of_gathering, uint32_t rank, const void *bytes, uint64_t n,
                           rh_error *error) {
  const gathering *gathered = of_gathering;
  rh_whole *whole = gathered->whole;
  rh_share_check check;
  head first;
  const char *at = bytes;
  uint64_t before = sizeof first + check_bytes(whole->checked);
  if (n < before) return rh_fail(error, RH_E_INVALID, "the values of rank %u are cut short", rank);
  memcpy(&first, at, sizeof first);
  if (!whole->strategy[0])
    snprintf(whole->strategy, sizeof whole->strategy, "%.63s", first.strategy);
  if (whole->checked) {
    memcpy(&check, at + sizeof first, sizeof check);
    rh_part_check_add(gathered->job, &whole->check, &check);
  }
  return rh_fold_read(&whole->fold, at + before, n - before, error);
}

rh_status rh_whole_gather(rh_whole *whole, rh_ranks *ranks, const rh_job_spec *job,
                          const rh_share *part, int checked, rh_error *error) {
  void *mine;
  uint64_t bytes;
  gathering gathered = {whole, job};
  *whole = (rh_whole){.checked = checked};
  rh_exact_prod_init(&whole->check.prod);
  rh_fold_init(&whole->fold, rh_share_op(job));
  RH_TRY(rh_part_write(part, checked, &mine, &bytes, error));
  rh_status status = rh_ranks_gather_any(ranks, mine, bytes, take_part, &gathered, error);
  free(mine);
  return status;
}

void rh_whole_finish(rh_whole *whole) {
  rh_fold_finish(&whole->fold);
}

rh_status rh_whole_conclude(const rh_whole *whole, const rh_job_spec *job, rh_result *result,
                            rh_reference *reference, rh_verdict *verdict, rh_error *error) {
  _Alignas(16) unsigned char value[RH_ANY_VALUE_BYTES] = {0};
  RH_TRY(rh_fold_value(&whole->fold, value, error));
  RH_TRY(rh_by_code_status(job->op, error)); /* where a device combined them */
  rh_job_result(job, whole->strategy, value, result);
  if (whole->checked) rh_share_judge(job, &whole->check, result, reference, verdict);
  if (whole->checked && verdict->verdict == RH_VERDICT_WRONG)
    return rh_fail(error, RH_E_WRONG, "wrong result: %s", verdict->text);
  rh_accuracy_take(job, reference, result);
  return RH_OK;
}
