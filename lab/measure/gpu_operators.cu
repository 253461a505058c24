// What maps and operators of one's own are compared with on an NVIDIA GPU, as a careful user writes
// it: CUB over a zipped pair of pointers, CUB with a struct as its value, and cuBLAS.  Inputs are
// cold, as redhost --bench has them: calls take copies of the input in turn, more of them than the
// cache holds.
//
//   nvcc -O3 -std=c++17 -arch=native gpu_operators.cu -o gpu_operators -lcublas
//   gpu_operators [FROM TO]       sizes 2^FROM, 2^(FROM+2), ... 2^TO; 16 and 28 without them
//
// A line for each contender and size: the device's time of one reduction in a batch, and the time
// of one call whose value is on the host (CUB leaves it in mapped memory), medians in microseconds.
#include "gpu_check.h"

#include <cub/device/device_reduce.cuh>
#include <cublas_v2.h>
#include <cuda/std/tuple>
#include <thrust/iterator/zip_iterator.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

cudaStream_t stream;
cudaEvent_t before, after;

// Keeps the device busy while a batch is enqueued.
__global__ void delay(long long cycles) {
  for (long long start = clock64(); clock64() - start < cycles;) {}
}

// enqueue(k): the reduction of copy k.
double device_time(const std::function<void(int)> &enqueue, int copies, int batch) {
  std::vector<double> times;
  for (int round = 0; round < 15; round++) {
    delay<<<1, 1, 0, stream>>>(20000LL * batch + 1000000);
    CHECK(cudaEventRecord(before, stream));
    for (int k = 0; k < batch; k++) enqueue(k % copies);
    CHECK(cudaEventRecord(after, stream));
    CHECK(cudaEventSynchronize(after));
    float ms;
    CHECK(cudaEventElapsedTime(&ms, before, after));
    times.push_back(1e3 * ms / batch);
  }
  return median(times);
}

// call(k): copy k, until its value is on the host.
double call_time(const std::function<void(int)> &call, int copies) {
  std::vector<double> times;
  for (int k = 0; k < 60; k++) {
    CHECK(cudaStreamSynchronize(stream));
    double start = now();
    call(k % copies);
    times.push_back(1e6 * (now() - start));
  }
  return median(times);
}

void report(const char *who, const char *what, size_t n, const std::function<void(int)> &enqueue,
            const std::function<void(int)> &call, size_t bytes, int copies) {
  int batch = std::max(2, static_cast<int>(std::min<size_t>(60, (size_t(8) << 30) / bytes)));
  for (int k = 0; k < 3; k++) enqueue(k % copies);
  double device = device_time(enqueue, copies, batch), one = call_time(call, copies);
  printf("%-8s %-12s %10zu  device %8.2f us  call %8.2f us\n", who, what, n, device, one);
  fflush(stdout);
}

// More than the cache of 50 to 60 MB holds, and two at least.
int copies_of(size_t bytes) {
  return std::max<int>(2, static_cast<int>((size_t(256) << 20) / bytes));
}

template <class T> T *random_array(size_t n) {
  std::vector<T> host(std::min<size_t>(n, 1 << 20));
  unsigned long long s = 88172645463325252ull;
  for (T &x : host) {
    s ^= s << 13, s ^= s >> 7, s ^= s << 17;
    x = static_cast<T>(static_cast<double>(s >> 40) / (1 << 24));
  }
  T *device;
  CHECK(cudaMalloc(&device, n * sizeof(T)));
  for (size_t at = 0; at < n; at += host.size())
    CHECK(cudaMemcpy(device + at, host.data(), std::min(host.size(), n - at) * sizeof(T),
                     cudaMemcpyHostToDevice));
  return device;
}

// ---- CUB

