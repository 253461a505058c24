/* One strategy, set up for one problem: the memory that it reads, surrounded by poison, and its
 * runs, whose value stands between others that must stay. */
#ifndef TESTS_BENCH_H
#define TESTS_BENCH_H

#include "../../host/core/run/run.h"

enum { POISON = 0xAA, AROUND = 64 /* elements before and after */ };

/* bench_begin() sets all of it; `error` is of the latest call that did not succeed. */
typedef struct bench {
  rh_instance_spec spec;
  rh_answer answer;
  rh_instance *instance;
  rh_operands operands;             /* where they are: one, or those of an operator of its own */
  uint32_t sizes[RH_MOST_OPERANDS]; /* of their elements */
  unsigned char *memory[RH_MOST_OPERANDS], *copy; /* AROUND + max_n + AROUND elements */
  cl_mem values; /* three; null if the strategy finishes on the host */
  rh_error error;
} bench;

/* Asks the strategy: RH_DECLINED with its reason as the message.  Of the settings, "tile=96" and so
 * on up to a null, it takes those that it has. */
rh_status bench_begin(bench *b, rh_context *context, const rh_strategy *strategy,
                      const rh_operator *op, uint64_t max_n, char *const *settings);

/* The memory, and the instance. */
rh_status bench_open(bench *b);

/* Poison, with room for n elements of operand k from the element `at` on. */
void *bench_room(bench *b, uint32_t k, uint64_t at, uint64_t n);

/* Brings the operands to the device. */
rh_status bench_place(bench *b, uint64_t n);

/* Of the n elements that were placed. */
rh_status bench_run(bench *b, uint64_t n, void *value);

/* Are the first operand, and what stands around it, as they were placed? */
int bench_is_unchanged(bench *b, uint64_t n);

void bench_close(bench *b);

/* The words of an environment variable, which stay allocated, and a null. */
int bench_words(const char *variable, char **words, int most);

#endif
