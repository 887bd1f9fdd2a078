// Derived state follows its parameter.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whatever sets or updates a parameter, on every device: what is derived of it is its cast, and a step under a guard
// that is not negative leaves both.

#include "Agreement/ProgramText.h"

#include "mp/Devices/CPU/CPUDevice.h"
#include "mp/Devices/SIMT/SIMTDevice.h"
#include "mp/Reference/ReferenceDevice.h"
#include "mp/Runtime/Core/Session.h"

#include <gtest/gtest.h>

using namespace mp;
using namespace mp::executable;

namespace {

constexpr uint64_t kElements = 5000; // several blocks, and a part of one

const char *const kPrograms = R"(
func.func @apply(%g: tensor<5000xf32> {mp.input = "g"}, %bad: tensor<i32> {mp.input = "bad"},
    %w: tensor<5000xf32> {mp.parameter = "w", mp.initializer = #mp.uniform<low = -1.0 : f64, high = 1.0 : f64, seed = 3>},
    %m: tensor<5000xf32> {mp.state = "m", mp.initializer = #mp.zeros},
    %v: tensor<5000xf32> {mp.state = "v", mp.initializer = #mp.zeros},
    %lr: tensor<f32> {mp.state = "learning_rate", mp.initializer = #mp.constant<0.1 : f64>},
    %t: tensor<i64> {mp.state = "t", mp.initializer = #mp.zeros},
    %h: tensor<5000xf16> {mp.derived = #mp.derived<of = "w", type = f16, layout = #mp.row_major>})
    -> (tensor<5000xf32> {mp.next = "w"}, tensor<5000xf32> {mp.next = "m"}, tensor<5000xf32> {mp.next = "v"},
        tensor<5000xf16> {mp.derived = #mp.derived<of = "w", type = f16, layout = #mp.row_major>})
    attributes {mp.program = "apply"} {
  %w1, %m1, %v1 = mp.adam %w, %g, %m, %v, %lr, %t guard %bad : tensor<5000xf32>
  %h1 = mp.cast %w1 {autocast} : tensor<5000xf32> -> tensor<5000xf16>
  return %w1, %m1, %v1, %h1 : tensor<5000xf32>, tensor<5000xf32>, tensor<5000xf32>, tensor<5000xf16>
}
func.func @derive(%w: tensor<5000xf32> {mp.parameter = "w", mp.initializer = #mp.uniform<low = -1.0 : f64, high = 1.0 : f64, seed = 3>})
    -> (tensor<5000xf16> {mp.derived = #mp.derived<of = "w", type = f16, layout = #mp.row_major>})
    attributes {mp.program = "derive"} {
  %h = mp.cast %w {autocast} : tensor<5000xf32> -> tensor<5000xf16>
  return %h : tensor<5000xf16>
}
)";

ErrorOr<std::shared_ptr<const LoadedExecutable>> compilePrograms(const std::string &target) {
  CompileOptions options;
  options.training = false;
  options.specialize.batch = 0;
  options.target = target;
  options.chips = {"sm_80"};
  options.reportAccesses = true;
  return ProgramText(kPrograms).load(options);
}

ErrorOr<std::unique_ptr<Device>> makeDevice(const std::string &target) {
  DeviceOptions options;
  options.simulation.bounds = options.simulation.races = options.simulation.uninitialized = true;
  if (target == "simt")
    return createSIMTDevice(options);
  return target == "cpu" ? createCPUDevice() : createReferenceDevice();
}

class DerivedState : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    ErrorOr<std::shared_ptr<const LoadedExecutable>> programs = compilePrograms(GetParam());
    ASSERT_TRUE(programs.ok()) << programs.message();
    ErrorOr<std::unique_ptr<Device>> device = makeDevice(GetParam());
    ASSERT_TRUE(device.ok()) << device.message();
    ErrorOr<std::unique_ptr<Session>> created = Session::create(*programs, std::move(*device));
    ASSERT_TRUE(created.ok()) << created.message();
    session = std::move(*created);
    Status initialized = session->initialize(1);
    ASSERT_TRUE(initialized.ok()) << initialized.message();
  }

  void expectCopy() {
    HostTensor w = *session->state("w"), copy = *session->state("w/f16");
    HostTensor cast = *zeroTensor(copy.type);
    for (uint64_t i = 0; i < kElements; ++i)
      storeElement(cast.bytes, ElementType::F16, i, elementAt(w, i));
    EXPECT_EQ(copy.bytes, cast.bytes);
  }

  void step(int32_t bad) {
    HostTensor gradient = *zeroTensor(makeType(ElementType::F32, {kElements}));
    for (uint64_t i = 0; i < kElements; ++i)
      gradient.values<float>()[i] = static_cast<float>(i % 7) - 3;
    HostTensor guard = *zeroTensor(makeType(ElementType::I32, {}));
    guard.values<int32_t>()[0] = bad;
    ErrorOr<NamedTensors> results = session->run("apply", {{"g", gradient}, {"bad", guard}});
    EXPECT_TRUE(results.ok()) << results.message();
  }

  std::unique_ptr<Session> session;
};

} // namespace

TEST_P(DerivedState, IsMadeOfInitialParameters) {
  const StateEntryT &row = *session->table().state.back();
  EXPECT_EQ(row.name, "w/f16");
  EXPECT_EQ(row.role, StateRole::Derived);
  EXPECT_FALSE(row.saved);
  EXPECT_NE(elementAt(*session->state("w/f16"), 1), 0);
  expectCopy();
}

TEST_P(DerivedState, FollowsWhatTheHostSets) {
  HostTensor w = *session->state("w");
  for (uint64_t i = 0; i < kElements; ++i)
    w.values<float>()[i] = static_cast<float>(i) / 3;
  ASSERT_TRUE(session->setState("w", w).ok());
  EXPECT_EQ(session->state("w")->bytes, w.bytes);
  expectCopy();
  EXPECT_EQ(session->setState("w/f16", *session->state("w/f16")).message(),
            "state 'w/f16' is derived of 'w'; set that state instead");
}

TEST_P(DerivedState, FollowsUpdatesAndKeepsItsBitsOnASkippedStep) {
  HostTensor before = *session->state("w");
  step(-1);
  EXPECT_NE(session->state("w")->bytes, before.bytes);
  expectCopy();
  std::vector<std::vector<std::byte>> bits;
  for (const char *name : {"w", "m", "v", "w/f16"})
    bits.push_back(session->state(name)->bytes);
  for (int32_t bad : {0, 1, 7}) {
    step(bad);
    for (size_t i = 0; const char *name : {"w", "m", "v", "w/f16"})
      EXPECT_EQ(session->state(name)->bytes, bits[i++]) << name;
  }
  step(-1);
  EXPECT_NE(session->state("w")->bytes, bits[0]);
  expectCopy();
}

INSTANTIATE_TEST_SUITE_P(Devices, DerivedState, testing::Values("cpu", "simt", "reference"));
