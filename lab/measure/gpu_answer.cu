// What `redhost --run auto -n 2^20 -q` is compared with, as a whole process: a CUB program that
// fills an array, copies it to the GPU, sums it there, copies the sum back and prints it.
//
//   nvcc -O3 -std=c++17 -arch=native gpu_answer.cu -o gpu_answer
//   gpu_answer [N]       2^20 elements of f32 without it
//
// answers.py times both.
#include "gpu_check.h"

#include <cub/device/device_reduce.cuh>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

// Uniform in [0, 1): the upper bits of a linear congruential generator (Knuth, MMIX).
std::vector<float> uniform(std::size_t n) {
  std::vector<float> x(n);
  std::uint64_t state = 1;
  for (float &one : x) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    one = static_cast<float>(state >> 40) * 0x1p-24f;
  }
  return x;
}

} // namespace

int main(int argc, char **argv) {
  const std::size_t n = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : std::size_t{1} << 20;
  const std::vector<float> x = uniform(n);
  float *data, *sum, answer;
  void *scratch;
  std::size_t bytes = 0;
  CHECK(cudaMalloc(&data, n * sizeof *data + sizeof *sum));
  sum = data + n;
  CHECK(cudaMemcpyAsync(data, x.data(), n * sizeof *data, cudaMemcpyHostToDevice));
  CHECK(cub::DeviceReduce::Sum(nullptr, bytes, data, sum, n));
  CHECK(cudaMalloc(&scratch, bytes));
  CHECK(cub::DeviceReduce::Sum(scratch, bytes, data, sum, n));
  CHECK(cudaMemcpy(&answer, sum, sizeof answer, cudaMemcpyDeviceToHost));
  std::printf("%.9g\n", static_cast<double>(answer));
}
