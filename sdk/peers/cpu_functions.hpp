// The functions behind cpu_peers.cpp: each operator and type of OpenMP loops, std::reduce and
// OpenBLAS.
#ifndef CPU_FUNCTIONS_HPP
#define CPU_FUNCTIONS_HPP

#ifdef PEER_OPENMP
#include <omp.h>
#endif
#ifdef PEER_STD
#include <execution>
#include <functional>
#include <numeric>
#endif
#ifdef PEER_OPENBLAS
#include <cblas.h>
extern "C" char *openblas_get_config(void);
extern "C" int openblas_get_num_threads(void);
#endif
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

namespace {

// ---- Values

struct value {
  double f;
  uint64_t u; // integers; of signed ones the bits
  uint64_t index;
};
enum class shape { i64, u64, f64 };

// As peer_point has them.
struct layout {
  uint64_t segments, length, inner;
  const uint64_t *offsets;
};

// One operator on one type: reduces n elements to one value, or each segment of them to an element
// of the result's type, unless that is null.
struct function {
  void (*reduce)(const void *x, uint64_t n, value *result);
  shape is;
  bool indexed;
  void (*reduce_segments)(const void *x, const layout &of, void *to);
};

using functions = std::map<std::string, function>; // "sum f32"

// Sums and products of integers wrap around in 64 bits; what is signed is only the way they are
// shown.
template <class T> using accumulator = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;

template <class T> void set(value *to, T from) {
  if constexpr (std::is_integral_v<T>)
    to->u = static_cast<uint64_t>(from);
  else
    to->f = static_cast<double>(from);
}

template <class T> constexpr shape shape_of() {
  if (!std::is_integral_v<T>) return shape::f64;
  return std::is_signed_v<T> ? shape::i64 : shape::u64;
}

// Magnitudes of integers are unsigned: that of the least one does not fit its own type.
template <class T> auto magnitude(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::fabs(x);
  } else {
    using U = std::make_unsigned_t<T>;
    return x < T(0) ? static_cast<U>(U(0) - static_cast<U>(x)) : static_cast<U>(x);
  }
}

template <class T> struct plain {
  using type = T;
  static T of(T x) { return x; }
};
template <class T> struct absolute {
  using type = decltype(magnitude(T()));
  static type of(T x) { return magnitude(x); }
};

[[maybe_unused]] constexpr const char *type_names[] = {"i8",  "u8",  "i16", "u16", "i32",
                                                       "u32", "i64", "u64", "f32", "f64"};
template <class T> const char *type_name() {
  if (std::is_floating_point_v<T>) return sizeof(T) == 4 ? "f32" : "f64";
  int row = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 2 : sizeof(T) == 4 ? 4 : 6;
  return type_names[row + (std::is_signed_v<T> ? 0 : 1)];
}

template <class T>
void add(functions *to, const char *op, shape is, bool indexed,
         void (*reduce)(const void *, uint64_t, value *),
         void (*segments)(const void *, const layout &, void *) = nullptr) {
  (*to)[std::string(op) + " " + type_name<T>()] = function{reduce, is, indexed, segments};
}

// ---- OpenMP

#ifdef PEER_OPENMP
// Below this, waking the threads takes longer than they save.
constexpr uint64_t alone_bytes = 128 << 10;
// Elements of a row that all threads share.
constexpr uint64_t long_row = 1 << 18;

#define OPENMP(text) _Pragma(#text)

