// What a user would pick on an NVIDIA GPU: CUB's device-wide reductions, with their temporary
// storage taken beforehand. Which GPU: the first that CUDA_VISIBLE_DEVICES leaves.
//
//   cub         in a stream; one call copies its value into a variable
//   cub-mapped  in a stream; one call leaves its value in host memory that the GPU sees
//   cub-by-key  segments by a key for each element: ReduceByKey; `cub` has DeviceSegmentedReduce
//   cub-graph   the same, but a batch of reductions is one CUDA graph, and so is one call
//
//   nvcc -O3 -std=c++17 -arch=native cub_peer.cu -o cub_peer
#include "peer.h"

#include <cub/cub.cuh>
#include <cuda_fp16.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <climits>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#if CUB_VERSION < 200800
#error "this needs CUB 2.8 (CUDA 12.9) or later, whose ArgMin counts beyond 2^31"
#endif

namespace {

// ---- The reductions

// Where CUB writes: on the device.
struct cell {
  alignas(16) unsigned char value[16];
  int64_t index;
};

// As CUB is called: without `temp` it only says how much it needs.
using call = cudaError_t (*)(void *temp, size_t &temp_bytes, const void *x, cell *out, uint64_t n,
                             cudaStream_t stream);

// Of segments, on the device: offsets, and the number of each element's segment, or null.
struct segments {
  uint64_t n, count, length;
  const uint64_t *offsets;
  const uint32_t *keys;
  uint32_t *keys_out, *runs; // of cub-by-key
};
using segmented = cudaError_t (*)(void *temp, size_t &temp_bytes, const void *x, void *out,
                                  const segments &of, cudaStream_t stream);

struct function {
  call run;
  void (*tell)(const cell &from, peer_sample *to);
  bool indexed;
  segmented by_layout, by_key; // null: there is none
};
std::map<std::string, function> functions; // "sum f32"

// Counts of 32 bits where they do: it makes cheaper indices.
template <class Call> cudaError_t counted(uint64_t n, Call with) {
  return n <= INT_MAX ? with(static_cast<int>(n)) : with(static_cast<int64_t>(n));
}

template <class T>
constexpr bool is_float = std::is_floating_point_v<T> || std::is_same_v<T, __half>;

// Sums of integers are kept in 64 bits, those of half precision in single, as redhost's are.
template <class T>
using accumulator = std::conditional_t<
    std::is_same_v<T, double>, double,
    std::conditional_t<is_float<T>, float,
                       std::conditional_t<std::is_signed_v<T>, long long, unsigned long long>>>;

// What a half is converted by on its way to a float: float + __half is ambiguous.
struct plus_float {
  __host__ __device__ float operator()(float a, float b) const { return a + b; }
};

// The sign bit goes; no type converts on the way.
template <class T> struct magnitude {
  __host__ __device__ accumulator<T> operator()(T x) const {
    accumulator<T> wide = x;
    return wide < 0 ? -wide : wide;
  }
};

template <class T>
cudaError_t sum(void *temp, size_t &bytes, const void *x, cell *out, uint64_t n,
                cudaStream_t stream) {
  using A = accumulator<T>;
  return counted(n, [&](auto count) {
    const T *from = static_cast<const T *>(x);
    A *to = reinterpret_cast<A *>(out->value);
    if constexpr (std::is_same_v<T, __half>)
      return cub::DeviceReduce::Reduce(temp, bytes, from, to, count, plus_float(), A(0), stream);
    else
      return cub::DeviceReduce::Sum(temp, bytes, from, to, count, stream);
  });
}

template <class T>
cudaError_t asum(void *temp, size_t &bytes, const void *x, cell *out, uint64_t n,
                 cudaStream_t stream) {
  using A = accumulator<T>;
  return counted(n, [&](auto count) {
    return cub::DeviceReduce::TransformReduce(temp, bytes, static_cast<const T *>(x),
                                              reinterpret_cast<A *>(out->value), count,
                                              cuda::std::plus<>(), magnitude<T>(), A(0), stream);
  });
}

template <class T>
cudaError_t least(void *temp, size_t &bytes, const void *x, cell *out, uint64_t n,
                  cudaStream_t stream) {
  return counted(n, [&](auto count) {
    return cub::DeviceReduce::Min(temp, bytes, static_cast<const T *>(x),
                                  reinterpret_cast<T *>(out->value), count, stream);
  });
}

template <class T>
cudaError_t most(void *temp, size_t &bytes, const void *x, cell *out, uint64_t n,
                 cudaStream_t stream) {
  return counted(n, [&](auto count) {
    return cub::DeviceReduce::Max(temp, bytes, static_cast<const T *>(x),
                                  reinterpret_cast<T *>(out->value), count, stream);
  });
}

template <class T>
cudaError_t arg_least(void *temp, size_t &bytes, const void *x, cell *out, uint64_t n,
                      cudaStream_t stream) {
  return cub::DeviceReduce::ArgMin(temp, bytes, static_cast<const T *>(x),
                                   reinterpret_cast<T *>(out->value), &out->index,
                                   static_cast<int64_t>(n), stream);
}

template <class T>
cudaError_t arg_most(void *temp, size_t &bytes, const void *x, cell *out, uint64_t n,
                     cudaStream_t stream) {
  return cub::DeviceReduce::ArgMax(temp, bytes, static_cast<const T *>(x),
                                   reinterpret_cast<T *>(out->value), &out->index,
                                   static_cast<int64_t>(n), stream);
}

template <class T> void tell(const cell &from, peer_sample *to) {
  T value;
  memcpy(&value, from.value, sizeof value);
  if constexpr (is_float<T>)
    peer_value_f64(to, static_cast<double>(static_cast<accumulator<T>>(value)));
  else if constexpr (std::is_signed_v<T>)
    peer_value_i64(to, value);
  else
    peer_value_u64(to, value);
}

// What a half, or an integer, becomes before it is added.
template <class T> struct widened {
  __host__ __device__ accumulator<T> operator()(T x) const { return accumulator<T>(x); }
};
struct plus {
  template <class A> __host__ __device__ A operator()(A a, A b) const { return a + b; }
};
struct lesser {
  template <class A> __host__ __device__ A operator()(A a, A b) const { return b < a ? b : a; }
};
struct greater {
  template <class A> __host__ __device__ A operator()(A a, A b) const { return a < b ? b : a; }
};

// With an identity that no element beats, for T has one or there are no empty segments.
template <class T, class A, class With>
cudaError_t by_layout(void *temp, size_t &bytes, const void *x, void *out, const segments &of,
                      cudaStream_t stream) {
  auto from = thrust::make_transform_iterator(static_cast<const T *>(x), [] {
    if constexpr (std::is_same_v<With, plus>)
      return widened<T>();
    else
      return cuda::std::identity();
  }());
  A *to = static_cast<A *>(out), first{};
  if constexpr (std::is_same_v<With, lesser>) first = cub::NumericTraits<A>::Max();
  if constexpr (std::is_same_v<With, greater>) first = cub::NumericTraits<A>::Lowest();
  if (of.offsets)
    return cub::DeviceSegmentedReduce::Reduce(temp, bytes, from, to, static_cast<int64_t>(of.count),
                                              of.offsets, of.offsets + 1, With(), first, stream);
#if CUB_VERSION >= 300100
  return cub::DeviceSegmentedReduce::Reduce(temp, bytes, from, to, static_cast<int64_t>(of.count),
                                            static_cast<int>(of.length), With(), first, stream);
#else
  return cudaErrorNotSupported;
#endif
}

template <class T, class A, class With>
cudaError_t by_key(void *temp, size_t &bytes, const void *x, void *out, const segments &of,
                   cudaStream_t stream) {
  auto from = thrust::make_transform_iterator(static_cast<const T *>(x), [] {
    if constexpr (std::is_same_v<With, plus>)
      return widened<T>();
    else
      return cuda::std::identity();
  }());
  return counted(of.n, [&](auto count) {
    return cub::DeviceReduce::ReduceByKey(temp, bytes, of.keys, of.keys_out, from,
                                          static_cast<A *>(out), of.runs, With(), count, stream);
  });
}

template <class T> void add(const char *type) {
  auto put = [type](const char *op, call run, void (*tell_it)(const cell &, peer_sample *),
                    bool indexed, segmented layouts = nullptr, segmented keys = nullptr) {
    functions[std::string(op) + " " + type] = {run, tell_it, indexed, layouts, keys};
  };
  using A = accumulator<T>;
  put("sum", sum<T>, tell<A>, false, by_layout<T, A, plus>, by_key<T, A, plus>);
  put("min", least<T>, tell<T>, false, by_layout<T, T, lesser>, by_key<T, T, lesser>);
  put("max", most<T>, tell<T>, false, by_layout<T, T, greater>, by_key<T, T, greater>);
  put("argmin", arg_least<T>, tell<T>, true);
  put("argmax", arg_most<T>, tell<T>, true);
  if constexpr (is_float<T>) put("asum", asum<T>, tell<accumulator<T>>, false);
}

void add_all() {
  add<int8_t>("i8"), add<uint8_t>("u8"), add<int16_t>("i16"), add<uint16_t>("u16");
  add<int32_t>("i32"), add<uint32_t>("u32"), add<int64_t>("i64"), add<uint64_t>("u64");
  add<__half>("f16"), add<float>("f32"), add<double>("f64");
}

// ---- What keeps the device busy while a batch is enqueued

// Reads and nothing else; no thread ever writes, which the compiler cannot know.
__global__ void sweep(const float4 *x, size_t n, float *never) {
  float s = 0;
  for (size_t k = blockIdx.x * size_t(blockDim.x) + threadIdx.x; k < n;
       k += size_t(gridDim.x) * blockDim.x) {
    float4 v = x[k];
    s += v.x + v.y + v.z + v.w;
  }
  if (s == -1.f) *never = s;
}

constexpr size_t scratch_bytes = 256 << 20;
cudaStream_t queue;
float *scratch; // zeros; once for the program
double sweep_s; // the time of one sweep
cudaEvent_t before, after;

void sweep_once() {
  sweep<<<1056, 256, 0, queue>>>(reinterpret_cast<const float4 *>(scratch),
                                 scratch_bytes / sizeof(float4), scratch);
}

double between_events() {
  float ms = 0;
  cudaEventSynchronize(after);
  cudaEventElapsedTime(&ms, before, after);
  return ms * 1e-3;
}

cudaError_t prepare_device() {
  if (scratch) return cudaSuccess;
  float *made = nullptr;
  cudaError_t code = cudaStreamCreateWithFlags(&queue, cudaStreamNonBlocking);
  if (code == cudaSuccess) code = cudaMalloc(&made, scratch_bytes);
  if (code != cudaSuccess) return code;
  scratch = made;
  cudaMemset(scratch, 0, scratch_bytes);
  cudaDeviceSynchronize();
  cudaEventCreate(&before), cudaEventCreate(&after);
  for (int k = 0; k < 3; k++) sweep_once();
  cudaEventRecord(before, queue);
  for (int k = 0; k < 8; k++) sweep_once();
  cudaEventRecord(after, queue);
  sweep_s = std::max(between_events() / 8, 1e-6);
  return cudaGetLastError();
}

// ---- A point

// How the host gets a batch going, and where it finds a value.
enum way { READ_BACK, MAPPED, GRAPH, BY_KEY };

struct open_point {
  way how;
  function reduce;
  uint64_t n, stride, copies, next;
  unsigned char *pool;
  void *temp;
  size_t temp_bytes;
  cell *out;
  cell *mapped, *mapped_there; // the same memory, as the host and as the GPU sees it
  cudaGraphExec_t many, one;   // GRAPH: many_batch reductions, and a call
  uint32_t many_batch;
  double enqueue_s; // the host's time for one reduction
  segments of;      // count 0: the whole array
  void *results;    // of the segments
  uint64_t result_bytes;
};

cudaError_t reduce_segments(open_point *self, void *temp, uint64_t copy, cudaStream_t stream);

cudaError_t enqueue_to(open_point *self, uint64_t copy, cell *out, cudaStream_t stream) {
  if (self->of.count) return reduce_segments(self, self->temp, copy, stream);
  return self->reduce.run(self->temp, self->temp_bytes, self->pool + copy * self->stride, out,
                          self->n, stream);
}

cudaError_t reduce_segments(open_point *self, void *temp, uint64_t copy, cudaStream_t stream) {
  segmented run = self->how == BY_KEY ? self->reduce.by_key : self->reduce.by_layout;
  return run(temp, self->temp_bytes, self->pool + copy * self->stride, self->results, self->of,
             stream);
}

cudaError_t enqueue(open_point *self, uint64_t copy) {
  if (self->of.count) return reduce_segments(self, self->temp, copy, queue);
  return enqueue_to(self, copy, self->out, queue);
}

cudaError_t enqueue_batch(open_point *self, uint32_t batch) {
  cudaError_t code = cudaSuccess;
  for (uint32_t k = 0; k < batch && code == cudaSuccess; k++)
    code = enqueue(self, self->next++ % self->copies);
  return code;
}

// Up once, then doubled on the device.
cudaError_t make_copies(open_point *self, const void *data, size_t bytes) {
  cudaError_t code = cudaMalloc(&self->pool, self->stride * (self->copies - 1) + bytes);
  if (code == cudaSuccess) code = cudaMemcpy(self->pool, data, bytes, cudaMemcpyHostToDevice);
  for (uint64_t made = 1; made < self->copies && code == cudaSuccess;) {
    uint64_t more = std::min(made, self->copies - made);
    code = cudaMemcpy(self->pool + made * self->stride, self->pool,
                      (more - 1) * self->stride + bytes, cudaMemcpyDeviceToDevice);
    made += more;
  }
  return code;
}

// Kernels of one reduction, as a captured stream shows them; 0 if it cannot be captured.
uint32_t count_launches(open_point *self) {
  cudaStream_t stream;
  cudaGraph_t graph = nullptr;
  size_t nodes = 0;
  if (cudaStreamCreate(&stream) != cudaSuccess) return 0;
  if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess) {
    cudaError_t code = enqueue_to(self, 0, self->out, stream);
    if (cudaStreamEndCapture(stream, &graph) == cudaSuccess && code == cudaSuccess)
      cudaGraphGetNodes(graph, nullptr, &nodes);
    if (graph) cudaGraphDestroy(graph);
  }
  cudaStreamDestroy(stream);
  cudaGetLastError(); // of the capture; it is no error of the point
  return static_cast<uint32_t>(nodes);
}

