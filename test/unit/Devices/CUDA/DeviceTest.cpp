// Tests of the CUDA device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/CUDA/Rig.h"

#include <cstring>

using namespace mp;
using namespace mp::test;
using namespace mp::executable;

namespace {

class CUDADevice : public CUDATest {
protected:
  /// train_step with `slots` sets of inputs.
  std::unique_ptr<ProgramRunner> loadStep(Session &session, unsigned slots) {
    ErrorOr<std::unique_ptr<ProgramRunner>> runner = session.load("train_step", {}, slots);
    EXPECT_TRUE(runner.ok()) << runner.message();
    return std::move(*runner);
  }

  /// Fills every argument of a slot with a byte.
  void feed(ProgramRunner &runner, unsigned slot, uint8_t value) {
    for (size_t i = 0; i < runner.variant().arguments.size(); ++i) {
      const ArgumentT &argument = *runner.variant().arguments[i];
      if (argument.kind == ArgumentKind::State)
        continue;
      std::vector<std::byte> bytes(*byteCount(*argument.type), std::byte(value));
      EXPECT_EQ(runner.setArgument(slot, i, bytes).message(), "");
    }
  }

  /// The error of loading a program of a model.
  std::string loadError(TinyModel model, const char *program = "infer") {
    std::shared_ptr<const LoadedExecutable> file = load(std::move(model));
    std::unique_ptr<Device> device = makeDevice();
    for (const auto &each : file->table.programs)
      if (each->name == program)
        return device->load(*file, *each, *each->variants[0]).message();
    return "no program";
  }
};

LaunchT &firstLaunch(TinyModel &model) {
  return *model.table.programs.back()->variants[0]->commands[0]->what.AsLaunch();
}

std::vector<std::byte> toBytes(const std::string &text) {
  auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

} // namespace

TEST_F(CUDADevice, MemoryIsAlignedAndZero) {
  std::unique_ptr<Device> device = makeDevice();
  for (MemoryKind kind : {MemoryKind::Device, MemoryKind::HostVisible})
    for (uint64_t bytes : {0, 1, 1000}) {
      ErrorOr<std::unique_ptr<DeviceMemory>> block = device->allocate(bytes, kind);
      ASSERT_TRUE(block.ok()) << block.message();
      EXPECT_EQ(reinterpret_cast<uintptr_t>((*block)->address()) % 64, 0u);
      EXPECT_EQ((*block)->hostView() != nullptr, kind == MemoryKind::HostVisible);
      std::vector<std::byte> content(bytes, std::byte(1));
      EXPECT_EQ(device->download(**block, 0, content).message(), "");
      EXPECT_EQ(content, std::vector<std::byte>(bytes));
    }
}

TEST_F(CUDADevice, StampsAreEventsBehindWhatIsInTheQueue) {
  std::unique_ptr<Session> session = makeSession();
  std::unique_ptr<ProgramRunner> runner = loadStep(*session, 1);
  feed(*runner, 0, 0);
  Device &device = session->device();
  std::vector<std::unique_ptr<TimeStamp>> stamps;
  const size_t synchronized = count("cuEventSynchronize");
  for (int runs : {0, 1, 3}) {
    for (int i = 0; i < runs; ++i)
      EXPECT_EQ(runner->enqueue(0).message(), "");
    ErrorOr<std::unique_ptr<TimeStamp>> stamp = device.stamp();
    ASSERT_TRUE(stamp.ok()) << stamp.message();
    stamps.push_back(std::move(*stamp));
  }
  EXPECT_EQ(count("cuEventSynchronize"), synchronized); // nothing waited so far
  // The stand-in's time is how much is in the stream: a graph is one.
  EXPECT_EQ(*stamps[1]->secondsSince(*stamps[0]), 1e-3);
  EXPECT_EQ(*stamps[2]->secondsSince(*stamps[1]), 3e-3);
  EXPECT_GT(count("cuEventElapsedTime"), 0u);
  standIn.failAt = standIn.calls.size() + 2;
  standIn.failWith = 2;
  EXPECT_NE(device.stamp().message().find("CUDA_ERROR_OUT_OF_MEMORY"), std::string::npos);
}

TEST_F(CUDADevice, RunsCodeForTheChipThatIsAskedForAlone) {
  std::shared_ptr<const LoadedExecutable> file = load(makeGPUModel());
  const VariantT &variant = *file->table.programs.front()->variants.front(); // for sm_70
  EXPECT_EQ(makeDevice({.chip = "sm_70"})->canRun(*file, variant).message(), "");
  EXPECT_EQ(makeDevice({.chip = "sm_75"})->canRun(*file, variant).message(),
            "made for sm_70; --chip=sm_75 asks for code for that chip only");
}

TEST_F(CUDADevice, TransfersOfEverySize) {
  std::unique_ptr<Device> device = makeDevice();
  // Less than a staging buffer, exactly one, more than the ring has.
  for (size_t bytes : {size_t(5), size_t(2) << 20, (size_t(20) << 20) + 12345}) {
    std::unique_ptr<DeviceMemory> block = std::move(*device->allocate(bytes + 64));
    std::vector<std::byte> out(bytes), back(bytes);
    for (size_t i = 0; i < bytes; ++i)
      out[i] = std::byte(i * 31 + i / 4096);
    ASSERT_EQ(device->upload(*block, 64, out).message(), "");
    std::vector<std::byte> sent = std::exchange(out, std::vector<std::byte>(bytes, std::byte(9)));
    ASSERT_EQ(device->download(*block, 64, back).message(), "");
    EXPECT_EQ(back, sent) << "the source may be reused when upload returns";
  }
  std::unique_ptr<DeviceMemory> block = std::move(*device->allocate(16));
  std::vector<std::byte> bytes(8);
  EXPECT_EQ(device->upload(*block, 9, bytes).message(), "upload of 8 bytes at 9, outside of a block of 16");
  EXPECT_FALSE(device->download(*block, UINT64_MAX, bytes).ok());
}

// A graph is one command to the device.
TEST_F(CUDADevice, CannotTellKernelsApart) {
  std::unique_ptr<Session> session = makeSession();
  ASSERT_EQ(session->initialize(1).message(), "");
  std::unique_ptr<ProgramRunner> step = loadStep(*session, 1);
  EXPECT_EQ(step->timeCommands(0).message(),
            "device cuda:0: runs a program as a whole; a profiler of the device's maker times its kernels");
}

TEST_F(CUDADevice, CapturesAStepOnceAndLaunchesItFromThenOn) {
  std::unique_ptr<Session> session = makeSession();
  ASSERT_EQ(session->initialize(1).message(), "");
  std::unique_ptr<ProgramRunner> step = loadStep(*session, 1);
  feed(*step, 0, 3);
  size_t first = standIn.calls.size();
  ASSERT_EQ(step->enqueue(0).message(), "");
  EXPECT_EQ(callsFrom(first),
            (std::vector<std::string>{"cuStreamBeginCapture_v2", "cuLaunchKernelEx(train_row)",
                                      "cuLaunchKernelEx(train_update)", "cuStreamEndCapture",
                                      "cuGraphInstantiateWithFlags", "cuGraphDestroy", "cuEventRecord",
                                      "cuStreamWaitEvent", "cuGraphLaunch", "cuEventCreate", "cuEventRecord"}));
  first = standIn.calls.size();
  ASSERT_EQ(step->enqueue(0).message(), "");
  EXPECT_EQ(callsFrom(first), (std::vector<std::string>{"cuGraphLaunch", "cuEventCreate", "cuEventRecord"}));
  ASSERT_EQ(step->wait(0).message(), "");
  first = standIn.calls.size();
  ASSERT_EQ(step->enqueue(0).message(), "");
  EXPECT_EQ(callsFrom(first), (std::vector<std::string>{"cuGraphLaunch", "cuEventRecord"})) << "events are used again";
}

TEST_F(CUDADevice, TwoInputSetsAreTwoGraphs) {
  std::unique_ptr<Session> session = makeSession();
  ASSERT_EQ(session->initialize(1).message(), "");
  std::unique_ptr<ProgramRunner> step = loadStep(*session, 2);
  for (unsigned i = 0; i < 10; ++i) {
    feed(*step, i % 2, static_cast<uint8_t>(i));
    ASSERT_EQ(step->enqueue(i % 2).message(), "");
  }
  EXPECT_EQ(count("cuStreamBeginCapture_v2"), 2u);
  EXPECT_EQ(count("cuGraphLaunch"), 10u);
  EXPECT_EQ(count("cuModuleLoadDataEx"), 1u);
  EXPECT_EQ(standIn.alive["executable graph"], 2);
}

TEST_F(CUDADevice, ManySetsKeepFewGraphsAndFewRunsInFlight) {
  std::unique_ptr<Session> session = makeSession();
  ASSERT_EQ(session->initialize(1).message(), "");
  std::unique_ptr<ProgramRunner> step = loadStep(*session, 60);
  for (unsigned i = 0; i < 120; ++i)
    ASSERT_EQ(step->enqueue(i % 60).message(), "");
  EXPECT_EQ(standIn.alive["executable graph"], 48);
  EXPECT_LT(standIn.alive["event"], 80);
}

/// An upload overtakes a step that runs, but not one that reads what it writes.
TEST_F(CUDADevice, UploadsWaitForTheLastUse) {
  auto lossOf = [&](bool overwrite) {
    std::unique_ptr<Session> session = makeSession();
    EXPECT_EQ(session->initialize(1).message(), "");
    std::unique_ptr<ProgramRunner> step = loadStep(*session, 1);
    feed(*step, 0, 2);
    EXPECT_EQ(step->enqueue(0).message(), "");
    // More than there are staging buffers, so that the first of these has to be over.
    for (int i = 0; overwrite && i < 20; ++i)
      feed(*step, 0, 1);
    return elementAt(*step->read(0, *step->result("loss")), 0);
  };
  EXPECT_EQ(lossOf(true), lossOf(false));
}

/// While a step is in flight the next batch's upload makes nothing wait.
TEST_F(CUDADevice, UploadsDoNotWaitForOtherSteps) {
  std::unique_ptr<Session> session = makeSession();
  ASSERT_EQ(session->initialize(1).message(), "");
  std::unique_ptr<ProgramRunner> step = loadStep(*session, 2);
  feed(*step, 0, 2);
  ASSERT_EQ(step->enqueue(0).message(), "");
  size_t first = standIn.calls.size();
  feed(*step, 1, 2);
  // An event is that of a staging buffer.
  for (const std::string &call : callsFrom(first))
    EXPECT_TRUE(call == "cuMemcpyAsync" || call == "cuEventRecord" || call == "cuMemHostAlloc" ||
                call == "cuEventCreate" || call == "cuEventSynchronize")
        << call;
}

TEST_F(CUDADevice, FillsWithEveryPattern) {
  for (auto [pattern, bytes] :
       {std::pair(uint64_t(0xa5), 1), std::pair(uint64_t(0xa55b), 2), std::pair(uint64_t(0xdeadbeef), 4),
        std::pair(uint64_t(0x1122334411223344), 8), std::pair(uint64_t(0x0123456789abcdef), 8)}) {
    TinyModel model = makeGPUModel();
    VariantT &variant = *model.table.programs.back()->variants[0];
    variant.commands.resize(1);
    FillT fill;
    fill.destination = std::make_unique<BufferSlice>(Space::Result, 0, 0, *byteCount(*variant.results[0]->type));
    fill.pattern = pattern;
    fill.pattern_bytes = static_cast<uint8_t>(bytes);
    variant.commands[0]->what.Set(std::move(fill));
    ErrorOr<std::unique_ptr<Session>> session = Session::create(load(std::move(model)), makeDevice());
    ErrorOr<NamedTensors> results = (*session)->run("infer", {{"x", *zeroTensor(makeType(ElementType::UI8, {8, 4}))}});
    ASSERT_TRUE(results.ok()) << results.message();
    const std::vector<std::byte> &written = results->front().tensor.bytes;
    for (size_t i = 0; i < written.size(); ++i)
      ASSERT_EQ(uint8_t(written[i]), uint8_t(pattern >> i % static_cast<size_t>(bytes) * 8));
  }
}

TEST_F(CUDADevice, AsksForMuchSharedMemoryAndLargeClusters) {
  TinyModel model = makeGPUModel();
  LaunchT &launch = firstLaunch(model);
  launch.shared_bytes = 49152;
  EXPECT_EQ(loadError(makeGPUModel()), "");
  EXPECT_EQ(count("cuFuncSetAttribute"), 0u);
  launch.shared_bytes = 49168;
  launch.grid = launch.cluster = 16;
  ErrorOr<std::unique_ptr<Session>> session = Session::create(load(std::move(model)), makeDevice());
  ASSERT_TRUE((*session)->run("infer", {{"x", *zeroTensor(makeType(ElementType::UI8, {8, 4}))}}).ok());
  EXPECT_EQ(count("cuFuncSetAttribute(8=49168)"), 1u);
  EXPECT_EQ(count("cuFuncSetAttribute(14=1)"), 1u);
  EXPECT_EQ(count("cuLaunchKernelEx(infer_row, cluster 16)"), 1u);
  model = makeGPUModel();
  firstLaunch(model).shared_bytes = 200000;
  EXPECT_EQ(loadError(std::move(model)),
            "program infer: kernel infer_row needs 200000 bytes of shared memory, a block on cuda:0 has 166912");
}

TEST_F(CUDADevice, RunsCodeForItsChipAndOlderOnes) {
  std::shared_ptr<const LoadedExecutable> file = load(makeGPUModel());
  VariantT variant = *file->table.programs.back()->variants[0];
  auto able = [&](int major, int minor, std::vector<std::string> features) {
    standIn.settings.major = major;
    standIn.settings.minor = minor;
    variant.features = std::move(features);
    return makeDevice()->canRun(*file, variant).message();
  };
  EXPECT_EQ(able(8, 0, {"sm_75"}), "");
  EXPECT_EQ(able(9, 0, {"sm_90a"}), "");
  EXPECT_EQ(able(8, 0, {"sm_86"}),
            "needs sm_86, device cuda:0 (Stand-in, compute capability 8.0, driver for CUDA 12.4) "
            "runs code for sm_80 and older chips");
  EXPECT_EQ(able(10, 0, {"sm_90a"}), "needs sm_90a, device cuda:0 (Stand-in, compute capability 10.0, driver for CUDA "
                                     "12.4) runs code for sm_100a");
  EXPECT_EQ(able(8, 0, {}), "does not name a chip");
  EXPECT_EQ(able(8, 0, {"sm_80", "sm_90"}), "does not name a chip");
  variant.target = "cpu";
  EXPECT_EQ(able(8, 0, {"sm_80"}), "made for target cpu, device cuda:0 runs target nvptx");
  variant.target = "nvptx";
  variant.features = {"sm_80"};
  EXPECT_EQ(makeDevice({.allowNative = false})->canRun(*file, variant).message(),
            "has native code, which --no-native refuses");
}

TEST_F(CUDADevice, PrefersTheHighestChip) {
  standIn.settings.major = 9;
  TinyModel model = makeGPUModel();
  ProgramT &infer = *model.table.programs.back();
  for (const char *chip : {"sm_90a", "sm_90", "sm_100a"}) {
    infer.variants.push_back(std::make_unique<VariantT>(*infer.variants[0]));
    infer.variants.back()->features = {chip};
  }
  ErrorOr<std::unique_ptr<Session>> session = Session::create(load(std::move(model)), makeDevice());
  EXPECT_EQ((*(*session)->select("infer"))->features, std::vector<std::string>{"sm_90a"});
}

TEST_F(CUDADevice, SaysWhatIsWrongWithCode) {
  TinyModel model = makeGPUModel();
  model.blobs[0] = toBytes(".version 8.8\n.target sm_80\n");
  EXPECT_EQ(loadError(std::move(model)), "program infer: the PTX needs a driver for CUDA 12.9, this one is for "
                                         "CUDA 12.4: install a newer driver");
  model = makeGPUModel();
  model.blobs[0] = toBytes(".version 7.8\nwrong\n");
  EXPECT_EQ(
      loadError(std::move(model)),
      "cuda:0: program infer: cuModuleLoadDataEx: CUDA_ERROR_INVALID_PTX, a PTX JIT compilation failed; the driver's "
      "assembler refuses the code; the assembler says: ptxas fatal: line 3 |   unexpected 'wrong'");
  model = makeGPUModel();
  firstLaunch(model).symbol = "absent";
  EXPECT_EQ(loadError(std::move(model)),
            "cuda:0: program infer: kernel infer_row: symbol 'absent': cuModuleGetFunction: "
            "CUDA_ERROR_NOT_FOUND, named symbol not found");
}

TEST_F(CUDADevice, SaysHowMuchMemoryThereIs) {
  standIn.settings.memory = size_t(4) << 20;
  std::unique_ptr<Device> device = makeDevice();
  std::unique_ptr<DeviceMemory> block = std::move(*device->allocate(size_t(3) << 20));
  EXPECT_EQ(device->allocate(size_t(2) << 20).message(),
            "cuda:0: cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY, out of memory; asked for 2097152 bytes of device memory, "
            "1048576 of 4194304 bytes of device memory are free");
  EXPECT_TRUE(device->allocate(size_t(1) << 20).ok()) << "the device is as before";
}

TEST_F(CUDADevice, RefusesMemoryOfOthers) {
  std::shared_ptr<const LoadedExecutable> file = load(makeGPUModel());
  const ProgramT &infer = *file->table.programs.back();
  std::unique_ptr<Device> device = makeDevice();
  std::unique_ptr<Device> other = makeDevice();
  std::unique_ptr<LoadedVariant> loaded = std::move(*device->load(*file, infer, *infer.variants[0]));
  EXPECT_EQ(loaded->enqueue({}).message(), "argument 0 is not bound");
  std::unique_ptr<DeviceMemory> ours = std::move(*device->allocate(96));
  std::unique_ptr<DeviceMemory> theirs = std::move(*other->allocate(96));
  DeviceMemory *list[] = {ours.get(), ours.get()};
  DeviceMemory *strange[] = {theirs.get()};
  EXPECT_EQ(loaded->enqueue({list, list, strange}).message(), "bound to memory of another device than cuda:0");
  EXPECT_EQ(loaded->enqueue({list, list, list}).message(), "");
  // Two devices on one GPU share its context: the stand-in wants both to be at rest when memory goes.
  std::vector<std::byte> bytes(96);
  EXPECT_TRUE(device->download(*ours, 0, bytes).ok() && other->download(*theirs, 0, bytes).ok());
}

/// A kernel of the PTX has a parameter for each buffer of the launch; the driver reads as many.
TEST_F(CUDADevice, ModelsKernelsHaveAParameterForEachBuffer) {
  for (bool accumulate : {false, true}) {
    TinyModel model = makeGPUModel({.accumulate = accumulate});
    std::string ptx(reinterpret_cast<const char *>(model.blobs[0].data()), model.blobs[0].size());
    for (const auto &program : model.table.programs)
      for (const auto &command : program->variants[0]->commands)
        if (const LaunchT *launch = command->what.AsLaunch()) {
          std::string parameter = launch->symbol + "_param_";
          size_t last = launch->buffers.size() - 1;
          EXPECT_NE(ptx.find(parameter + std::to_string(last) + "\n"), std::string::npos) << launch->symbol;
          EXPECT_EQ(ptx.find(parameter + std::to_string(last + 1)), std::string::npos) << launch->symbol;
        }
  }
}

/// Whoever is destroyed last takes the context along.
TEST_F(CUDADevice, PartsMayOutliveTheDevice) {
  std::shared_ptr<const LoadedExecutable> file = load(makeGPUModel());
  const ProgramT &infer = *file->table.programs.back();
  std::unique_ptr<Device> device = makeDevice();
  std::unique_ptr<DeviceMemory> block = std::move(*device->allocate(96));
  std::unique_ptr<LoadedVariant> loaded = std::move(*device->load(*file, infer, *infer.variants[0]));
  DeviceMemory *list[] = {block.get(), block.get()};
  ASSERT_EQ(loaded->enqueue({list, list, list}).message(), "");
  size_t first = standIn.calls.size();
  device.reset();
  EXPECT_EQ(callsFrom(first), std::vector<std::string>());
  loaded.reset();
  EXPECT_EQ(callsFrom(first),
            (std::vector<std::string>{"cuStreamSynchronize", "cuStreamSynchronize", "cuGraphExecDestroy",
                                      "cuModuleUnload", "cuMemFree_v2", "cuMemFree_v2"}));
  block.reset();
  EXPECT_EQ(standIn.calls.back(), "cuDevicePrimaryCtxRelease_v2");
}