// OpenMP names its operators; Load is plain or absolute, A the accumulator.
#define OPENMP_LOOP(name, operation, first, step)                                                  \
  template <class T, class Load, class A> void name(const void *from, uint64_t n, value *result) { \
    const T *x = static_cast<const T *>(from);                                                     \
    A s = first;                                                                                   \
    OPENMP(omp parallel for simd reduction(operation : s) if(n * sizeof(T) > alone_bytes))         \
    for (uint64_t k = 0; k < n; k++) {                                                             \
      A v = static_cast<A>(Load::of(x[k]));                                                        \
      step;                                                                                        \
    }                                                                                              \
    set(result, s);                                                                                \
  }                                                                                                \
  template <class T, class Load, class A> A name##_long(const T *x, uint64_t n) {                  \
    A s = first;                                                                                   \
    OPENMP(omp parallel for simd reduction(operation : s))                                         \
    for (uint64_t k = 0; k < n; k++) {                                                             \
      A v = static_cast<A>(Load::of(x[k]));                                                        \
      step;                                                                                        \
    }                                                                                              \
    return s;                                                                                      \
  }                                                                                                \
  template <class T, class Load, class A> A name##_row(const T *x, uint64_t n) {                   \
    A s = first;                                                                                   \
    OPENMP(omp simd reduction(operation : s))                                                      \
    for (uint64_t k = 0; k < n; k++) {                                                             \
      A v = static_cast<A>(Load::of(x[k]));                                                        \
      step;                                                                                        \
    }                                                                                              \
    return s;                                                                                      \
  }                                                                                                \
  /* Rows by the threads, or where there are few, each by all threads; columns side by side. */    \
  template <class T, class Load, class A>                                                          \
  void name##_segments(const void *from, const layout &of, void *to) {                             \
    const T *x = static_cast<const T *>(from);                                                     \
    A *out = static_cast<A *>(to);                                                                 \
    const uint64_t n = of.segments, *o = of.offsets, block = 1024;                                 \
    const bool wakes = (o ? o[n] : n * of.length) * sizeof(T) > alone_bytes;                       \
    if (o && wakes) {                                                                              \
      OPENMP(omp parallel for schedule(dynamic, 1024))                                             \
      for (uint64_t s = 0; s < n; s++)                                                             \
        if (o[s + 1] - o[s] <= long_row)                                                           \
          out[s] = name##_row<T, Load, A>(x + o[s], o[s + 1] - o[s]);                              \
      for (uint64_t s = 0; s < n; s++)                                                             \
        if (o[s + 1] - o[s] > long_row)                                                            \
          out[s] = name##_long<T, Load, A>(x + o[s], o[s + 1] - o[s]);                             \
    } else if (o) {                                                                                \
      for (uint64_t s = 0; s < n; s++) out[s] = name##_row<T, Load, A>(x + o[s], o[s + 1] - o[s]); \
    } else if (of.inner == 1 && of.length > long_row) {                                            \
      for (uint64_t s = 0; s < n; s++)                                                             \
        out[s] = name##_long<T, Load, A>(x + s * of.length, of.length);                            \
    } else if (of.inner == 1) {                                                                    \
      OPENMP(omp parallel for schedule(static) if(wakes))                                          \
      for (uint64_t s = 0; s < n; s++)                                                             \
        out[s] = name##_row<T, Load, A>(x + s * of.length, of.length);                             \
    } else {                                                                                       \
      const uint64_t blocks = (of.inner + block - 1) / block;                                      \
      OPENMP(omp parallel for collapse(2) schedule(static) if(wakes))                              \
      for (uint64_t outer = 0; outer < n / of.inner; outer++)                                      \
        for (uint64_t b = 0; b < blocks; b++) {                                                    \
          const uint64_t width = std::min(block, of.inner - b * block);                            \
          const T *row = x + outer * of.length * of.inner + b * block;                             \
          A *sums = out + outer * of.inner + b * block;                                            \
          for (uint64_t j = 0; j < width; j++) sums[j] = first;                                    \
          for (uint64_t k = 0; k < of.length; k++, row += of.inner) {                              \
            OPENMP(omp simd)                                                                       \
            for (uint64_t j = 0; j < width; j++) {                                                 \
              A s = sums[j], v = static_cast<A>(Load::of(row[j]));                                 \
              step;                                                                                \
              sums[j] = s;                                                                         \
            }                                                                                      \
          }                                                                                        \
        }                                                                                          \
    }                                                                                              \
  }
OPENMP_LOOP(openmp_sum, +, A(0), s += v)
OPENMP_LOOP(openmp_prod, *, A(1), s *= v)
OPENMP_LOOP(openmp_min, min, std::numeric_limits<A>::max(), s = v < s ? v : s)
OPENMP_LOOP(openmp_max, max, std::numeric_limits<A>::lowest(), s = v > s ? v : s)
OPENMP_LOOP(openmp_and, &, A(~A(0)), s &= v)
OPENMP_LOOP(openmp_or, |, A(0), s |= v)
OPENMP_LOOP(openmp_xor, ^, A(0), s ^= v)

