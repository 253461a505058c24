// What a user would pick for OpenCL: Boost.Compute and CLBlast, on the device that redhost uses.
// Each that the build found is one peer: PEER_BOOST_COMPUTE, PEER_CLBLAST.
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "opencl_device.hpp"

#ifdef PEER_BOOST_COMPUTE
#include <boost/compute/algorithm/max_element.hpp>
#include <boost/compute/algorithm/min_element.hpp>
#include <boost/compute/algorithm/reduce.hpp>
#include <boost/compute/functional.hpp>
#include <boost/compute/iterator/buffer_iterator.hpp>
#include <boost/version.hpp>
#endif
#ifdef PEER_CLBLAST
#include <clblast.h>
#endif
#include <cmath>
#include <map>
#include <type_traits>

namespace {

opencl cl;
device_copies pool;

// ---- One reduction

struct open_point {
  struct function *call;
  uint64_t n, copies, next;
  cl_mem out;       // 16 bytes
  double enqueue_s; // the host's time for one reduction
};

struct function {
  // Enqueues a reduction whose answer goes to `out`.
  void (*run)(open_point *self, cl_mem x, cl_command_queue queue);
  // Reads the answer; not measured, but for its transfer in a latency.
  void (*tell)(open_point *self, peer_sample *to);
  bool waits; // for its answer, each time: the device's clock would count the host's work too
};
using functions = std::map<std::string, function>;

template <class T> const char *type_name() {
  if (std::is_floating_point_v<T>) return sizeof(T) == 4 ? "f32" : "f64";
  static const char *const names[2][4] = {{"u8", "u16", "u32", "u64"}, {"i8", "i16", "i32", "i64"}};
  return names[std::is_signed_v<T>][sizeof(T) == 1   ? 0
                                    : sizeof(T) == 2 ? 1
                                    : sizeof(T) == 4 ? 2
                                                     : 3];
}

template <class T> T read_at(cl_mem buffer, size_t bytes) {
  T value;
  check(clEnqueueReadBuffer(cl.plain, buffer, CL_TRUE, bytes, sizeof value, &value, 0, nullptr,
                            nullptr),
        "reading the answer");
  return value;
}

template <class T> void tell_value(T value, peer_sample *to) {
  if constexpr (std::is_floating_point_v<T>)
    peer_value_f64(to, value);
  else if constexpr (std::is_signed_v<T>)
    peer_value_i64(to, value);
  else
    peer_value_u64(to, value);
}

template <class T> void tell_out(open_point *self, peer_sample *to) {
  tell_value(read_at<T>(self->out, 0), to);
}

// The answer is an index, and the element there is looked up.
template <class T, class Index, bool magnitude> void tell_index(open_point *self, peer_sample *to) {
  uint64_t index = read_at<Index>(self->out, 0);
  if (index >= self->n)
    throw std::runtime_error("an index beyond the data: " + std::to_string(index));
  T value = read_at<T>(pool.copies[0], index * sizeof(T));
  if constexpr (magnitude) value = std::fabs(value);
  tell_value(value, to);
  peer_index(to, index);
}

// ---- Boost.Compute

#ifdef PEER_BOOST_COMPUTE
namespace bc = boost::compute;

// A queue of Boost's around each of ours, made once: making one costs calls that are no part of a
// reduction.
bc::command_queue &boost_queue(cl_command_queue queue) {
  static bc::command_queue profiling(cl.profiling), plain(cl.plain);
  return queue == cl.profiling ? profiling : plain;
}

template <class T> struct range {
  bc::buffer input_buffer, out_buffer;
  bc::buffer_iterator<T> begin, end;
  range(open_point *self, cl_mem x)
      : input_buffer(x), out_buffer(self->out), begin(input_buffer, 0), end(input_buffer, self->n) {
  }
};

template <class T, template <class> class Function>
void boost_reduce(open_point *self, cl_mem x, cl_command_queue queue) {
  range<T> r(self, x);
  bc::reduce(r.begin, r.end, bc::buffer_iterator<T>(r.out_buffer, 0), Function<T>(),
             boost_queue(queue));
}

// Boost gives an iterator on the host, which is put where the others' answers are.
template <class T, bool most> void boost_arg(open_point *self, cl_mem x, cl_command_queue queue) {
  range<T> r(self, x);
  bc::command_queue &boosts = boost_queue(queue);
  auto found =
      most ? bc::max_element(r.begin, r.end, boosts) : bc::min_element(r.begin, r.end, boosts);
  cl_ulong index = static_cast<cl_ulong>(found - r.begin);
  check(
      clEnqueueWriteBuffer(queue, self->out, CL_TRUE, 0, sizeof index, &index, 0, nullptr, nullptr),
      "noting the answer");
}

template <class T> void add_boost(functions *to) {
  const std::string type = std::string(" ") + type_name<T>();
  // Sums of small integers would wrap in their own type, where redhost's are of 64 bits.
  if (sizeof(T) == 8 || std::is_floating_point_v<T>)
    (*to)["sum" + type] = {boost_reduce<T, bc::plus>, tell_out<T>, false};
  (*to)["min" + type] = {boost_reduce<T, bc::min>, tell_out<T>, false};
  (*to)["max" + type] = {boost_reduce<T, bc::max>, tell_out<T>, false};
  (*to)["argmin" + type] = {boost_arg<T, false>, tell_index<T, cl_ulong, false>, true};
  (*to)["argmax" + type] = {boost_arg<T, true>, tell_index<T, cl_ulong, false>, true};
}
#endif

// ---- CLBlast

#ifdef PEER_CLBLAST
using clblast_call = clblast::StatusCode (*)(size_t, cl_mem, size_t, cl_mem, size_t, size_t,
                                             cl_command_queue *, cl_event *);

template <class T, clblast_call routine>
void clblast_run(open_point *self, cl_mem x, cl_command_queue queue) {
  clblast::StatusCode code = routine(self->n, self->out, 0, x, 0, 1, &queue, nullptr);
  check(static_cast<cl_int>(code), "CLBlast");
}

template <class T> void add_clblast(functions *to) {
  const std::string type = std::string(" ") + type_name<T>();
  (*to)["sum" + type] = {clblast_run<T, clblast::Sum<T>>, tell_out<T>, false};
  (*to)["asum" + type] = {clblast_run<T, clblast::Asum<T>>, tell_out<T>, false};
  (*to)["argmin" + type] = {clblast_run<T, clblast::Min<T>>, tell_index<T, cl_uint, false>, false};
  (*to)["argmax" + type] = {clblast_run<T, clblast::Max<T>>, tell_index<T, cl_uint, false>, false};
  (*to)["argamax" + type] = {clblast_run<T, clblast::Amax<T>>, tell_index<T, cl_uint, true>, false};
}
#endif

// ---- A peer

void enqueue_batch(open_point *self, uint32_t batch, uint64_t copies, cl_command_queue queue) {
  for (uint32_t k = 0; k < batch; k++) {
    self->call->run(self, pool.copies[self->next++ % copies], queue);
  }
}

void prepare(open_point *self) {
  cl_int code;
  self->out = clCreateBuffer(cl.context, CL_MEM_READ_WRITE, 16, nullptr, &code);
  check(code, "memory for the answer");
  for (cl_command_queue queue : {cl.profiling, cl.plain}) { // builds what is to be built, too
    enqueue_batch(self, 2, self->copies, queue);
    check(clFinish(queue), "a first run");
  }
  double begin = peer_now();
  enqueue_batch(self, 8, self->copies, cl.profiling);
  self->enqueue_s = (peer_now() - begin) / 8;
  check(clFinish(cl.profiling), "a first batch");
}

void release(open_point *self) {
  if (self->out) clReleaseMemObject(self->out);
  let_copies_go(&pool);
  delete self;
}

int open_with(functions *all, peer_point *point, peer_answer *answer) {
  auto found = all->find(std::string(point->op) + " " + point->type);
  if (found == all->end()) return peer_declined(answer, "no %s of %s", point->op, point->type);
  if (!cl.has_f64 && std::string(point->type) == "f64")
    return peer_declined(answer, "the device has no f64");
  if (point->n > UINT32_MAX) return peer_declined(answer, "more than %u elements", UINT32_MAX);
  if (point->copies == 0 || (point->copies > 1 && point->stride < point->n * point->element))
    return peer_failed(answer, "copies that overlap");
  open_point *self = new open_point{&found->second, point->n, point->copies, 0, nullptr, 0};
  try {
    hold_copies(cl, &pool, point);
    prepare(self);
  } catch (const std::exception &error) {
    release(self);
    return peer_failed(answer, "%s", error.what());
  }
  point->self = self;
  return peer_opened(answer, !self->call->waits, 0, "");
}

void close(peer_point *point) {
  release(static_cast<open_point *>(point->self));
}

// ---- Samples

// The sweeps last longer than the host needs to enqueue the batch, so that no reduction waits for
// its launch.
void take_device(open_point *self, uint32_t batch, peer_sample *sample) {
  const double busy_s = std::min(1.5 * self->enqueue_s * batch, 0.1);
  for (double planned_s = 0; cl.scratch && planned_s <= busy_s; planned_s += cl.sweep_s)
    sweep_once(cl);
  if (cl.scratch) check(clFlush(cl.profiling), "the sweep");
  sample->seconds =
      device_time(cl, [=] { enqueue_batch(self, batch, self->copies, cl.profiling); }) / batch;
  sample->device = 1;
  if (!(sample->seconds > 0)) throw std::runtime_error("the device's clock stood still");
}

void take_host(open_point *self, uint32_t batch, peer_sample *sample) {
  double begin = peer_now();
  enqueue_batch(self, batch, self->copies, cl.plain);
  check(clFinish(cl.plain), "the batch");
  sample->seconds = (peer_now() - begin) / batch;
}

// Until the answer is here; what waits for it by itself has it.
void take_latency(open_point *self, peer_sample *sample) {
  double begin = peer_now();
  enqueue_batch(self, 1, 1, cl.plain);
  if (!self->call->waits) read_at<cl_ulong2>(self->out, 0);
  sample->seconds = peer_now() - begin;
}

void take(peer_point *point, int kind, uint32_t batch, peer_sample *sample) {
  open_point *self = static_cast<open_point *>(point->self);
  try {
    cl_command_queue queue = kind == PEER_DEVICE ? cl.profiling : cl.plain;
    enqueue_batch(self, 1, kind == PEER_LATENCY ? 1 : self->copies, queue); // not measured
    check(clFinish(queue), "a run");
    if (kind == PEER_LATENCY)
      take_latency(self, sample);
    else if (kind == PEER_HOST || self->call->waits)
      take_host(self, batch, sample);
    else
      take_device(self, batch, sample);
    self->call->tell(self, sample);
  } catch (const std::exception &error) {
    peer_take_failed(sample, "%s", error.what());
  }
}

#ifdef PEER_BOOST_COMPUTE
int open_boost(peer_point *point, peer_answer *answer) {
  static functions all;
  if (all.empty()) {
    add_boost<cl_char>(&all), add_boost<cl_uchar>(&all), add_boost<cl_short>(&all),
        add_boost<cl_ushort>(&all);
    add_boost<cl_int>(&all), add_boost<cl_uint>(&all), add_boost<cl_long>(&all),
        add_boost<cl_ulong>(&all);
    add_boost<cl_float>(&all), add_boost<cl_double>(&all);
  }
  return open_with(&all, point, answer);
}
#endif

#ifdef PEER_CLBLAST
int open_clblast(peer_point *point, peer_answer *answer) {
  static functions all;
  if (all.empty()) add_clblast<float>(&all), add_clblast<double>(&all);
  return open_with(&all, point, answer);
}
#endif

} // namespace

int main() {
  try {
    cl = open_device();
  } catch (const std::exception &error) {
    return peer_main_failed(error.what());
  }
  peer peers[2];
  size_t n = 0;
#ifdef PEER_BOOST_COMPUTE
  const std::string boost_about = "Boost.Compute " + std::to_string(BOOST_VERSION / 100000) + "." +
                                  std::to_string(BOOST_VERSION / 100 % 1000) + ", " +
                                  cl.device.name;
  peers[n++] = {"boost-compute", boost_about.c_str(), open_boost, take, close};
#endif
#ifdef PEER_CLBLAST
  const std::string clblast_about = "CLBlast " + std::to_string(CLBLAST_VERSION_MAJOR) + "." +
                                    std::to_string(CLBLAST_VERSION_MINOR) + "." +
                                    std::to_string(CLBLAST_VERSION_PATCH) + ", " + cl.device.name;
  peers[n++] = {"clblast", clblast_about.c_str(), open_clblast, take, close};
#endif
  return peer_main(peers, n);
}
