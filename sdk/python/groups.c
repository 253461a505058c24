/* groups.c: elements in the order of their labels, for by= of the Python package, by counting:
 * labels that are integers close together need no sorting.  The order within a group stays.  Called
 * by ctypes, without Python's lock. */
#include <stdint.h>

#define SHOWN __attribute__((visibility("default")))

/* counts[k], which were 0: how many labels are least + k. */
SHOWN void redhost_python_count(const int64_t *labels, uint64_t n, int64_t least, uint64_t *counts);
void redhost_python_count(const int64_t *labels, uint64_t n, int64_t least, uint64_t *counts) {
  for (uint64_t k = 0; k < n; k++) counts[labels[k] - least]++;
}

/* Where elements go is all over memory, and known early enough to be fetched. */
enum { AHEAD = 16 };
#define PLACE(type)                                                                                \
  for (uint64_t k = 0; k < n; k++) {                                                               \
    if (k + 2 * AHEAD < n) {                                                                       \
      __builtin_prefetch(&next[labels[k + 2 * AHEAD] - least], 1);                                 \
      __builtin_prefetch((type *)to + next[labels[k + AHEAD] - least], 1);                         \
    }                                                                                              \
    ((type *)to)[next[labels[k] - least]++] = ((const type *)from)[k];                             \
  }

/* Puts element k of `from`, of `size` bytes, where the next one of its label goes:
 * next[label - least]. */
SHOWN void redhost_python_place(const int64_t *labels, uint64_t n, int64_t least, uint64_t *next,
                                uint32_t size, const void *from, void *to);
void redhost_python_place(const int64_t *labels, uint64_t n, int64_t least, uint64_t *next,
                          uint32_t size, const void *from, void *to) {
  if (size == 1) {
    PLACE(uint8_t)
  } else if (size == 2) {
    PLACE(uint16_t)
  } else if (size == 4) {
    PLACE(uint32_t)
  } else {
    PLACE(uint64_t)
  }
}
