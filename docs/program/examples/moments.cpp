// Mean and variance of a vector, and a dot product of two.  SPDX-License-Identifier: MIT
#include <redhost/redhost.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

// The library for as long as this lives; failures are exceptions.
class Reducer {
public:
  Reducer() {
    rh_error error;
    rh_redhost *opened = nullptr;
    if (rh_open(&opened, nullptr, &error) != RH_OK) throw std::runtime_error(error.message);
    redhost.reset(opened);
  }

  rh_result reduce(rh_request request) {
    rh_error error;
    rh_result result = {};
    result.struct_size = sizeof result;
    request.struct_size = sizeof request;
    if (rh_reduce(redhost.get(), &request, &result, &error) != RH_OK)
      throw std::runtime_error(error.message);
    return result;
  }

private:
  struct Close {
    void operator()(rh_redhost *opened) const { rh_close(opened); }
  };
  std::unique_ptr<rh_redhost, Close> redhost;
};

int main() try {
  std::vector<double> x(100000), y(100000, 0.5);
  for (size_t k = 0; k < x.size(); k++) x[k] = static_cast<double>(k % 100);

  Reducer reducer;
  rh_request moments = {};
  moments.type = RH_TYPE_f64;
  moments.op = "meanvar";
  moments.data = x.data();
  moments.n = x.size();
  rh_result result = reducer.reduce(moments);
  for (uint32_t k = 0; k < result.n_fields; k++)
    std::printf("%s %g\n", result.fields[k].name, result.fields[k].value.f);

  rh_input both[2] = {};
  both[0].type = both[1].type = RH_TYPE_f64;
  both[0].data = x.data();
  both[1].data = y.data();
  rh_request dot = {};
  dot.op = "dot";
  dot.inputs = both;
  dot.n_inputs = 2;
  dot.n = x.size();
  std::printf("dot %g\n", reducer.reduce(dot).value.f);
  return 0;
} catch (const std::exception &problem) {
  std::fprintf(stderr, "moments: %s\n", problem.what());
  return 1;
}