cudaError_t prepare(open_point *self, const void *data, size_t bytes) {
  cudaError_t code = prepare_device();
  if (code == cudaSuccess) code = make_copies(self, data, bytes);
  if (code == cudaSuccess) code = cudaMalloc(&self->out, sizeof *self->out);
  if (code == cudaSuccess) code = cudaHostAlloc(&self->mapped, sizeof(cell), cudaHostAllocMapped);
  void *there = nullptr;
  if (code == cudaSuccess) code = cudaHostGetDevicePointer(&there, self->mapped, 0);
  self->mapped_there = static_cast<cell *>(there);
  if (code == cudaSuccess)
    code = self->of.count
               ? reduce_segments(self, nullptr, 0, 0)
               : self->reduce.run(nullptr, self->temp_bytes, self->pool, self->out, self->n, 0);
  if (code == cudaSuccess) code = cudaMalloc(&self->temp, std::max<size_t>(self->temp_bytes, 1));
  if (code == cudaSuccess) code = enqueue_batch(self, 3);
  if (code == cudaSuccess) code = cudaDeviceSynchronize();
  double begin = peer_now();
  if (code == cudaSuccess) code = enqueue_batch(self, 16);
  self->enqueue_s = (peer_now() - begin) / 16;
  if (code == cudaSuccess) code = cudaDeviceSynchronize();
  return code;
}