struct least {
  template <class V> static bool before(V a, V b) { return a < b; }
  template <class T, class Load> static auto of(const T *x, uint64_t n) {
    auto best = Load::of(x[0]);
#pragma omp simd reduction(min : best)
    for (uint64_t k = 0; k < n; k++) {
      auto v = Load::of(x[k]);
      best = v < best ? v : best;
    }
    return best;
  }
};

struct most {
  template <class V> static bool before(V a, V b) { return a > b; }
  template <class T, class Load> static auto of(const T *x, uint64_t n) {
    auto best = Load::of(x[0]);
#pragma omp simd reduction(max : best)
    for (uint64_t k = 0; k < n; k++) {
      auto v = Load::of(x[k]);
      best = v > best ? v : best;
    }
    return best;
  }
};

template <class V> struct place {
  V best;
  uint64_t block;
};

// An index in the loop would keep it from using vectors: so the best of each block first, then
// where it stands in the first block that has it.
template <class T, class Load, class Which>
void openmp_arg(const void *from, uint64_t n, value *result) {
  using V = typename Load::type;
  constexpr uint64_t block = 4096; // elements: a few pages, which stay in the nearest cache
  const T *x = static_cast<const T *>(from);
  const uint64_t blocks = (n + block - 1) / block;
  place<V> all = {Load::of(x[0]), 0};
#pragma omp parallel if (n * sizeof(T) > alone_bytes)
  {
    place<V> mine = {Load::of(x[0]), 0};
#pragma omp for schedule(static) nowait
    for (uint64_t b = 0; b < blocks; b++) {
      V best = Which::template of<T, Load>(x + b * block, std::min(block, n - b * block));
      if (Which::before(best, mine.best)) mine = {best, b};
    }
#pragma omp critical
    if (Which::before(mine.best, all.best) || (mine.best == all.best && mine.block < all.block))
      all = mine;
  }
  uint64_t k = all.block * block;
  while (k + 1 < n && Load::of(x[k]) != all.best) k++;
  result->index = k;
  set(result, all.best);
}

template <class T> void add_openmp_bits(functions *to) {
  using L = plain<T>;
  if constexpr (std::is_integral_v<T>) {
    add<T>(to, "and", shape_of<T>(), false, openmp_and<T, L, T>, openmp_and_segments<T, L, T>);
    add<T>(to, "or", shape_of<T>(), false, openmp_or<T, L, T>, openmp_or_segments<T, L, T>);
    add<T>(to, "xor", shape_of<T>(), false, openmp_xor<T, L, T>, openmp_xor_segments<T, L, T>);
  }
}

template <class T> void add_openmp(functions *to) {
  using L = plain<T>;
  using M = absolute<T>;
  using U = typename M::type;
  using A = accumulator<T>;
  add<T>(to, "sum", shape_of<T>(), false, openmp_sum<T, L, A>, openmp_sum_segments<T, L, A>);
  add<T>(to, "prod", shape_of<T>(), false, openmp_prod<T, L, A>, openmp_prod_segments<T, L, A>);
  add<T>(to, "asum", shape_of<U>(), false, openmp_sum<T, M, A>, openmp_sum_segments<T, M, A>);
  add<T>(to, "min", shape_of<T>(), false, openmp_min<T, L, T>, openmp_min_segments<T, L, T>);
  add<T>(to, "max", shape_of<T>(), false, openmp_max<T, L, T>, openmp_max_segments<T, L, T>);
  add<T>(to, "amax", shape_of<U>(), false, openmp_max<T, M, U>, openmp_max_segments<T, M, U>);
  add<T>(to, "argmin", shape_of<T>(), true, openmp_arg<T, L, least>);
  add<T>(to, "argmax", shape_of<T>(), true, openmp_arg<T, L, most>);
  add<T>(to, "argamax", shape_of<U>(), true, openmp_arg<T, M, most>);
  add_openmp_bits<T>(to);
}
#endif

// ---- std::reduce

#ifdef PEER_STD
constexpr auto policy = std::execution::par_unseq;

