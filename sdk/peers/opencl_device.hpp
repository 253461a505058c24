// The device that redhost uses, the copies on it, and its clock: what the OpenCL peers share.
#ifndef OPENCL_DEVICE_HPP
#define OPENCL_DEVICE_HPP

#include "peer.h"

#include <CL/cl.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <strings.h>
#include <vector>

namespace {

inline void check(cl_int code, const char *what) {
  if (code != CL_SUCCESS)
    throw std::runtime_error(std::string(what) + " failed with code " + std::to_string(code));
}

// ---- Which device

struct candidate {
  cl_platform_id platform;
  cl_device_id id;
  std::string label, name, platform_name; // "0:1"
  cl_device_type type;
};

inline std::string device_text(cl_device_id id, cl_device_info what) {
  char text[16384] = "";
  clGetDeviceInfo(id, what, sizeof text - 1, text, nullptr);
  return text;
}

// In the order in which redhost numbers them.
inline std::vector<candidate> all_devices() {
  std::vector<candidate> all;
  cl_platform_id platforms[64];
  cl_uint n_platforms = 0;
  if (clGetPlatformIDs(64, platforms, &n_platforms) != CL_SUCCESS) return all;
  for (cl_uint p = 0; p < std::min(n_platforms, 64u); p++) {
    cl_device_id ids[64];
    cl_uint n = 0;
    char name[1024] = "";
    clGetPlatformInfo(platforms[p], CL_PLATFORM_NAME, sizeof name - 1, name, nullptr);
    if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 64, ids, &n) != CL_SUCCESS) continue;
    for (cl_uint d = 0; d < std::min(n, 64u); d++) {
      cl_device_type type = 0;
      clGetDeviceInfo(ids[d], CL_DEVICE_TYPE, sizeof type, &type, nullptr);
      all.push_back({platforms[p], ids[d], std::to_string(p) + ":" + std::to_string(d),
                     device_text(ids[d], CL_DEVICE_NAME), name, type});
    }
  }
  return all;
}

inline bool has_type(const candidate &device, const std::string &word) {
  return (device.type & CL_DEVICE_TYPE_GPU && !strcasecmp(word.c_str(), "gpu")) ||
         (device.type & CL_DEVICE_TYPE_CPU && !strcasecmp(word.c_str(), "cpu")) ||
         (device.type & CL_DEVICE_TYPE_ACCELERATOR && !strcasecmp(word.c_str(), "accelerator"));
}

// As --device and REDHOST_DEVICE: an index, a kind, a part of a name; without one a GPU, an
// accelerator, a CPU.
inline candidate choose_device() {
  const std::vector<candidate> all = all_devices();
  const char *wanted = getenv("REDHOST_DEVICE");
  for (const char *kind : {"gpu", "accelerator", "cpu"})
    for (const candidate &device : all)
      if (!wanted && has_type(device, kind)) return device;
  for (size_t k = 0; wanted && k < all.size(); k++)
    if (all[k].label == wanted || std::to_string(k) == wanted || has_type(all[k], wanted))
      return all[k];
  for (const candidate &device : all)
    if (wanted && (strcasestr(device.name.c_str(), wanted) ||
                   strcasestr(device.platform_name.c_str(), wanted)))
      return device;
  throw std::runtime_error(wanted ? "no OpenCL device is REDHOST_DEVICE=" + std::string(wanted)
                                  : "no OpenCL device");
}

// ---- The device in use

struct opencl {
  candidate device;
  cl_context context;
  cl_command_queue profiling, plain; // in order, both
  bool is_cpu, has_f64;
  cl_mem scratch; // for the sweep; null on CPUs, where it would compete with what enqueues
  cl_kernel sweep;
  double sweep_s;
};

constexpr size_t scratch_bytes = 256 << 20, sweep_items = 1 << 18;

inline double stamp(cl_event event, cl_profiling_info which) {
  cl_ulong ns = 0;
  check(clGetEventProfilingInfo(event, which, sizeof ns, &ns, nullptr),
        "reading the device's clock");
  return static_cast<double>(ns) * 1e-9;
}

inline void sweep_once(const opencl &cl) {
  const size_t items = sweep_items;
  check(clEnqueueNDRangeKernel(cl.profiling, cl.sweep, 1, nullptr, &items, nullptr, 0, nullptr,
                               nullptr),
        "the sweep");
}

// Between two markers; the device reaches the first when all before it is done.
template <class Work> double device_time(const opencl &cl, Work work) {
  cl_event begin = nullptr, end = nullptr;
  check(clEnqueueMarkerWithWaitList(cl.profiling, 0, nullptr, &begin), "a marker");
  work();
  check(clEnqueueMarkerWithWaitList(cl.profiling, 0, nullptr, &end), "a marker");
  check(clFinish(cl.profiling), "the batch");
  double seconds = stamp(end, CL_PROFILING_COMMAND_END) - stamp(begin, CL_PROFILING_COMMAND_END);
  clReleaseEvent(begin);
  clReleaseEvent(end);
  return seconds;
}

