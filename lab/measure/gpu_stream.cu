// What a stream to an NVIDIA GPU is compared with: copies from pinned memory alone, and CUB on what
// threads read into pinned memory ahead of it, as a careful user writes it.
//
//   nvcc -O3 -std=c++17 -arch=native gpu_stream.cu -o gpu_stream
//   gpu_stream copies 8G 64M         8 GiB in copies of 64 MiB: seconds
//   gpu_stream cub FILE.npy 4M 16 8  a file of f32 in chunks of 4 MiB, 16 slots, 8 threads that
//                                    read: seconds from the first read on, and the sum
#include "gpu_check.h"

#include <cub/device/device_reduce.cuh>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

size_t bytes_of(const char *text) {
  char *end;
  double value = strtod(text, &end);
  return static_cast<size_t>(value * (*end == 'G' ? 1 << 30 : *end == 'M' ? 1 << 20 : 1));
}

// ---- Copies alone

void copy_all(size_t bytes, size_t chunk) {
  constexpr int slots = 4;
  char *host[slots], *device[slots];
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  for (int k = 0; k < slots; k++) {
    CHECK(cudaMallocHost(&host[k], chunk));
    CHECK(cudaMalloc(&device[k], chunk));
    memset(host[k], k, chunk);
  }
  for (bool is_warm : {false, true}) {
    double start = now();
    for (size_t at = 0, k = 0; at < bytes; at += chunk, k = (k + 1) % slots)
      CHECK(cudaMemcpyAsync(device[k], host[k], chunk, cudaMemcpyHostToDevice, stream));
    CHECK(cudaStreamSynchronize(stream));
    if (is_warm) printf("%.6f\n", now() - start);
  }
}

// ---- CUB behind threads that read

constexpr size_t header = 128; // of the .npy

struct slot {
  float *host, *device;
  cudaEvent_t copied, summed;
};

struct pipeline {
  int file;
  size_t bytes, chunk, chunks;
  std::vector<slot> slots;
  cudaStream_t copies, sums;
  float *partial, *total; // on the device: a sum for each chunk; on the host: theirs
  void *temp = nullptr;
  size_t temp_bytes = 0;

  std::mutex lock;
  std::condition_variable freed, filled;
  std::vector<char> is_read;
  size_t next = 0, given_back = 0; // chunks that readers have taken; whose slots are free again

  size_t length(size_t k) const { return k + 1 == chunks ? bytes - k * chunk : chunk; }
  slot &slot_of(size_t k) { return slots[k % slots.size()]; }
};

void open_pipeline(pipeline *p, const char *path, size_t chunk, int n_slots) {
  struct stat status;
  p->file = open(path, O_RDONLY);
  if (p->file < 0 || fstat(p->file, &status)) {
    perror(path);
    exit(1);
  }
  p->bytes = static_cast<size_t>(status.st_size) - header;
  p->chunk = chunk;
  p->chunks = (p->bytes + chunk - 1) / chunk;
  p->slots.resize(n_slots);
  p->is_read.resize(p->chunks);
  for (slot &s : p->slots) {
    CHECK(cudaMallocHost(&s.host, chunk));
    CHECK(cudaMalloc(&s.device, chunk));
    CHECK(cudaEventCreateWithFlags(&s.copied, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&s.summed, cudaEventDisableTiming));
  }
  CHECK(cudaStreamCreate(&p->copies));
  CHECK(cudaStreamCreate(&p->sums));
  CHECK(cudaMalloc(&p->partial, p->chunks * sizeof(float)));
  CHECK(cudaHostAlloc(&p->total, sizeof(float), cudaHostAllocMapped));
  size_t most = std::max(chunk / sizeof(float), p->chunks);
  CHECK(cub::DeviceReduce::Sum(nullptr, p->temp_bytes, p->partial, p->total, most));
  CHECK(cudaMalloc(&p->temp, p->temp_bytes));
}

void sum(pipeline *p, const float *from, float *to, size_t n) {
  CHECK(cub::DeviceReduce::Sum(p->temp, p->temp_bytes, from, to, n, p->sums));
}

void read_chunk(pipeline *p, size_t k) {
  char *to = reinterpret_cast<char *>(p->slot_of(k).host);
  for (size_t at = 0; at < p->length(k);) {
    ssize_t got = pread(p->file, to + at, p->length(k) - at, header + k * p->chunk + at);
    if (got <= 0) {
      perror("pread");
      exit(1);
    }
    at += got;
  }
}

void read_chunks(pipeline *p) {
  std::unique_lock<std::mutex> hold(p->lock);
  for (;;) {
    p->freed.wait(
        hold, [&] { return p->next >= p->chunks || p->next < p->given_back + p->slots.size(); });
    if (p->next >= p->chunks) break;
    size_t k = p->next++;
    hold.unlock();
    read_chunk(p, k);
    hold.lock();
    p->is_read[k] = 1;
    p->filled.notify_one();
  }
  p->freed.notify_all();
}

void send(pipeline *p, size_t k) {
  slot &s = p->slot_of(k);
  if (k >= p->slots.size()) CHECK(cudaStreamWaitEvent(p->copies, s.summed));
  CHECK(cudaMemcpyAsync(s.device, s.host, p->length(k), cudaMemcpyHostToDevice, p->copies));
  CHECK(cudaEventRecord(s.copied, p->copies));
  CHECK(cudaStreamWaitEvent(p->sums, s.copied));
  sum(p, s.device, p->partial + k, p->length(k) / sizeof(float));
  CHECK(cudaEventRecord(s.summed, p->sums));
}

// Slots whose copy has ended; waits for one where half of them are on their way.
void give_back(pipeline *p, size_t sent) {
  while (p->given_back < sent) {
    cudaEvent_t copied = p->slot_of(p->given_back).copied;
    if (sent - p->given_back >= p->slots.size() / 2)
      CHECK(cudaEventSynchronize(copied));
    else if (cudaEventQuery(copied) != cudaSuccess)
      return;
    std::lock_guard<std::mutex> hold(p->lock);
    p->given_back++;
    p->freed.notify_one();
  }
}

void sum_file(const char *path, size_t chunk, int n_slots, int n_threads) {
  pipeline p;
  std::vector<std::thread> readers;
  open_pipeline(&p, path, chunk, n_slots);
  sum(&p, p.slots[0].device, p.partial, chunk / sizeof(float)); // loads the kernels
  CHECK(cudaDeviceSynchronize());
  double start = now();
  for (int t = 0; t < n_threads; t++) readers.emplace_back(read_chunks, &p);
  for (size_t k = 0; k < p.chunks; k++) {
    {
      std::unique_lock<std::mutex> hold(p.lock);
      p.filled.wait(hold, [&] { return p.is_read[k]; });
    }
    send(&p, k);
    give_back(&p, k + 1);
  }
  sum(&p, p.partial, p.total, p.chunks);
  CHECK(cudaStreamSynchronize(p.sums));
  printf("%.6f %.9g\n", now() - start, *p.total);
  for (std::thread &t : readers) t.join();
}

} // namespace

int main(int argc, char **argv) {
  std::string what = argc > 1 ? argv[1] : "";
  if (what == "copies" && argc == 4)
    copy_all(bytes_of(argv[2]), bytes_of(argv[3]));
  else if (what == "cub" && argc == 6)
    sum_file(argv[2], bytes_of(argv[3]), atoi(argv[4]), atoi(argv[5]));
  else {
    fprintf(stderr, "usage: gpu_stream copies BYTES CHUNK, or cub FILE CHUNK SLOTS THREADS\n");
    return 2;
  }
}
