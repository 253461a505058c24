#include "ranks.h"

rh_digest rh_agree_digest(const char *text) {
  size_t length = strlen(text);
  return (rh_digest){{rh_hash(0, text, length), rh_hash(length + 1, text, length)}};
}

static rh_status compare_digests(rh_ranks *ranks, const char *mine, int *differ, rh_error *error) {
  const rh_digest digest = rh_agree_digest(mine);
  RH_FREED(rh_digest) all = NULL;
  RH_TRY(RH_NEW(&all, ranks->place.size, "what the ranks say", error));
  RH_TRY(rh_ranks_gather(ranks, &digest, sizeof digest, all, error));
  for (uint32_t r = 0; r < ranks->place.size; r++)
    *differ |= memcmp(&all[r], &all[0], sizeof *all) != 0;
  return RH_OK;
}

typedef struct comparison {
  char *first; /* of rank 0 */
  uint32_t *other;
  rh_difference *found;
} comparison;

static rh_status take_text(void *of_comparison, uint32_t rank, const void *theirs, uint64_t bytes,
                           rh_error *error) {
  comparison *c = of_comparison;
  if (*c->other) return RH_OK;
  char *text = strndup(theirs, bytes);
  if (!text) return rh_fail(error, RH_E_NOMEM, "no memory for what the ranks say");
  if (rank == 0) {
    c->first = text;
    return RH_OK;
  }
  if (rh_operation_differ(c->first, text, c->found)) *c->other = rank;
  free(text);
  return RH_OK;
}

rh_status rh_agree_compare(rh_ranks *ranks, const char *mine, uint32_t *other, rh_difference *found,
                           rh_error *error) {
  comparison c = {NULL, other, found};
  int differ = 0;
  *other = 0;
  RH_TRY(compare_digests(ranks, mine, &differ, error));
  if (!differ) return RH_OK;
  rh_status status = rh_ranks_gather_any(ranks, mine, strlen(mine) + 1, take_text, &c, error);
  free(c.first);
  return status;
}

rh_status rh_agree_fail(const rh_ranks *ranks, uint32_t other, const rh_difference *found,
                        rh_error *error) {
  return rh_fail(error, RH_E_USAGE,
                 "rank 0 (host %s) and rank %u (host %s) are asked for different reductions: %s; "
                 "start all with the same request",
                 ranks->hosts[0], other, ranks->hosts[other], found->words);
}
