// CHECK(call): ends the program with the call and its error where it fails.
#ifndef BENCH_GPU_CHECK_H
#define BENCH_GPU_CHECK_H

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

inline void check(cudaError_t code, const char *call) {
  if (code == cudaSuccess) return;
  fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(code));
  exit(1);
}

// Of libraries whose statuses have no text; 0 is success.
template <typename Status> void check(Status code, const char *call) {
  if (static_cast<int>(code) == 0) return;
  fprintf(stderr, "%s: error %d\n", call, static_cast<int>(code));
  exit(1);
}

#define CHECK(call) check((call), #call)

#endif
