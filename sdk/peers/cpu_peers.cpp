// What a user would pick on a CPU: loops under OpenMP, std::reduce with a parallel policy,
// OpenBLAS. Each that the build found is one peer: PEER_OPENMP, PEER_STD, PEER_OPENBLAS.
//
// This file alone is compiled with -ffast-math, as many do for such loops: so the compiler may
// reorder floats and take them for finite.  NaN and infinities may come out wrong, which redhost
// then says.
#include "peer.h"

#include "cpu_functions.hpp"

namespace {

// ---- The copies

// One set for all peers of this program, which are open on the same data.  Each thread is the first
// to touch what it will read, so that on a machine of several memories it is near.
struct copies {
  unsigned char *at;
  uint64_t bytes, users;
};
copies pool;

void fill(const peer_point *point) {
  const unsigned char *data = static_cast<const unsigned char *>(point->data);
  const uint64_t bytes = point->n * point->element, page = 2 << 20;
  const uint64_t pages = (bytes + page - 1) / page;
#pragma omp parallel for collapse(2) schedule(static)
  for (uint64_t copy = 0; copy < point->copies; copy++)
    for (uint64_t k = 0; k < pages; k++)
      memcpy(pool.at + copy * point->stride + k * page, data + k * page,
             std::min(page, bytes - k * page));
}

// Whole huge pages, as redhost's own.
bool hold_copies(const peer_point *point) {
  if (pool.users++) return true;
  const uint64_t huge = 2 << 20,
                 bytes = point->stride * (point->copies - 1) + point->n * point->element;
  pool.bytes = (bytes + huge - 1) / huge * huge;
  pool.at = static_cast<unsigned char *>(aligned_alloc(huge, pool.bytes));
  if (!pool.at) {
    pool.users = 0;
    return false;
  }
  madvise(pool.at, pool.bytes, MADV_HUGEPAGE);
  fill(point);
  return true;
}

void let_copies_go() {
  if (--pool.users) return;
  free(pool.at);
  pool.at = nullptr;
}

// ---- A peer

struct open_point {
  const function *call;
  uint64_t next;
  std::vector<uint64_t> offsets; // of segments, and their results
  std::vector<uint64_t> results;
};

int open_with(const functions &all, uint64_t most, const char *params, peer_point *point,
              peer_answer *answer) {
  auto found = all.find(std::string(point->op) + " " + point->type);
  if (found == all.end()) return peer_declined(answer, "no %s of %s", point->op, point->type);
  if (point->segments && !found->second.reduce_segments)
    return peer_declined(answer, "no %s of segments", point->op);
  if (point->n > most) return peer_declined(answer, "more than %" PRIu64 " elements", most);
  if (point->copies == 0 || (point->copies > 1 && point->stride < point->n * point->element))
    return peer_failed(answer, "copies that overlap");
  if (!hold_copies(point)) return peer_failed(answer, "no memory for the copies");
  open_point *self = new open_point{&found->second, 0, {}, {}};
  if (point->offsets) self->offsets.assign(point->offsets, point->offsets + point->segments + 1);
  self->results.resize((point->segments * peer_result_size(point) + 7) / 8);
  point->self = self;
  return peer_opened(answer, 0, 0, params);
}

void reduce_one(const peer_point *point, open_point *self, uint64_t copy, value *result) {
  if (point->segments) {
    const layout of = {point->segments, point->length, point->inner,
                       self->offsets.empty() ? nullptr : self->offsets.data()};
    self->call->reduce_segments(pool.at + copy * point->stride, of, self->results.data());
    return;
  }
  self->call->reduce(pool.at + copy * point->stride, point->n, result);
}

void take(peer_point *point, int kind, uint32_t batch, peer_sample *sample) {
  open_point *self = static_cast<open_point *>(point->self);
  const uint64_t copies = kind == PEER_LATENCY ? 1 : point->copies;
  value result = {};
  reduce_one(point, self, self->next++ % copies, &result); // wakes the threads
  double begin = peer_now();
  for (uint32_t k = 0; k < batch; k++) reduce_one(point, self, self->next++ % copies, &result);
  sample->seconds = (peer_now() - begin) / batch;
  switch (self->call->is) {
  case shape::i64: peer_value_i64(sample, static_cast<int64_t>(result.u)); break;
  case shape::u64: peer_value_u64(sample, result.u); break;
  case shape::f64: peer_value_f64(sample, result.f); break;
  }
  if (self->call->indexed) peer_index(sample, result.index);
}

[[maybe_unused]] void values(peer_point *point, void *to) {
  const open_point *self = static_cast<const open_point *>(point->self);
  memcpy(to, self->results.data(), point->segments * peer_result_size(point));
}

void close(peer_point *point) {
  delete static_cast<open_point *>(point->self);
  let_copies_go();
}

#ifdef PEER_OPENMP
int open_openmp(peer_point *point, peer_answer *answer) {
  static functions all;
  if (all.empty()) {
    add_openmp<int8_t>(&all), add_openmp<uint8_t>(&all);
    add_openmp<int16_t>(&all), add_openmp<uint16_t>(&all);
    add_openmp<int32_t>(&all), add_openmp<uint32_t>(&all);
    add_openmp<int64_t>(&all), add_openmp<uint64_t>(&all);
    add_openmp<float>(&all), add_openmp<double>(&all);
  }
  std::string params = "threads=" + std::to_string(omp_get_max_threads());
  return open_with(all, UINT64_MAX, params.c_str(), point, answer);
}
#endif

#ifdef PEER_STD
int open_std(peer_point *point, peer_answer *answer) {
  static functions all;
  if (all.empty()) {
    add_std<int8_t>(&all), add_std<uint8_t>(&all);
    add_std<int32_t>(&all), add_std<uint32_t>(&all);
    add_std<int64_t>(&all), add_std<uint64_t>(&all);
    add_std<float>(&all), add_std<double>(&all);
  }
  return open_with(all, UINT64_MAX, "", point, answer);
}
#endif

#ifdef PEER_OPENBLAS
int open_openblas(peer_point *point, peer_answer *answer) {
  static functions all;
  if (all.empty()) add_openblas(&all);
  std::string params = "threads=" + std::to_string(openblas_get_num_threads());
  return open_with(all, std::numeric_limits<blasint>::max(), params.c_str(), point, answer);
}
#endif

} // namespace