template <class T> cudaError_t upload(const T **to, const T *from, size_t n) {
  void *made = nullptr;
  cudaError_t code = cudaMalloc(&made, n * sizeof(T));
  *to = static_cast<const T *>(made);
  return code == cudaSuccess ? cudaMemcpy(made, from, n * sizeof(T), cudaMemcpyHostToDevice) : code;
}

cudaError_t bring_segments(open_point *self, const peer_point *point) {
  segments *of = &self->of;
  *of = {point->n, point->segments, point->length, nullptr, nullptr, nullptr, nullptr};
  self->result_bytes = point->segments * peer_result_size(point);
  cudaError_t code = cudaMalloc(&self->results, self->result_bytes);
  if (code != cudaSuccess) return code;
  if (self->how != BY_KEY)
    return point->offsets ? upload(&of->offsets, point->offsets, point->segments + 1) : code;
  std::vector<uint32_t> keys(point->n);
  for (uint64_t s = 0; s < point->segments; s++) {
    uint64_t first = point->offsets ? point->offsets[s] : s * point->length;
    uint64_t last = point->offsets ? point->offsets[s + 1] : first + point->length;
    std::fill(keys.begin() + first, keys.begin() + last, static_cast<uint32_t>(s));
  }
  of->n = point->offsets ? point->offsets[point->segments] : point->segments * point->length;
  code = upload(&of->keys, keys.data(), keys.size());
  if (code == cudaSuccess) code = cudaMalloc(&of->keys_out, point->segments * sizeof *of->keys_out);
  if (code == cudaSuccess) code = cudaMalloc(&of->runs, sizeof *of->runs);
  return code;
}

