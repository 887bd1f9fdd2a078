// The evaluator behind the runtime.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Reference/ReferenceDevice.h"
#include "mp/Runtime/Core/Session.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace mp;
using namespace mp::executable;

namespace {

/// One step that adds its input to the state "total" and returns what that was before.
const char *const kCount =
    R"(func.func @train_step(%x: tensor<2xf32>, %total: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %next = mp.add %total, %x : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  return %next, %total : tensor<2xf32>, tensor<2xf32>
})";

std::unique_ptr<TensorTypeT> pairType() { return std::make_unique<TensorTypeT>(makeType(ElementType::F32, {2})); }

/// The executable of one program "train_step" of that text, whose signature is kCount's.
std::shared_ptr<const LoadedExecutable> executableOf(const std::string &text) {
  ExecutableT table;
  auto entry = std::make_unique<StateEntryT>();
  entry->name = "total";
  entry->type = pairType();
  entry->role = StateRole::State;
  entry->initializer = std::make_unique<InitializerT>();
  entry->initializer->kind = InitializerKind::Ones;
  table.state.push_back(std::move(entry));

  auto variant = std::make_unique<VariantT>();
  variant->target = "reference";
  variant->batch = 1;
  auto argument = [&](const char *name, ArgumentKind kind) {
    auto made = std::make_unique<ArgumentT>();
    made->name = name;
    made->type = pairType();
    made->kind = kind;
    variant->arguments.push_back(std::move(made));
  };
  argument("x", ArgumentKind::Input);
  argument("total", ArgumentKind::State);
  auto result = [&](const char *name, ResultKind kind) {
    auto made = std::make_unique<ResultT>();
    made->name = name;
    made->type = pairType();
    made->kind = kind;
    variant->results.push_back(std::move(made));
  };
  result("total", ResultKind::Next);
  result("before", ResultKind::Output);

  LaunchT launch;
  launch.kernel = launch.symbol = "train_step";
  launch.blob = 0;
  launch.grid = 1;
  launch.buffers = {Buffer(BufferSlice(Space::Argument, 0, 0, 8), Access::Read),
                    Buffer(BufferSlice(Space::State, 0, 0, 8), Access::ReadWrite),
                    Buffer(BufferSlice(Space::State, 0, 0, 8), Access::ReadWrite),
                    Buffer(BufferSlice(Space::Result, 1, 0, 8), Access::Write)};
  auto command = std::make_unique<CommandT>();
  command->what.Set(std::move(launch));
  variant->commands.push_back(std::move(command));

  auto program = std::make_unique<ProgramT>();
  program->name = "train_step";
  program->variants.push_back(std::move(variant));
  table.programs.push_back(std::move(program));
  auto blob = std::make_unique<BlobT>();
  blob->kind = BlobKind::ProgramText;
  table.blobs.push_back(std::move(blob));

  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  ErrorOr<FileBytes> file = serializeExecutable(std::move(table), std::vector<std::vector<std::byte>>{bytes});
  EXPECT_TRUE(file.ok()) << file.message();
  ErrorOr<LoadedExecutable> loaded = readExecutable(file->span());
  EXPECT_TRUE(loaded.ok()) << loaded.message();
  return std::make_shared<const LoadedExecutable>(std::move(*loaded));
}

std::unique_ptr<Session> makeSession(const std::string &text) {
  ErrorOr<std::unique_ptr<Device>> device = createReferenceDevice();
  EXPECT_TRUE(device.ok()) << device.message();
  ErrorOr<std::unique_ptr<Session>> session = Session::create(executableOf(text), std::move(*device));
  EXPECT_TRUE(session.ok()) << session.message();
  EXPECT_TRUE((*session)->initialize(1).ok());
  return std::move(*session);
}

HostTensor pair(float a, float b) {
  HostTensor tensor = *zeroTensor(makeType(ElementType::F32, {2}));
  tensor.values<float>()[0] = a;
  tensor.values<float>()[1] = b;
  return tensor;
}

/// What the device says of a text that it cannot run.
std::string refusalOf(const std::string &text) {
  ErrorOr<std::unique_ptr<ProgramRunner>> runner = makeSession(text)->load("train_step");
  return runner.ok() ? "accepted" : runner.message();
}

} // namespace

TEST(ReferenceDevice, runsTextAndUpdatesStateInPlace) {
  std::unique_ptr<Session> session = makeSession(kCount);
  for (float step = 0; step < 3; ++step) {
    ErrorOr<NamedTensors> results = session->run("train_step", {{"x", pair(1, 10)}});
    ASSERT_TRUE(results.ok()) << results.message();
    ASSERT_EQ(results->size(), 1u);
    EXPECT_EQ((*results)[0].tensor.bytes, pair(1 + step, 1 + 10 * step).bytes);
    EXPECT_EQ(session->state("total")->bytes, pair(2 + step, 11 + 10 * step).bytes);
  }
}

TEST(ReferenceDevice, isOneThatProgramsRegister) {
  registerReferenceDevice();
  ErrorOr<std::unique_ptr<Device>> device = createDevice("reference");
  ASSERT_TRUE(device.ok()) << device.message();
  EXPECT_EQ((*device)->description().name, "reference");
  VariantT native;
  native.target = "cpu";
  EXPECT_EQ((*device)->canRun({}, native).message(), "made for target cpu, device reference runs target reference");
}

TEST(ReferenceDevice, refusesTextThatDoesNotFit) {
  EXPECT_NE(refusalOf("func.func @").find("text: "), std::string::npos) << refusalOf("func.func @");
  EXPECT_EQ(refusalOf("func.func @g() { return }"), "program train_step: its text has no function 'train_step'");
  EXPECT_EQ(refusalOf("func.func private @train_step()"), "program train_step: its text has no function 'train_step'");
  EXPECT_EQ(refusalOf("func.func @train_step() { return }"),
            "program train_step: its text has 0 arguments, its signature 2");
  EXPECT_EQ(refusalOf("func.func @train_step(%x: tensor<2xf32>, %y: tensor<3xf32>) -> (tensor<2xf32>, tensor<2xf32>) {"
                      " return %x, %x : tensor<2xf32>, tensor<2xf32> }"),
            "program train_step: argument 1 is tensor<3xf32> in its text, tensor<2xf32> in its signature");
  EXPECT_EQ(refusalOf("func.func @train_step(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {"
                      " return %x : tensor<2xf32> }"),
            "program train_step: its text has 1 results, its signature 2");
}

TEST(ReferenceDevice, refusesTextThatNestsTooDeeply) {
  const std::string deep = std::string(100000, '[') + std::string(100000, ']');
  EXPECT_EQ(refusalOf("func.func @train_step() attributes\n{a = " + deep + "} { return }"),
            "program train_step: text: nested more than 256 levels deep at line 2, column 261");
}

TEST(ReferenceDevice, reportsWhatTheEvaluatorCannotDo) {
  std::unique_ptr<Session> session =
      makeSession("func.func private @g()\n"
                  "func.func @train_step(%x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {"
                  " call @g() : () -> ()\n return %x, %y : tensor<2xf32>, tensor<2xf32> }");
  ErrorOr<NamedTensors> results = session->run("train_step", {{"x", pair(1, 2)}});
  ASSERT_FALSE(results.ok());
  EXPECT_NE(results.message().find("no rule for 'func.call'"), std::string::npos) << results.message();
}