// A value in memory that the host sees, and CUB's temporary storage.
template <class Value> struct workspace {
  Value *host, *value, *result;
  void *temp = nullptr;
  size_t temp_bytes = 0;
  workspace() {
    CHECK(cudaHostAlloc(&host, sizeof(Value), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(&value, host, 0));
    CHECK(cudaMalloc(&result, sizeof(Value)));
  }
  ~workspace() { cudaFreeHost(host), cudaFree(result), cudaFree(temp); }
};

// run(temp, bytes, copy, to): CUB's call.
template <class Value, class Run>
void report_cub(const char *what, size_t n, size_t bytes, int copies, Run run) {
  workspace<Value> w;
  CHECK(run(nullptr, w.temp_bytes, 0, w.result));
  CHECK(cudaMalloc(&w.temp, w.temp_bytes));
  report(
      "cub", what, n, [&](int k) { CHECK(run(w.temp, w.temp_bytes, k, w.result)); },
      [&](int k) {
        CHECK(run(w.temp, w.temp_bytes, k, w.value));
        CHECK(cudaStreamSynchronize(stream));
      },
      bytes, copies);
}

template <class T> struct multiply {
  __host__ __device__ T operator()(const thrust::tuple<T, T> &pair) const {
    return thrust::get<0>(pair) * thrust::get<1>(pair);
  }
};

struct moments {
  double n, mean, m2;
};
struct one_element {
  __host__ __device__ moments operator()(float x) const { return {1, x, 0}; }
};
// Chan's merge.
struct merge {
  __host__ __device__ moments operator()(const moments &a, const moments &b) const {
    if (a.n == 0) return b;
    if (b.n == 0) return a;
    double n = a.n + b.n, d = b.mean - a.mean, r = b.n / n;
    return {n, a.mean + d * r, a.m2 + b.m2 + d * d * a.n * r};
  }
};

// ---- What is compared

cublasStatus_t cublas_dot(cublasHandle_t h, int n, const float *x, const float *y, float *to) {
  return cublasSdot(h, n, x, 1, y, 1, to);
}
cublasStatus_t cublas_dot(cublasHandle_t h, int n, const double *x, const double *y, double *to) {
  return cublasDdot(h, n, x, 1, y, 1, to);
}

template <class T> void report_dot(const char *what, size_t n, cublasHandle_t handle) {
  size_t bytes = 2 * n * sizeof(T);
  int copies = copies_of(bytes);
  T *x = random_array<T>(n * copies), *y = random_array<T>(n * copies), *result, value;
  report_cub<T>(what, n, bytes, copies, [=](void *temp, size_t &size, int k, T *to) {
    auto pairs = thrust::make_zip_iterator(thrust::make_tuple(x + k * n, y + k * n));
    return cub::DeviceReduce::TransformReduce(temp, size, pairs, to, static_cast<int>(n),
                                              cuda::std::plus<T>(), multiply<T>(), T(0), stream);
  });
  CHECK(cudaMalloc(&result, sizeof *result));
  report(
      "cublas", what, n,
      [&](int k) {
        CHECK(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
        CHECK(cublas_dot(handle, static_cast<int>(n), x + k * n, y + k * n, result));
      },
      [&](int k) {
        CHECK(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));
        CHECK(cublas_dot(handle, static_cast<int>(n), x + k * n, y + k * n, &value));
      },
      bytes, copies);
  cudaFree(x), cudaFree(y), cudaFree(result);
}

void report_meanvar(size_t n) {
  int copies = copies_of(n * sizeof(float));
  float *x = random_array<float>(n * copies);
  report_cub<moments>("meanvar f32", n, n * sizeof(float), copies,
                      [=](void *temp, size_t &size, int k, moments *to) {
                        return cub::DeviceReduce::TransformReduce(
                            temp, size, x + k * n, to, static_cast<int>(n), merge(), one_element(),
                            moments{0, 0, 0}, stream);
                      });
  cudaFree(x);
}

} // namespace

int main(int argc, char **argv) {
  int from = argc > 2 ? atoi(argv[1]) : 16, to = argc > 2 ? atoi(argv[2]) : 28;
  cublasHandle_t handle;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaEventCreate(&before));
  CHECK(cudaEventCreate(&after));
  CHECK(cublasCreate(&handle));
  CHECK(cublasSetStream(handle, stream));
  for (int log = from; log <= to; log += 2) {
    size_t n = size_t(1) << log;
    report_dot<float>("dot f32", n, handle);
    report_dot<double>("dot f64", n, handle);
    report_meanvar(n);
  }
}
