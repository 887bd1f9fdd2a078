// Launches that use memory wrongly.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The executable of a program whose plan is then changed: a block too many, a block too few, a buffer that is shorter
// than what the kernel takes it for. Each is an error of the simulated device, though all of it lies in memory that the
// plan has or that an earlier launch wrote.

#include "Agreement/ProgramText.h"

#include "mp/Devices/SIMT/SIMTDevice.h"
#include "mp/Runtime/Core/Session.h"

#include <gtest/gtest.h>

#include <functional>

using namespace mp;
using namespace mp::executable;

namespace {

/// Two launches by columns and rows, and maps between; the last has the bytes of the arena that the first had.
const char *const kProgram = R"(
func.func @infer(%x: tensor<512x512xf32> {mp.input = "x"}) -> (tensor<512xf32> {mp.output = "y"}) attributes {mp.program = "infer"} {
  %0 = mp.reduce_sum %x dimensions [0] : tensor<512x512xf32> -> tensor<512xf32>
  %1 = mp.transpose %x permutation [1, 0] : tensor<512x512xf32> -> tensor<512x512xf32>
  %2 = mp.reduce_max %1 dimensions [0] : tensor<512x512xf32> -> tensor<512xf32>
  %3 = mp.add %0, %2 : tensor<512xf32>, tensor<512xf32> -> tensor<512xf32>
  return %3 : tensor<512xf32>
}
)";

/// What a run of the program says after `change` saw each launch.
std::string runChanged(const std::function<void(LaunchT &)> &change, bool isChecked = true) {
  CompileOptions options;
  options.training = false;
  options.specialize.batch = 0;
  options.target = "simt";
  options.chips = {"sm_80"};
  options.reportAccesses = true;
  ProgramText program(kProgram);
  mlir::FailureOr<Compilation> compiled = program.compile(options);
  if (failed(compiled))
    return program.errors;
  for (const auto &command : compiled->table.programs.front()->variants.front()->commands)
    if (LaunchT *launch = command->what.AsLaunch())
      change(*launch);
  ErrorOr<FileBytes> bytes = serializeExecutable(std::move(compiled->table), compiled->blobs);
  if (!bytes)
    return bytes.message();
  ErrorOr<LoadedExecutable> file = readExecutable(bytes->span());
  if (!file)
    return file.message();
  DeviceOptions simulated{/*threads=*/1};
  simulated.simulation.bounds = simulated.simulation.uninitialized = isChecked;
  ErrorOr<std::unique_ptr<Device>> device = createSIMTDevice(simulated);
  if (!device)
    return device.message();
  ErrorOr<std::unique_ptr<Session>> session =
      Session::create(std::make_shared<const LoadedExecutable>(std::move(*file)), std::move(*device));
  if (!session)
    return session.message();
  return (*session)->run("infer", {{"x", *zeroTensor(makeType(ElementType::F32, {512, 512}))}}).message();
}

bool isKernel(const LaunchT &launch, const std::string &part) { return launch.kernel.find(part) != std::string::npos; }

} // namespace

TEST(LaunchMemory, IsUsedRightlyAsItIs) {
  size_t launches = 0;
  EXPECT_EQ(runChanged([&](LaunchT &) { ++launches; }), "");
  EXPECT_GE(launches, 3u);
}

TEST(LaunchMemory, ABlockTooFewLeavesAResultOpen) {
  for (const char *name : {"reduce_sum", "transpose"}) {
    const auto drop = [&](LaunchT &launch) { launch.grid -= isKernel(launch, name); };
    const std::string message = runChanged(drop);
    EXPECT_NE(message.find("no block writes byte "), std::string::npos) << message;
    EXPECT_NE(message.find(std::string("kernel ") + name), std::string::npos) << message;
    EXPECT_EQ(runChanged(drop, /*isChecked=*/false), "");
  }
}

TEST(LaunchMemory, ABlockTooManyIsBeyondTheEnd) {
  const std::string message = runChanged([](LaunchT &launch) { launch.grid += isKernel(launch, "transpose"); });
  EXPECT_NE(message.find("kernel transpose"), std::string::npos) << message;
  EXPECT_NE(message.find("of buffer 1, which has 1048576"), std::string::npos) << message;
}

TEST(LaunchMemory, AShorterBufferIsNotReadAsALongerOne) {
  const std::string message = runChanged([](LaunchT &launch) {
    if (!isKernel(launch, "reduce_sum"))
      return;
    const BufferSlice &whole = launch.buffers[0].slice();
    launch.buffers[0] = Buffer(BufferSlice(whole.space(), whole.index(), whole.offset(), whole.bytes() - 4),
                               launch.buffers[0].access());
  });
  EXPECT_NE(message.find("kernel reduce_sum"), std::string::npos) << message;
  EXPECT_NE(message.find("of buffer 0, which has 1048572"), std::string::npos) << message;
}
