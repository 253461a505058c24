#include "seam.h"
#include "../base/error.h"
#include "../base/vocabulary.h"
#include "../reduce/operand_data.h"
#include "share.h"

#include <stdlib.h>
#include <string.h>

static uint64_t operand_size(const rh_seam *seam, uint32_t k) {
  return rh_type_size(seam->job->op->operands[k].type);
}

static uint64_t element_bytes(const rh_seam *seam) {
  uint64_t bytes = 0;
  for (uint32_t k = 0; k < seam->job->op->n_operands; k++) bytes += operand_size(seam, k);
  return bytes;
}

/* ---- Where everything is ---- */

rh_status rh_seam_init(rh_seam *seam, const rh_job_spec *job, uint32_t size, rh_error *error) {
  *seam = (rh_seam){.job = job, .tile = rh_share_tile(job)};
  seam->starts = calloc((size_t)size + 1, sizeof *seam->starts);
  seam->memory = malloc(2 * seam->tile * element_bytes(seam));
  if (!seam->starts || !seam->memory)
    return rh_fail(error, RH_E_NOMEM, "no memory for a tile between ranks");
  char *at = seam->memory;
  /* Operands of any order are aligned: a tile of each is a multiple of 64 bytes. */
  for (uint32_t k = 0; k < job->op->n_operands; k++) {
    seam->operands[k] = at;
    at += seam->tile * operand_size(seam, k);
  }
  seam->given = at;
  return RH_OK;
}

void rh_seam_finish(rh_seam *seam) {
  free(seam->starts);
  free(seam->memory);
  *seam = (rh_seam){0};
}

/* The first tile that begins at an element or behind it. */
static uint64_t tile_from(const rh_seam *seam, uint64_t element) {
  return element / seam->tile + (element % seam->tile != 0);
}

/* The elements of a rank that belong to a tile of a rank before it. */
static uint64_t given_by(const rh_seam *seam, uint32_t rank) {
  uint64_t begin = seam->starts[rank], n = seam->starts[rank + 1] - begin;
  uint64_t before = begin % seam->tile ? seam->tile - begin % seam->tile : 0;
  return n < before ? n : before;
}

void rh_seam_place(rh_seam *seam, uint32_t rank) {
  uint64_t whole = seam->job->n, end = seam->starts[rank + 1];
  seam->first_tile = tile_from(seam, seam->starts[rank]);
  seam->tiles = tile_from(seam, end) - seam->first_tile;
  seam->is_cut = seam->tiles > 0 && end % seam->tile != 0 && end < whole;
}

/* ---- Joining ---- */

typedef struct joint {
  rh_seam *seam;
  uint32_t rank;
} joint;

static void put(rh_seam *seam, uint64_t at, uint64_t n, const void *const *from) {
  for (uint32_t k = 0; k < seam->job->op->n_operands; k++) {
    uint64_t size = operand_size(seam, k);
    memcpy((char *)seam->operands[k] + at * size, from[k], n * size);
  }
}

static rh_status take_given(void *of_joint, uint32_t rank, const void *theirs, uint64_t bytes,
                            rh_error *error) {
  const joint *self = of_joint;
  rh_seam *seam = self->seam;
  const void *from[RH_MOST_OPERANDS];
  uint64_t last = (seam->first_tile + seam->tiles - 1) * seam->tile, n = given_by(seam, rank);
  if (bytes != n * element_bytes(seam))
    return rh_fail(error, RH_E_INVALID, "rank %u gives %llu bytes of a tile instead of %llu", rank,
                   (unsigned long long)bytes, (unsigned long long)(n * element_bytes(seam)));
  int is_mine = seam->is_cut && rank > self->rank && seam->starts[rank] - last < seam->tile;
  if (!is_mine || n == 0) return RH_OK;
  for (uint32_t k = 0; k < seam->job->op->n_operands; k++) {
    from[k] = theirs;
    theirs = (const char *)theirs + n * operand_size(seam, k);
  }
  put(seam, seam->starts[rank] - last, n, from);
  return RH_OK;
}

static void put_own(rh_seam *seam, uint32_t rank, const void *const *data) {
  const void *from[RH_MOST_OPERANDS];
  uint64_t last = (seam->first_tile + seam->tiles - 1) * seam->tile;
  uint64_t before = last - seam->starts[rank];
  for (uint32_t k = 0; k < seam->job->op->n_operands; k++)
    from[k] = (const char *)data[k] + before * operand_size(seam, k);
  put(seam, 0, seam->starts[rank + 1] - last, from);
}

static int is_needed(const rh_seam *seam, uint32_t size) {
  for (uint32_t r = 0; r < size; r++)
    if (given_by(seam, r)) return 1;
  return 0;
}

rh_status rh_seam_join(rh_seam *seam, rh_ranks *ranks, const void *const *data, rh_error *error) {
  uint32_t rank = ranks->place.rank;
  joint self = {seam, rank};
  uint64_t n = given_by(seam, rank);
  if (!is_needed(seam, ranks->place.size)) return RH_OK;
  if (seam->is_cut) put_own(seam, rank, data);
  char *at = seam->given; /* packed, operand by operand */
  for (uint32_t k = 0; k < seam->job->op->n_operands && n; k++) {
    memcpy(at, data[k], n * operand_size(seam, k));
    at += n * operand_size(seam, k);
  }
  return rh_ranks_gather_any(ranks, seam->given, n * element_bytes(seam), take_given, &self, error);
}