#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)

// GNU's OpenMP lets threads spin for milliseconds wherever they wait: on two processors that others
// used too, sums of 50 us took from 0.1 to 8 ms.  A tenth of that is still enough from one call of
// a batch to the next (a hundredth is not: 110 us more for waking).  It reads the environment
// before main, hence the second start.
static void spin_shortly(char **argv) {
  if (getenv("GOMP_SPINCOUNT") || getenv("OMP_WAIT_POLICY")) return;
  setenv("GOMP_SPINCOUNT", "20000", 1);
  execv("/proc/self/exe", argv); // where it fails, all goes on as it was
}

int main(int, char **argv) {
  spin_shortly(argv);
  peer peers[3];
  size_t n = 0;
#ifdef PEER_OPENMP
  peers[n++] = {"openmp",    "OpenMP " TEXT(_OPENMP) " loops, built by " __VERSION__,
                open_openmp, take,
                close,       values};
#endif
#ifdef PEER_STD
  peers[n++] = {"std-reduce", "std::reduce, par_unseq, libstdc++ " TEXT(__GLIBCXX__),
                open_std,     take,
                close,        nullptr};
#endif
#ifdef PEER_OPENBLAS
  peers[n++] = {"openblas", openblas_get_config(), open_openblas, take, close, nullptr};
#endif
  if (n == 0) return peer_main_failed("built without OpenMP, a parallel std::reduce and OpenBLAS");
  return peer_main(peers, n);
}
