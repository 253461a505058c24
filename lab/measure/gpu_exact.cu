// What an NVIDIA user has instead of exact sums: CUB's DeviceReduce with the requirement
// determinism::gpu_to_gpu, whose sums of f32 and f64 are the same on every GPU, but not exact.
// Inputs are cold: calls take copies in turn, more of them than the cache holds.
//
//   nvcc -O3 -std=c++17 -arch=native gpu_exact.cu -o gpu_exact     needs CCCL 3.1 or later
//   gpu_exact [FROM TO]       sizes 2^FROM, 2^(FROM+2), ... 2^TO; 10 and 30 without them: the
//                             device's time of one sum in a batch, the median in microseconds
//   gpu_exact --edges FOLDER  sums that it gets wrong, beside what they are; the elements go to
//                             FOLDER/NAME.f32 and .f64, for redhost --run extraction -t f32 -i;
//                             and sums of many equal values
#include "gpu_check.h"

#include <cub/device/device_reduce.cuh>
#include <cuda/execution>
#include <cuda/stream_ref>

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace {

cudaStream_t stream;
cudaEvent_t before, after;

// -0 is what adding leaves every number as.
template <class T> cudaError_t sum(const T *x, T *to, size_t n) {
  namespace execution = cuda::std::execution;
  auto how = execution::env{execution::prop{cuda::get_stream_t{}, cuda::stream_ref{stream}},
                            cuda::execution::require(cuda::execution::determinism::gpu_to_gpu)};
  if (n <= INT_MAX)
    return cub::DeviceReduce::Reduce(x, to, static_cast<int>(n), cuda::std::plus<T>{}, T(-0.0),
                                     how);
  return cub::DeviceReduce::Reduce(x, to, static_cast<long long>(n), cuda::std::plus<T>{}, T(-0.0),
                                   how);
}

// Keeps the device busy while a batch is enqueued.
__global__ void delay(long long cycles) {
  for (long long start = clock64(); clock64() - start < cycles;) {}
}

template <class T> __global__ void fill(T *x, size_t n) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n;
       i += size_t(gridDim.x) * blockDim.x) {
    unsigned long long s = (i + 1) * 0x9e3779b97f4a7c15ull;
    s = (s ^ s >> 30) * 0xbf58476d1ce4e5b9ull;
    x[i] = T(static_cast<double>((s ^ s >> 27) >> 40) / (1 << 24));
  }
}

template <class T> void report(const char *type, size_t n) {
  size_t bytes = n * sizeof(T), copies = std::max<size_t>(2, (size_t(256) << 20) / bytes);
  int batch = static_cast<int>(std::clamp<size_t>((size_t(8) << 30) / bytes, 2, 60));
  std::vector<float> times;
  T *x, *result;
  CHECK(cudaMalloc(&x, copies * bytes));
  CHECK(cudaMalloc(&result, sizeof *result));
  fill<<<1056, 256, 0, stream>>>(x, copies * n);
  for (int round = 0; round < 15; round++) {
    delay<<<1, 1, 0, stream>>>(20000LL * batch + 1000000);
    CHECK(cudaEventRecord(before, stream));
    for (int k = 0; k < batch; k++) CHECK(sum(x + k % copies * n, result, n));
    CHECK(cudaEventRecord(after, stream));
    CHECK(cudaEventSynchronize(after));
    float ms;
    CHECK(cudaEventElapsedTime(&ms, before, after));
    times.push_back(1e3f * ms / batch);
  }
  std::sort(times.begin(), times.end());
  printf("gpu_to_gpu  sum %s  %10zu  %9.2f us\n", type, n, times[times.size() / 2]);
  fflush(stdout);
  cudaFree(x), cudaFree(result);
}

template <class T> __global__ void set_all(T *x, size_t n, T to) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n;
       i += size_t(gridDim.x) * blockDim.x)
    x[i] = to;
}

template <class T>
void compare(const char *name, const char *type, const T *x, size_t n, T wanted) {
  T *result, found;
  CHECK(cudaMalloc(&result, sizeof *result));
  CHECK(sum(x, result, n));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemcpy(&found, result, sizeof found, cudaMemcpyDeviceToHost));
  printf("%-6s %s  exact %.17g, gpu_to_gpu %.17g: %s\n", name, type, static_cast<double>(wanted),
         static_cast<double>(found), memcmp(&wanted, &found, sizeof found) ? "wrong" : "right");
  cudaFree(result);
}

