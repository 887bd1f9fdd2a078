// The CUDA device on the driver's stand-in.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/CUDA/Rig.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

using namespace mp;
using namespace mp::test;
using namespace mp::executable;

static void *openLibrary(const std::string &path) {
  void *library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    std::fprintf(stderr, "%s\n", ::dlerror());
    std::abort();
  }
  return library;
}

StandIn &test::openStandIn(const std::string &path) {
  auto get = reinterpret_cast<StandIn *(*)()>(::dlsym(openLibrary(path), kStandInSymbol));
  return *get();
}

template <typename Visit> static void forEachLaunch(ExecutableT &table, Visit visit) {
  for (auto &program : table.programs)
    for (auto &variant : program->variants)
      for (auto &command : variant->commands)
        if (LaunchT *launch = command->what.AsLaunch())
          visit(*launch);
}

/// Both kinds of model together have all kernels.
static std::vector<TinyModel> bothModels() {
  std::vector<TinyModel> models;
  models.push_back(makeTinyModel());
  models.push_back(makeTinyModel({.accumulate = true}));
  return models;
}

std::map<std::string, StandInKernel> test::modelKernels() {
  void *library = openLibrary(TINY_MODEL_KERNELS);
  std::map<std::string, StandInKernel> kernels;
  for (TinyModel &model : bothModels())
    forEachLaunch(model.table, [&](const LaunchT &launch) {
      auto code = reinterpret_cast<void (*)(void **, int64_t)>(::dlsym(library, launch.symbol.c_str()));
      kernels[launch.symbol] = {code, launch.scratch_bytes};
    });
  return kernels;
}

TinyModel test::makeGPUModel(TinyModelOptions options) {
  options.gpu = true;
  TinyModel model = makeTinyModel(options);
  model.blobs[0] = std::move(model.blobs.back());
  model.blobs.pop_back();
  model.table.blobs[0] = std::move(model.table.blobs.back());
  model.table.blobs.pop_back();
  for (auto &program : model.table.programs)
    std::erase_if(program->variants, [](const auto &variant) { return variant->target != "nvptx"; });
  forEachLaunch(model.table, [](LaunchT &launch) { launch.blob = 0; });
  return model;
}

std::shared_ptr<const LoadedExecutable> test::load(TinyModel model) {
  ErrorOr<FileBytes> bytes = serializeExecutable(std::move(model.table), model.blobs);
  EXPECT_TRUE(bytes.ok()) << bytes.message();
  ErrorOr<LoadedExecutable> loaded = readExecutable(bytes->span());
  EXPECT_TRUE(loaded.ok()) << loaded.message();
  return std::make_shared<const LoadedExecutable>(std::move(*loaded));
}

CUDATest::CUDATest() : standIn(openStandIn()) {
  standIn.reset();
  standIn.kernels = modelKernels();
}

CUDATest::~CUDATest() {
  for (const auto &[kind, count] : standIn.alive)
    ADD_FAILURE() << count << " x " << kind << " alive";
  for (const std::string &violation : standIn.violations)
    ADD_FAILURE() << violation;
}

std::unique_ptr<Device> CUDATest::makeDevice(const DeviceOptions &options) {
  ErrorOr<std::unique_ptr<Device>> device = createCUDADevice(options, STAND_IN);
  EXPECT_TRUE(device.ok()) << device.message();
  return std::move(*device);
}

std::unique_ptr<Session> CUDATest::makeSession(const TinyModelOptions &options) {
  ErrorOr<std::unique_ptr<Session>> session = Session::create(load(makeGPUModel(options)), makeDevice());
  EXPECT_TRUE(session.ok()) << session.message();
  return std::move(*session);
}

std::vector<std::string> CUDATest::callsFrom(size_t first) const {
  std::vector<std::string> calls(standIn.calls.begin() + static_cast<ptrdiff_t>(first), standIn.calls.end());
  std::erase_if(calls, [](const std::string &call) { return call.starts_with("cuCtx"); });
  return calls;
}

size_t CUDATest::count(const std::string &call) const {
  return static_cast<size_t>(std::count_if(standIn.calls.begin(), standIn.calls.end(),
                                           [&](const std::string &made) { return made.starts_with(call); }));
}
