/* How fast this machine's threads read memory: read_limit BYTES
 *
 * As many threads as processors that the process may use; each reads a part of its own, from the
 * first byte to the last, and the parts stand in huge pages, as NumPy's arrays do.  Prints the
 * median and the shortest time of a read of all, in seconds. */
#define _GNU_SOURCE /* sched_getaffinity, madvise */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { MOST_TIMES = 1 << 20, HUGE_PAGE = 2 << 20, WORDS = 64 };

static const uint64_t *data;
static uint64_t words, threads;
static atomic_ulong started, ended;
static atomic_int is_over;
static volatile uint64_t found; /* so that reads are not left out */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void read_part(uint64_t k) {
  uint64_t all[WORDS] = {0}, from = words / WORDS * k / threads * WORDS;
  uint64_t end = words / WORDS * (k + 1) / threads * WORDS;
  for (; from < end; from += WORDS)
    for (uint64_t j = 0; j < WORDS; j++) all[j] |= data[from + j];
  for (uint64_t j = 0; j < WORDS; j++) found |= all[j];
}

static void *live(void *user) {
  for (uint64_t turn = 1;; turn++) {
    while (atomic_load_explicit(&started, memory_order_acquire) < turn)
      if (atomic_load(&is_over)) return NULL;
    read_part((uintptr_t)user);
    atomic_fetch_add_explicit(&ended, 1, memory_order_release);
  }
}

static double read_all(void) {
  double begin = now();
  atomic_store_explicit(&ended, 0, memory_order_relaxed);
  atomic_fetch_add_explicit(&started, 1, memory_order_release);
  read_part(0);
  while (atomic_load_explicit(&ended, memory_order_acquire) < threads - 1) continue;
  return now() - begin;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  static double times[MOST_TIMES];
  cpu_set_t set;
  pthread_t one;
  uint64_t bytes = argc == 2 ? strtoull(argv[1], NULL, 10) : 0, n = 0;
  if (bytes < WORDS * sizeof(uint64_t) || sched_getaffinity(0, sizeof set, &set) != 0) {
    fprintf(stderr, "usage: read_limit BYTES, 512 at least\n");
    return 2;
  }
  unsigned char *room =
      mmap(NULL, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return 1;
  room += HUGE_PAGE - (uintptr_t)room % HUGE_PAGE;
  madvise(room, bytes, MADV_HUGEPAGE);
  memset(room, 1, bytes);
  data = (const uint64_t *)(const void *)room;
  words = bytes / sizeof *data;
  threads = (uint64_t)CPU_COUNT(&set);
  for (uintptr_t k = 1; k < threads; k++)
    if (pthread_create(&one, NULL, live, (void *)k) != 0) return 1;
  for (int k = 0; k < 3; k++) read_all();
  for (double end = now() + 0.4; n < MOST_TIMES && (now() < end || n < 5); n++)
    times[n] = read_all();
  atomic_store(&is_over, 1);
  qsort(times, n, sizeof *times, by_value);
  printf("%.9f %.9f\n", times[n / 2], times[0]);
  return 0;
}