inline void prepare_sweep(opencl *cl) {
  static const char *const source =
      "kernel void sweep(global const float4 *x, global float *never, ulong n) {\n"
      "  float4 s = 0.0f;\n"
      "  for (ulong k = get_global_id(0); k < n; k += get_global_size(0)) s += x[k];\n"
      "  if (s.x + s.y + s.z + s.w == -1.0f) *never = s.x;\n" // never, which no compiler knows
      "}\n";
  cl_int code;
  const float zero = 0;
  const cl_ulong n = scratch_bytes / 16;
  cl->scratch = clCreateBuffer(cl->context, CL_MEM_READ_WRITE, scratch_bytes, nullptr, &code);
  check(code, "memory for the sweep");
  check(clEnqueueFillBuffer(cl->profiling, cl->scratch, &zero, sizeof zero, 0, scratch_bytes, 0,
                            nullptr, nullptr),
        "filling memory");
  cl_program program =
      clCreateProgramWithSource(cl->context, 1, const_cast<const char **>(&source), nullptr, &code);
  check(code, "the sweep's program");
  check(clBuildProgram(program, 1, &cl->device.id, "", nullptr, nullptr), "building the sweep");
  cl->sweep = clCreateKernel(program, "sweep", &code);
  check(code, "the sweep's kernel");
  clReleaseProgram(program);
  check(clSetKernelArg(cl->sweep, 0, sizeof cl->scratch, &cl->scratch), "an argument");
  check(clSetKernelArg(cl->sweep, 1, sizeof cl->scratch, &cl->scratch), "an argument");
  check(clSetKernelArg(cl->sweep, 2, sizeof n, &n), "an argument");
  for (int k = 0; k < 3; k++) sweep_once(*cl);
  auto eight = [cl] {
    for (int k = 0; k < 8; k++) sweep_once(*cl);
  };
  cl->sweep_s = std::max(device_time(*cl, eight) / 8, 1e-6);
}

inline opencl open_device() {
  opencl cl = {};
  cl_int code;
  cl.device = choose_device();
  cl.is_cpu = (cl.device.type & CL_DEVICE_TYPE_CPU) != 0;
  cl.has_f64 =
      device_text(cl.device.id, CL_DEVICE_EXTENSIONS).find("cl_khr_fp64") != std::string::npos;
  cl.context = clCreateContext(nullptr, 1, &cl.device.id, nullptr, nullptr, &code);
  check(code, "a context");
  cl.profiling = clCreateCommandQueue(cl.context, cl.device.id, CL_QUEUE_PROFILING_ENABLE, &code);
  check(code, "a queue that stamps times");
  cl.plain = clCreateCommandQueue(cl.context, cl.device.id, 0, &code);
  check(code, "a queue");
  if (!cl.is_cpu) prepare_sweep(&cl);
  return cl;
}

// ---- The copies

// One set for all peers of this program, which are open on the same data: in as many buffers as the
// largest allowed makes necessary.  Each copy is a buffer of its own, a part of one of those, since
// an offset is a constant in the kernels that Boost.Compute builds: one program for each copy.
struct device_copies {
  uint64_t users;
  std::vector<cl_mem> copies, buffers;
  std::vector<void *> memory; // theirs, on CPUs: whole huge pages, as redhost's own
};

inline void release_copies(device_copies *pool) {
  for (cl_mem copy : pool->copies) clReleaseMemObject(copy);
  for (cl_mem buffer : pool->buffers) clReleaseMemObject(buffer);
  for (void *memory : pool->memory) free(memory);
  *pool = {};
}

inline cl_mem new_buffer(const opencl &cl, device_copies *pool, size_t bytes) {
  const size_t huge = 2 << 20, whole = (bytes + huge - 1) / huge * huge;
  void *memory = nullptr;
  if (cl.is_cpu) {
    memory = aligned_alloc(huge, whole);
    if (!memory) throw std::runtime_error("no memory for the copies");
    madvise(memory, whole, MADV_HUGEPAGE);
    pool->memory.push_back(memory);
  }
  cl_int code;
  cl_mem buffer = clCreateBuffer(cl.context, CL_MEM_READ_WRITE | (memory ? CL_MEM_USE_HOST_PTR : 0),
                                 bytes, memory, &code);
  check(code, "memory for the copies");
  pool->buffers.push_back(buffer);
  return buffer;
}

// Up once, then doubled on the device.
inline void fill_buffer(const opencl &cl, cl_mem buffer, const peer_point *point, uint64_t copies) {
  const size_t bytes = point->n * point->element;
  check(clEnqueueWriteBuffer(cl.plain, buffer, CL_TRUE, 0, bytes, point->data, 0, nullptr, nullptr),
        "writing the data");
  for (uint64_t made = 1; made < copies;) {
    uint64_t more = std::min(made, copies - made);
    check(clEnqueueCopyBuffer(cl.plain, buffer, buffer, 0, made * point->stride,
                              (more - 1) * point->stride + bytes, 0, nullptr, nullptr),
          "copying the data");
    made += more;
  }
  check(clFinish(cl.plain), "copying the data");
}

inline cl_mem part_of(cl_mem buffer, size_t begin, size_t bytes) {
  const cl_buffer_region region = {begin, bytes};
  cl_int code;
  cl_mem part =
      clCreateSubBuffer(buffer, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  check(code, "a buffer for a copy");
  return part;
}

inline void hold_copies(const opencl &cl, device_copies *pool, const peer_point *point) {
  if (pool->users++) return;
  const size_t bytes = point->n * point->element;
  cl_ulong most = 0;
  check(clGetDeviceInfo(cl.device.id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, nullptr),
        "asking the device");
  const uint64_t fit = bytes > most ? 1 : 1 + (most - bytes) / std::max<uint64_t>(point->stride, 1);
  const uint64_t per_buffer = std::min(point->copies, fit);
  for (uint64_t made = 0; made < point->copies; made += per_buffer) {
    const uint64_t here = std::min(per_buffer, point->copies - made);
    cl_mem buffer = new_buffer(cl, pool, (here - 1) * point->stride + bytes);
    fill_buffer(cl, buffer, point, here);
    for (uint64_t k = 0; k < here; k++)
      pool->copies.push_back(part_of(buffer, k * point->stride, bytes));
  }
}

inline void let_copies_go(device_copies *pool) {
  if (--pool->users == 0) release_copies(pool);
}

} // namespace

#endif