template <class T, class A> void std_sum(const void *from, uint64_t n, value *result) {
  const T *x = static_cast<const T *>(from);
  set(result, std::reduce(policy, x, x + n, A(0)));
}

template <class T, class A> void std_asum(const void *from, uint64_t n, value *result) {
  const T *x = static_cast<const T *>(from);
  set(result, std::transform_reduce(policy, x, x + n, A(0), std::plus<A>(),
                                    [](T v) { return static_cast<A>(magnitude(v)); }));
}

template <class T> void std_min(const void *from, uint64_t n, value *result) {
  const T *x = static_cast<const T *>(from);
  set(result, std::reduce(policy, x, x + n, x[0], [](T a, T b) { return b < a ? b : a; }));
}

template <class T> void std_max(const void *from, uint64_t n, value *result) {
  const T *x = static_cast<const T *>(from);
  set(result, std::reduce(policy, x, x + n, x[0], [](T a, T b) { return b > a ? b : a; }));
}

template <class T> void set_at(value *result, const T *x, const T *at) {
  result->index = static_cast<uint64_t>(at - x);
  set(result, *at);
}

template <class T> void std_argmin(const void *from, uint64_t n, value *result) {
  const T *x = static_cast<const T *>(from);
  set_at(result, x, std::min_element(policy, x, x + n));
}

template <class T> void std_argmax(const void *from, uint64_t n, value *result) {
  const T *x = static_cast<const T *>(from);
  set_at(result, x, std::max_element(policy, x, x + n));
}

template <class T> void add_std(functions *to) {
  using A = accumulator<T>;
  add<T>(to, "sum", shape_of<T>(), false, std_sum<T, A>);
  add<T>(to, "asum", shape_of<typename absolute<T>::type>(), false, std_asum<T, A>);
  add<T>(to, "min", shape_of<T>(), false, std_min<T>);
  add<T>(to, "max", shape_of<T>(), false, std_max<T>);
  add<T>(to, "argmin", shape_of<T>(), true, std_argmin<T>);
  add<T>(to, "argmax", shape_of<T>(), true, std_argmax<T>);
}
#endif

// ---- OpenBLAS

#ifdef PEER_OPENBLAS
#define OPENBLAS_VALUE(name, T, call)                                                              \
  void name(const void *from, uint64_t n, value *result) {                                         \
    const T *x = static_cast<const T *>(from);                                                     \
    set(result, call(static_cast<blasint>(n), x, 1));                                              \
  }
#define OPENBLAS_INDEX(name, T, call)                                                              \
  void name(const void *from, uint64_t n, value *result) {                                         \
    const T *x = static_cast<const T *>(from);                                                     \
    result->index = call(static_cast<blasint>(n), x, 1);                                           \
    set(result, magnitude(x[result->index]));                                                      \
  }
OPENBLAS_VALUE(blas_ssum, float, cblas_ssum)
OPENBLAS_VALUE(blas_dsum, double, cblas_dsum)
OPENBLAS_VALUE(blas_sasum, float, cblas_sasum)
OPENBLAS_VALUE(blas_dasum, double, cblas_dasum)
OPENBLAS_INDEX(blas_isamax, float, cblas_isamax)
OPENBLAS_INDEX(blas_idamax, double, cblas_idamax)

// OpenBLAS 0.3.21 counts some elements twice and others not at all in cblas_ssum, where it uses
// AVX-512: no sum then.
bool counts_each_element() {
  for (int k = 0; k < 128; k++) {
    float one[128] = {};
    one[k] = 1;
    if (cblas_ssum(128, one, 1) != 1) return false;
  }
  return true;
}

void add_openblas(functions *to) {
  if (counts_each_element()) add<float>(to, "sum", shape::f64, false, blas_ssum);
  add<double>(to, "sum", shape::f64, false, blas_dsum);
  add<float>(to, "asum", shape::f64, false, blas_sasum);
  add<double>(to, "asum", shape::f64, false, blas_dasum);
  add<float>(to, "argamax", shape::f64, true, blas_isamax);
  add<double>(to, "argamax", shape::f64, true, blas_idamax);
}
#endif

} // namespace

#endif