void release(open_point *self) {
  cudaFree(const_cast<uint64_t *>(self->of.offsets)),
      cudaFree(const_cast<uint32_t *>(self->of.keys));
  cudaFree(self->of.keys_out), cudaFree(self->of.runs), cudaFree(self->results);
  if (self->many) cudaGraphExecDestroy(self->many);
  if (self->one) cudaGraphExecDestroy(self->one);
  if (self->mapped) cudaFreeHost(self->mapped);
  cudaFree(self->pool), cudaFree(self->temp), cudaFree(self->out);
  delete self;
}

const char *why_no_segments(way how, const function &reduce, const peer_point *point) {
  if (!point->segments) return how == BY_KEY ? "it reduces segments only" : nullptr;
  if (!(how == BY_KEY ? reduce.by_key : reduce.by_layout)) return "not of segments";
  if (point->inner > 1) return "it does not reduce columns";
  if (how != BY_KEY) return nullptr;
  for (uint64_t s = 0; point->offsets && s < point->segments; s++)
    if (point->offsets[s] == point->offsets[s + 1]) return "keys have no empty segments";
  return point->segments > UINT32_MAX ? "more segments than keys" : nullptr;
}

int open_as(way how, peer_point *point, peer_answer *answer) {
  auto found = functions.find(std::string(point->op) + " " + point->type);
  if (found == functions.end()) return peer_declined(answer, "no %s of %s", point->op, point->type);
  if (const char *why = why_no_segments(how, found->second, point))
    return peer_declined(answer, "%s", why);
  const size_t bytes = point->n * point->element;
  if (point->copies == 0 || (point->copies > 1 && point->stride < bytes))
    return peer_failed(answer, "copies that overlap");
  open_point *self = new open_point();
  self->how = how;
  self->reduce = found->second;
  self->n = point->n, self->stride = point->stride, self->copies = point->copies;
  cudaError_t code = point->segments ? bring_segments(self, point) : cudaSuccess;
  if (code == cudaSuccess) code = prepare(self, point->data, bytes);
  if (code == cudaErrorNotSupported) {
    release(self);
    return peer_declined(answer, "this CUB has nothing for segments of one length");
  }
  if (code != cudaSuccess) {
    release(self);
    cudaGetLastError();
    if (code == cudaErrorMemoryAllocation)
      return peer_declined(answer, "the GPU has no room for the copies");
    return peer_failed(answer, "%s", cudaGetErrorString(code));
  }
  point->self = self;
  return peer_opened(answer, 1, count_launches(self), "");
}