template <class T>
void try_edge(const std::string &folder, const char *name, const char *type,
              const std::vector<T> &elements, T wanted) {
  std::string path = folder + "/" + name + "." + type;
  FILE *file = fopen(path.c_str(), "wb");
  if (!file || fwrite(elements.data(), sizeof(T), elements.size(), file) != elements.size() ||
      fclose(file) != 0) {
    fprintf(stderr, "%s cannot be written\n", path.c_str());
    exit(1);
  }
  T *x;
  CHECK(cudaMalloc(&x, elements.size() * sizeof(T)));
  CHECK(cudaMemcpy(x, elements.data(), elements.size() * sizeof(T), cudaMemcpyHostToDevice));
  compare(name, type, x, elements.size(), wanted);
  cudaFree(x);
}

template <class T> void try_edges(const std::string &folder, const char *type) {
  using limits = std::numeric_limits<T>;
  constexpr T most = limits::max(), least = limits::denorm_min();
  try_edge<T>(folder, "zeros", type, std::vector<T>(1000, T(-0.0)), T(-0.0));
  try_edge<T>(folder, "inf", type, {limits::infinity(), 1}, limits::infinity());
  try_edge<T>(folder, "large", type, {most, most, -most}, most);
  try_edge<T>(folder, "tiny", type, {1, least, -1}, least);
  try_edge<T>(folder, "wide", type, {T(1e30), 1, T(-1e30)}, 1);
  try_edge<T>(folder, "over", type, {most, most}, limits::infinity());
  try_edge<T>(folder, "under", type, std::vector<T>(1000, least), 1000 * least);
  try_edge<T>(folder, "minus", type, std::vector<T>(1000, T(-0.1)),
              T(-1000 * static_cast<long double>(T(0.1))));
}

// n times the same, for many n: the exact sum is a product, which long double has to the last bit
// of f32, and a multiplication of doubles rounds once.
template <class T> T times(T x, size_t n) {
  if (sizeof(T) == sizeof(double)) return T(x * static_cast<double>(n));
  return static_cast<T>(static_cast<long double>(x) * n);
}

template <class T> void try_equal(const char *type) {
  using limits = std::numeric_limits<T>;
  const size_t counts[] = {3, 7, 1000, 1025, 4097, (1 << 20) + 1, (1 << 24) + 3, size_t(1) << 30};
  const T values[] = {T(0.1),
                      T(1) / 3,
                      T(3.14159265358979323846),
                      T(2) - limits::epsilon(),
                      limits::max() / (size_t(1) << 31),
                      limits::max() / 4,
                      limits::min(),
                      limits::denorm_min(),
                      -3 * limits::denorm_min(),
                      T(1) + limits::epsilon(),
                      T(1e-30),
                      T(1e30)};
  int tried = 0, wrong = 0;
  T *x, *result, found;
  CHECK(cudaMalloc(&x, counts[7] * sizeof(T)));
  CHECK(cudaMalloc(&result, sizeof *result));
  for (T value : values) {
    set_all<<<1056, 256, 0, stream>>>(x, counts[7], value);
    for (size_t n : counts) {
      T wanted = times(value, n);
      CHECK(sum(x, result, n));
      CHECK(cudaStreamSynchronize(stream));
      CHECK(cudaMemcpy(&found, result, sizeof found, cudaMemcpyDeviceToHost));
      tried++;
      if (memcmp(&wanted, &found, sizeof found) == 0) continue;
      wrong++;
      printf("equal  %s  %zu times %.17g: exact %.17g, gpu_to_gpu %.17g: wrong\n", type, n,
             static_cast<double>(value), static_cast<double>(wanted), static_cast<double>(found));
    }
  }
  printf("equal  %s  %d of %d wrong\n", type, wrong, tried);
  cudaFree(x), cudaFree(result);
}

} // namespace

int main(int argc, char **argv) {
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaEventCreate(&before));
  CHECK(cudaEventCreate(&after));
  // What a call frees, the next one gets without the driver.
  cudaMemPool_t pool;
  unsigned long long keep = ULLONG_MAX;
  CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
  CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
  if (argc == 3 && strcmp(argv[1], "--edges") == 0) {
    try_edges<float>(argv[2], "f32");
    try_edges<double>(argv[2], "f64");
    try_equal<float>("f32");
    try_equal<double>("f64");
    return 0;
  }
  int from = argc == 3 ? atoi(argv[1]) : 10, to = argc == 3 ? atoi(argv[2]) : 30;
  for (int log = from; log <= to; log += 2) {
    report<float>("f32", size_t(1) << log);
    report<double>("f64", size_t(1) << log);
  }
}
