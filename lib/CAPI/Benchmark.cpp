// Timing programs from C.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Training/Benchmark.h"
#include "CAPI/Bytes.h"
#include "CAPI/SessionHandle.h"
#include "CAPI/Status.h"

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace mp;

struct MpBenchmark {
  MpSession *session;
  std::unique_ptr<Benchmark> benchmark;
};

MpStatus *mpBenchmarkCreate(MpSession *session, const char *program, uint64_t seed, MpBenchmark **benchmark) {
  return guarded([&]() -> Status {
    for (Status given : {needs(session, "session"), needs(program, "program"), needs(benchmark, "benchmark")})
      if (!given.ok())
        return given;
    return alone(*session, [&](Session &own) {
      ErrorOr<std::unique_ptr<Benchmark>> made = Benchmark::create(own, program, seed);
      if (made)
        *benchmark = new MpBenchmark{session, std::move(*made)};
      return made.status();
    });
  });
}

MpStatus *mpBenchmarkTensor(const MpBenchmark *benchmark, const char *name, MpTensor *tensor) {
  return guarded([&]() -> Status {
    for (Status given : {needs(benchmark, "benchmark"), needs(name, "name"), needs(tensor, "tensor")})
      if (!given.ok())
        return given;
    ErrorOr<DeviceTensor> found = benchmark->benchmark->tensor(name);
    if (!found)
      return found.status();
    const TensorTypeT &type = *found->type;
    *tensor = {static_cast<MpElementType>(type.element), static_cast<int64_t>(type.shape.size()), type.shape.data(),
               found->memory->address(), found->memory->size()};
    return Status::success();
  });
}

MpStatus *mpBenchmarkRun(MpBenchmark *benchmark, unsigned warmup, unsigned repeat, unsigned runs, double *seconds) {
  return guarded([&]() -> Status {
    for (Status given : {needs(benchmark, "benchmark"), needs(seconds, "seconds")})
      if (!given.ok())
        return given;
    return alone(*benchmark->session, [&](Session &) {
      ErrorOr<std::vector<double>> samples = benchmark->benchmark->run(warmup, repeat, runs);
      if (samples)
        std::copy(samples->begin(), samples->end(), seconds);
      return samples.status();
    });
  });
}

static std::string describe(const std::vector<KernelTime> &kernels) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const KernelTime &kernel : kernels)
    rows.push_back({{"kernel", kernel.name},
                    {"seconds", kernel.seconds},
                    {"flops", kernel.flops},
                    {"bytes", kernel.bytes},
                    {"modelled_seconds", kernel.modelled}});
  return rows.dump();
}

MpStatus *mpBenchmarkKernels(MpBenchmark *benchmark, unsigned warmup, unsigned repeat, MpBytes **json) {
  return guarded([&]() -> Status {
    for (Status given : {needs(benchmark, "benchmark"), needs(json, "json")})
      if (!given.ok())
        return given;
    if (repeat == 0)
      return makeError("repeat is 0, expected at least 1");
    return alone(*benchmark->session, [&](Session &) {
      ErrorOr<std::vector<KernelTime>> kernels = timeKernels(*benchmark->benchmark, warmup, repeat);
      if (kernels)
        *json = new MpBytes{describe(*kernels), {}};
      return kernels.status();
    });
  });
}

void mpBenchmarkDestroy(MpBenchmark *benchmark) { delete benchmark; }
