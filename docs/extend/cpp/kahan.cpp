// kahan: a compensated sum on the host, in C++20.
#include <redhost/plugin.h>

#include <cstdint>
#include <cstdio>

namespace {

// What is lost in each addition is taken from the next element.
template <typename T> void sum(const rh_run &run) {
  const T *x = static_cast<const T *>(run.host_input) + run.first;
  T all = -T(0), lost = 0;
  for (uint64_t k = 0; k < run.n; k++) {
    const T next = x[k] - lost, larger = all + next;
    lost = (larger - all) - next;
    if (lost - lost != 0) lost = 0; // the sum is infinite
    all = larger;
  }
  *static_cast<T *>(run.host_result) = all;
}

bool serves(const rh_problem *problem) {
  return problem->op->id == RH_OP_sum &&
         (problem->type == RH_TYPE_f32 || problem->type == RH_TYPE_f64);
}

rh_status query(const rh_problem *problem, const int64_t *, rh_answer *answer) {
  if (!serves(problem)) {
    answer->why = problem->op->id != RH_OP_sum ? RH_WHY_OP : RH_WHY_TYPE;
    std::snprintf(answer->reason, sizeof answer->reason, "kahan serves sums of f32 and f64");
    return RH_DECLINED;
  }
  // The error is at most (2 + 8 n u) u sum|x|, whatever an element passes through.
  const uint64_t one_in_u = problem->type == RH_TYPE_f32 ? UINT64_C(1) << 24 : UINT64_C(1) << 53;
  answer->depth = 3 + problem->max_n / (one_in_u / 8);
  answer->score = 90;
  answer->finishes_on_host = 1;
  return RH_OK;
}

rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *, void **self) {
  if (!serves(problem)) return host->fail(host, RH_DECLINED, 0, "kahan serves sums of f32 and f64");
  auto *type = static_cast<rh_type *>(host->alloc(host, sizeof(rh_type)));
  if (!type) return RH_E_NOMEM;
  *type = problem->type;
  *self = type;
  return RH_OK;
}

rh_status run(void *self, const rh_run *run) {
  if (*static_cast<rh_type *>(self) == RH_TYPE_f32)
    sum<float>(*run);
  else
    sum<double>(*run);
  return RH_OK;
}

constexpr rh_strategy kahan = {
    .struct_size = sizeof(rh_strategy),
    .device_kinds = RH_DEVICE_HOST,
    .name = "kahan",
    .summary = "a compensated sum on the host",
    .about = "Kahan, \"Further remarks on reducing truncation errors\" (1965).",
    .version = "1.0",
    .author = "your name",
    .license = "MIT",
    .promises = RH_KEEPS_ORDER,
    .determinism = RH_BITS_SAME_EVERYWHERE,
    .query = query,
    .setup = setup,
    .run = run,
};
constexpr const rh_strategy *all[] = {&kahan};

} // namespace

const rh_plugin redhost_plugin_v1 = {
    .magic = RH_MAGIC,
    .struct_size = sizeof(rh_plugin),
    .abi_major = RH_ABI_MAJOR,
    .abi_minor = RH_ABI_MINOR,
    .n_strategies = 1,
    .strategies = all,
    .build = __VERSION__,
};
