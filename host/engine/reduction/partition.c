#include "reduction.h"

enum {
  IN_A_SHARE = 128,  /* a cut may move by one of these pieces of a share */
  DEVICE_LEVEL = 14, /* of the largest chunks, 2^level tiles of 2 KiB: 32 MiB */
  SHARES = 64        /* cuts are as coarse as leaves each rank at least this many pieces */
};

/* `at` rounded to a multiple of 2^level. */
static uint64_t round_to(double at, uint32_t level) {
  double grain = (double)(UINT64_C(1) << level);
  return (uint64_t)(at / grain + 0.5) << level;
}

static uint64_t cut_near(double at, double tolerance, uint64_t units) {
  for (uint32_t level = 62; level > 0; level--) {
    double cut = (double)round_to(at, level);
    if (cut <= (double)units && cut - at <= tolerance && at - cut <= tolerance)
      return round_to(at, level);
  }
  uint64_t cut = round_to(at, 0);
  return cut < units ? cut : units;
}

void rh_partition(uint64_t units, const double *weights, uint32_t n, uint64_t *starts) {
  double all = 0, before = 0;
  for (uint32_t k = 0; k < n; k++) all += weights[k];
  starts[0] = 0;
  for (uint32_t k = 1; k < n; k++) {
    double least = weights[k - 1] < weights[k] ? weights[k - 1] : weights[k];
    before += weights[k - 1];
    starts[k] =
        cut_near((double)units * (before / all), (double)units * (least / all) / IN_A_SHARE, units);
    if (starts[k] < starts[k - 1]) starts[k] = starts[k - 1];
  }
  starts[n] = units;
}

/* ---- Among ranks ---- */

__extension__ typedef unsigned __int128 wide;

/* The first element of a rank; of rank `size`, the end. */
static uint64_t start_of(uint64_t tile, uint64_t first, uint64_t n, uint32_t rank, uint32_t size) {
  uint64_t begin = first / tile, end = (first + n) / tile + ((first + n) % tile != 0);
  uint32_t level = 0;
  while (level < DEVICE_LEVEL && (end - begin) >> (level + 1) >= (uint64_t)SHARES * size) level++;
  uint64_t from = begin >> level;
  uint64_t grains = (end >> level) + ((end & ((UINT64_C(1) << level) - 1)) != 0) - from;
  uint64_t at = (from + (uint64_t)((wide)grains * rank / size)) << level;
  if (rank == 0 || at <= begin) return first;
  return rank == size || at >= end || at * tile > first + n ? first + n : at * tile;
}

void rh_partition_ranks(uint64_t tile, uint64_t first, uint64_t n, uint32_t rank, uint32_t size,
                        uint64_t *to, uint64_t *count) {
  *to = start_of(tile, first, n, rank, size);
  *count = start_of(tile, first, n, rank + 1, size) - *to;
}

uint32_t rh_partition_level(uint64_t first, uint64_t end, uint64_t units) {
  enum { MOST = 63 };
  uint64_t left = end - first;
  uint32_t alignment = first ? (uint32_t)__builtin_ctzll(first) : MOST;
  uint32_t level = MOST - (uint32_t)__builtin_clzll(left);
  if (end >= units && level < MOST && UINT64_C(1) << level < left) level++;
  return level < alignment ? level : alignment;
}