int open_read_back(peer_point *point, peer_answer *answer) {
  return open_as(READ_BACK, point, answer);
}
int open_by_key(peer_point *point, peer_answer *answer) {
  return open_as(BY_KEY, point, answer);
}
int open_mapped(peer_point *point, peer_answer *answer) {
  return open_as(MAPPED, point, answer);
}
int open_graph(peer_point *point, peer_answer *answer) {
  return open_as(GRAPH, point, answer);
}

// ---- Graphs

// What `enqueues` enqueues, ready to be launched, and launched once.
template <class Enqueues> cudaError_t make_graph(cudaGraphExec_t *made, Enqueues enqueues) {
  cudaGraph_t graph = nullptr;
  if (*made) cudaGraphExecDestroy(*made);
  *made = nullptr;
  cudaError_t code = cudaStreamBeginCapture(queue, cudaStreamCaptureModeThreadLocal);
  if (code != cudaSuccess) return code;
  code = enqueues();
  cudaError_t ended = cudaStreamEndCapture(queue, &graph);
  if (code == cudaSuccess) code = ended;
  if (code == cudaSuccess) code = cudaGraphInstantiate(made, graph, 0);
  if (graph) cudaGraphDestroy(graph);
  if (code == cudaSuccess) code = cudaGraphLaunch(*made, queue);
  return code == cudaSuccess ? cudaStreamSynchronize(queue) : code;
}

