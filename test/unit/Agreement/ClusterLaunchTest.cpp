// Launches whose blocks run together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Agreement/ProgramText.h"

#include "mp/Devices/SIMT/SIMTDevice.h"
#include "mp/Runtime/Core/Session.h"

#include <gtest/gtest.h>

using namespace mp;
using namespace mp::executable;

static const char *const kProgram = R"(
func.func @infer(%x: tensor<8192xf32> {mp.input = "x"}) -> (tensor<8192xf32> {mp.output = "y"}) attributes {mp.program = "infer"} {
  %y = mp.relu %x : tensor<8192xf32>
  return %y : tensor<8192xf32>
}
)";

/// An executable for the simulated chip whose blocks run by twos.
static ErrorOr<std::unique_ptr<Session>> compileInPairs(const std::string &chip) {
  CompileOptions options;
  options.training = false;
  options.specialize.batch = 0;
  options.target = "simt";
  options.chips = {chip};
  ProgramText program(kProgram);
  mlir::FailureOr<Compilation> compiled = program.compile(options);
  if (failed(compiled))
    return Status::error(program.errors);
  for (const auto &command : compiled->table.programs.front()->variants.front()->commands)
    if (LaunchT *launch = command->what.AsLaunch()) {
      EXPECT_EQ(launch->grid % 2, 0u);
      launch->cluster = 2;
    }
  ErrorOr<FileBytes> bytes = serializeExecutable(std::move(compiled->table), compiled->blobs);
  if (!bytes)
    return bytes.status();
  ErrorOr<LoadedExecutable> file = readExecutable(bytes->span());
  if (!file)
    return file.status();
  ErrorOr<std::unique_ptr<Device>> device = createSIMTDevice({});
  if (!device)
    return device.status();
  return Session::create(std::make_shared<const LoadedExecutable>(std::move(*file)), std::move(*device));
}

static ErrorOr<NamedTensors> runInPairs(const std::string &chip) {
  ErrorOr<std::unique_ptr<Session>> session = compileInPairs(chip);
  if (!session)
    return session.status();
  HostTensor x = *zeroTensor(makeType(ElementType::F32, {8192}));
  for (size_t i = 0; i < 8192; ++i)
    x.values<float>()[i] = static_cast<float>(i) - 4000;
  return (*session)->run("infer", {{"x", x}});
}

TEST(ClusterLaunch, ComputesEveryBlock) {
  ErrorOr<NamedTensors> results = runInPairs("sm_90");
  ASSERT_TRUE(results.ok()) << results.message();
  const HostTensor &y = results->front().tensor;
  for (size_t i = 0; i < 8192; ++i)
    ASSERT_EQ(y.values<float>()[i], i < 4000 ? 0 : static_cast<float>(i) - 4000);
}

TEST(ClusterLaunch, IsAnErrorOnChipsWithoutClusters) {
  const std::string message = runInPairs("sm_80").message();
  EXPECT_NE(message.find("clusters of 2 blocks, which sm_80 does not have: they need sm_90"), std::string::npos)
      << message;
}
