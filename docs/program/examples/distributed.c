/* Reductions of numbers that the ranks of an MPI program hold, each its own run of them.
 *
 *     mpirun -n 4 ./distributed 250000        # numbers of each rank
 *
 * SPDX-License-Identifier: MIT */
#include <redhost/redhost.h>

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size;
static rh_redhost *redhost;

/* How ranks exchange what redhost asks for: MPI's own call, over a communicator of the program's. */
static int32_t gather(void *comm, const void *mine, uint32_t n, void *all) {
  return MPI_Allgather(mine, (int)n, MPI_BYTE, all, (int)n, MPI_BYTE, *(MPI_Comm *)comm);
}

/* All ranks fail with the same sentence, so one of them says it. */
static void stop(const rh_error *error) {
  if (rank == 0) fprintf(stderr, "distributed: %s\n", error->message);
  MPI_Finalize();
  exit(1);
}

static rh_result reduce(rh_request request, MPI_Comm comm) {
  rh_result result = {.struct_size = sizeof result};
  rh_communicator ranks = {.struct_size = sizeof ranks,
                           .rank = (uint32_t)rank,
                           .size = (uint32_t)size,
                           .gather = gather,
                           .user = &comm};
  rh_error error;
  request.struct_size = sizeof request;
  if (rh_reduce_distributed(redhost, &request, &ranks, &result, &error) != RH_OK) stop(&error);
  return result;
}

/* Number i of the whole. */
static float x_of(unsigned long long i) {
  return (float)((double)(i * 7919 % 10007) / 10007 - 0.3);
}

static float y_of(unsigned long long i) {
  return (float)((double)(i * 104729 % 100003) / 100003);
}

static void reduce_all(const float *x, const float *y, uint64_t n, MPI_Comm comm) {
  const rh_input both[] = {{.type = RH_TYPE_f32, .data = x}, {.type = RH_TYPE_f32, .data = y}};
  rh_request sum = {.type = RH_TYPE_f32, .op = "sum", .data = x, .n = n};
  rh_request argmin = {.type = RH_TYPE_f32, .op = "argmin", .data = x, .n = n};
  rh_request dot = {.op = "dot", .n = n, .inputs = both, .n_inputs = 2};
  rh_request meanvar = {.type = RH_TYPE_f32, .op = "meanvar", .data = y, .n = n};

  rh_result total = reduce(sum, comm), least = reduce(argmin, comm);
  rh_result product = reduce(dot, comm), moments = reduce(meanvar, comm);
  if (rank > 0) return;
  printf("sum %.17g\n", total.value.f);
  printf("argmin %llu\n", (unsigned long long)least.index);
  printf("dot %.17g\n", product.value.f);
  for (uint32_t k = 0; k < moments.n_fields; k++)
    printf("%s %.17g\n", moments.fields[k].name, moments.fields[k].value.f);
}

int main(int argc, char **argv) {
  unsigned long long n = argc > 1 ? strtoull(argv[1], NULL, 10) : 250000, first = 0;
  int level;
  rh_error error;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  float *x = malloc((n + 1) * sizeof *x), *y = malloc((n + 1) * sizeof *y);
  if (!x || !y || rh_open(&redhost, NULL, &error) != RH_OK) {
    fprintf(stderr, "distributed: rank %d has no memory, or no redhost\n", rank);
    MPI_Abort(MPI_COMM_WORLD, 1);
    return 1;
  }
  MPI_Exscan(&n, &first, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) first = 0; /* which MPI_Exscan() leaves as it was */
  for (unsigned long long i = 0; i < n; i++) x[i] = x_of(first + i);
  for (unsigned long long i = 0; i < n; i++) y[i] = y_of(first + i);

  reduce_all(x, y, n, MPI_COMM_WORLD);

  rh_close(redhost);
  free(x);
  free(y);
  MPI_Finalize();
  return 0;
}