cudaError_t make_graphs(open_point *self, int kind, uint32_t batch) {
  if (kind == PEER_LATENCY) {
    if (self->one) return cudaSuccess;
    return make_graph(&self->one, [&] { return enqueue_to(self, 0, self->mapped_there, queue); });
  }
  if (self->many && self->many_batch == batch) return cudaSuccess;
  self->many_batch = batch;
  return make_graph(&self->many, [&] { return enqueue_batch(self, batch); });
}

cudaError_t start_batch(open_point *self, uint32_t batch) {
  return self->how == GRAPH ? cudaGraphLaunch(self->many, queue) : enqueue_batch(self, batch);
}

// ---- Samples

// The sweeps last longer than the host needs to enqueue the batch, so that no reduction waits for
// its launch.
cudaError_t take_device(open_point *self, uint32_t batch, double *seconds) {
  double busy_s = std::min(1.5 * self->enqueue_s * batch, 0.1);
  for (double planned_s = 0; planned_s <= busy_s; planned_s += sweep_s) sweep_once();
  cudaEventRecord(before, queue);
  cudaError_t code = start_batch(self, batch);
  cudaEventRecord(after, queue);
  *seconds = between_events() / batch;
  return code;
}

cudaError_t take_host(open_point *self, uint32_t batch, double *seconds) {
  double begin = peer_now();
  cudaError_t code = start_batch(self, batch);
  if (code == cudaSuccess) code = cudaDeviceSynchronize();
  *seconds = (peer_now() - begin) / batch;
  return code;
}

// One call, until the value is in a variable of the host's.
cudaError_t take_latency(open_point *self, cell *value, double *seconds) {
  memset(self->mapped, 0x5a, sizeof *self->mapped);
  double begin = peer_now();
  cudaError_t code = self->how == GRAPH       ? cudaGraphLaunch(self->one, queue)
                     : self->how == READ_BACK ? enqueue(self, 0)
                                              : enqueue_to(self, 0, self->mapped_there, queue);
  if (code == cudaSuccess && self->how == READ_BACK)
    code = cudaMemcpyAsync(value, self->out, sizeof *value, cudaMemcpyDeviceToHost, queue);
  if (code == cudaSuccess) code = cudaStreamSynchronize(queue);
  if (self->how != READ_BACK) *value = *self->mapped;
  *seconds = peer_now() - begin;
  return code;
}

// What is timed must write the value that is told afterwards.
cudaError_t forget_value(open_point *self) {
  if (self->of.count) cudaMemsetAsync(self->results, 0x5a, self->result_bytes, queue);
  cudaError_t code = cudaMemsetAsync(self->out, 0x5a, sizeof(cell), queue);
  return code == cudaSuccess ? cudaStreamSynchronize(queue) : code;
}

void take(peer_point *point, int kind, uint32_t batch, peer_sample *sample) {
  open_point *self = static_cast<open_point *>(point->self);
  cell value;
  cudaError_t code = self->how == GRAPH ? make_graphs(self, kind, batch) : cudaSuccess;
  if (code == cudaSuccess)
    code = kind == PEER_LATENCY ? enqueue(self, 0) : enqueue_batch(self, 1); // not measured
  if (code == cudaSuccess) code = forget_value(self);
  if (code == cudaSuccess)
    code = kind == PEER_DEVICE ? take_device(self, batch, &sample->seconds)
           : kind == PEER_HOST ? take_host(self, batch, &sample->seconds)
                               : take_latency(self, &value, &sample->seconds);
  if (code == cudaSuccess && kind != PEER_LATENCY)
    code = cudaMemcpy(&value, self->out, sizeof value, cudaMemcpyDeviceToHost);
  if (code == cudaSuccess) code = cudaGetLastError();
  sample->device = kind == PEER_DEVICE;
  if (code != cudaSuccess) {
    peer_take_failed(sample, "%s", cudaGetErrorString(code));
  } else if (!(sample->seconds > 0)) {
    peer_take_failed(sample, "the GPU's clock stood still");
  } else if (!self->of.count) {
    self->reduce.tell(value, sample);
    if (self->reduce.indexed) peer_index(sample, static_cast<uint64_t>(value.index));
  }
}

void values(peer_point *point, void *to) {
  const open_point *self = static_cast<const open_point *>(point->self);
  cudaMemcpy(to, self->results, self->result_bytes, cudaMemcpyDeviceToHost);
}

void close(peer_point *point) {
  release(static_cast<open_point *>(point->self));
}

} // namespace

int main() {
  cudaDeviceProp properties;
  cudaFuncAttributes built;
  cudaError_t code = cudaGetDeviceProperties(&properties, 0);
  if (code == cudaSuccess) code = cudaSetDevice(0);
  if (code == cudaSuccess) code = cudaFuncGetAttributes(&built, sweep);
  if (code != cudaSuccess) return peer_main_failed(cudaGetErrorString(code));
  // It would run, by the sizes that CUB chose for the older GPU.
  if (built.ptxVersion / 10 < properties.major)
    return peer_main_failed(
        "built for an older GPU than this one: build it with nvcc -arch=native");
  std::string about =
      "CUB " + std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION) + "." +
      std::to_string(CUB_SUBMINOR_VERSION) + ", CUDA " + std::to_string(CUDART_VERSION / 1000) +
      "." + std::to_string(CUDART_VERSION % 1000 / 10) + ", " + properties.name;
  add_all();
  const peer peers[] = {{"cub", about.c_str(), open_read_back, take, close, values},
                        {"cub-by-key", about.c_str(), open_by_key, take, close, values},
                        {"cub-mapped", about.c_str(), open_mapped, take, close, nullptr},
                        {"cub-graph", about.c_str(), open_graph, take, close, nullptr}};
  return peer_main(peers, sizeof peers / sizeof *peers);
}
