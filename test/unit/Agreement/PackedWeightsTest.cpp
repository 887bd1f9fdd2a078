// Weights that lie packed follow their parameters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole training jobs whose products read weights packed, of matrices and filters that end within panels, chunks of k
// and words. After the first values, after what the host sets and after steps, every packed state is what mp.pack of
// the parameter's cast means: element by element, found by the layout in the state's name, and zeros everywhere else.

#include "Agreement/ProgramText.h"

#include "mp/Codegen/Lower/Native/HostLevel.h"
#include "mp/Devices/CPU/CPUDevice.h"
#include "mp/IR/Panels.h"
#include "mp/Numerics/Float.h"
#include "mp/Runtime/Core/Session.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

using namespace mp;
using namespace mp::executable;

namespace {

struct Layers {
  int64_t batch, inputs, hidden;
  bool areConvolutions = false; ///< of 6 x 5 pixels, instead of dense layers

  std::vector<int64_t> inputShape() const {
    return areConvolutions ? std::vector<int64_t>{batch, 6, 5, inputs} : std::vector<int64_t>{batch, inputs};
  }
};

/// Two convolutions; the second filters are read with a row for each filter, forward, and for each channel, backward.
std::string convolutionsText(const Layers &layers) {
  const std::string c = std::to_string(layers.inputs), k = std::to_string(layers.hidden);
  // Of an odd number of filters words are of two taps, which no block of the update has.
  const std::string n = layers.hidden % 2 == 0 ? "38" : "37";
  const std::string x = "tensor<?x6x5x" + c + "xf32>", h = "tensor<?x6x5x" + k + "xf32>";
  const std::string w = "tensor<" + k + "x3x3x" + c + "xf32>", v = "tensor<" + n + "x2x3x" + k + "xf32>";
  return "func.func @model(%x: " + x + " {mp.input = \"x\"}, %w: " + w +
         R"( {mp.parameter = "first.weight", mp.initializer = #mp.glorot_uniform<seed = 1>}, %v: )" + v +
         R"( {mp.parameter = "second.weight", mp.initializer = #mp.glorot_uniform<seed = 2>},
    %y: tensor<?xui8> {mp.input = "y"}) -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %h = mp.conv %x, %w acc f32 {padding = same} : )" +
         x + ", " + w + " -> " + h + "\n  %r = mp.relu %h : " + h + "\n  %c = mp.conv %r, %v acc f32 : " + h + ", " +
         v + " -> tensor<?x5x3x" + n + "xf32>\n  %z = mp.reduce_mean %c dimensions [1, 2] : tensor<?x5x3x" + n +
         "xf32> -> tensor<?x" + n + "xf32>\n  %l = mp.softmax_cross_entropy %z, %y : tensor<?x" + n +
         R"(xf32>, tensor<?xui8> -> tensor<f32>
  return %l : tensor<f32>
})";
}

/// Two dense layers; the second weight is read in the order it lies, forward, and the other way, backward.
std::string modelText(const Layers &layers) {
  if (layers.areConvolutions)
    return convolutionsText(layers);
  const std::string k = std::to_string(layers.inputs), n = std::to_string(layers.hidden);
  return R"(func.func @model(%x: tensor<?x)" + k + R"(xf32> {mp.input = "x"},
    %w: tensor<)" +
         k + "x" + n + R"(xf32> {mp.parameter = "first.weight", mp.initializer = #mp.glorot_uniform<seed = 1>},
    %v: tensor<)" +
         n + R"(x37xf32> {mp.parameter = "second.weight", mp.initializer = #mp.glorot_uniform<seed = 2>},
    %y: tensor<?xui8> {mp.input = "y"}) -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %h = mp.matmul %x, %w acc f32 : tensor<?x)" +
         k + "xf32>, tensor<" + k + "x" + n + "xf32> -> tensor<?x" + n + R"(xf32>
  %r = mp.relu %h : tensor<?x)" +
         n + R"(xf32>
  %z = mp.matmul %r, %v acc f32 : tensor<?x)" +
         n + "xf32>, tensor<" + n + R"(x37xf32> -> tensor<?x37xf32>
  %l = mp.softmax_cross_entropy %z, %y : tensor<?x37xf32>, tensor<?xui8> -> tensor<f32>
  return %l : tensor<f32>
})";
}

/// The parts of a value, the largest first, as bits of the state's type: the cast itself, or bf16 that add up to it.
std::vector<uint16_t> partsOf(float value, bool isF16, int64_t parts) {
  if (parts == 1)
    return {isF16 ? encodeF16(value) : encodeBF16(value)};
  double rest = decodeF16(encodeF16(value));
  std::vector<uint16_t> bits;
  for (int64_t part = 0; part < parts; ++part) {
    bits.push_back(encodeBF16(static_cast<float>(rest)));
    rest -= decodeBF16(bits.back());
  }
  return bits;
}

class PackedWeights : public testing::TestWithParam<std::tuple<Layers, const char *, const char *>> {
protected:
  void SetUp() override {
    const auto &[layers, policy, level] = GetParam();
    const bool hasTiles = std::string_view(level).starts_with("amx");
    if (!hasTiles && !hostLevel().dotsBF16)
      GTEST_SKIP() << "this processor lacks avx512bf16";
    CompileOptions options;
    options.specialize.batch = layers.batch;
    options.autocast.policy = policy;
    options.cpus = {level};
    options.emulateTiles = hasTiles;
    text.emplace(modelText(layers));
    ErrorOr<std::shared_ptr<const LoadedExecutable>> programs = text->load(options);
    ASSERT_TRUE(programs.ok()) << programs.message();
    ErrorOr<std::unique_ptr<Device>> device = createCPUDevice();
    ASSERT_TRUE(device.ok()) << device.message();
    ErrorOr<std::unique_ptr<Session>> created = Session::create(*programs, std::move(*device));
    ASSERT_TRUE(created.ok()) << created.message();
    session = std::move(*created);
    const Status initialized = session->initialize(1);
    ASSERT_TRUE(initialized.ok()) << initialized.message();
  }

  void step() {
    const Layers &layers = std::get<0>(GetParam());
    HostTensor x = *zeroTensor(makeType(ElementType::F32, layers.inputShape()));
    for (size_t i = 0; i < x.values<float>().size(); ++i)
      x.values<float>()[i] = static_cast<float>(i * 7 % 23) / 11 - 1;
    HostTensor y = *zeroTensor(makeType(ElementType::UI8, {layers.batch}));
    for (size_t i = 0; i < y.bytes.size(); ++i)
      y.bytes[i] = static_cast<std::byte>(i * 5 % 37);
    ErrorOr<NamedTensors> results = session->run("train_step", {{"x", x}, {"y", y}});
    ASSERT_TRUE(results.ok()) << results.message();
  }

  /// How many packed states there are; each is compared.
  int expectPacked() {
    int count = 0;
    for (const auto &entry : session->table().state)
      if (!entry->layout.empty()) {
        ++count;
        expectPacked(*entry);
      }
    return count;
  }

  void expectPacked(const StateEntryT &entry) {
    SCOPED_TRACE(entry.name);
    const HostTensor w = *session->state(entry.derived_of), packed = *session->state(entry.name);
    int rows = 0, depth = 0, unit = 0, end = 0;
    ASSERT_EQ(std::sscanf(entry.layout.c_str(), "%dx%dx%d%n", &rows, &depth, &unit, &end), 3);
    std::string flags = entry.layout.substr(end);
    int64_t parts = 1;
    if (flags.starts_with("p")) {
      parts = flags[1] - '0';
      flags.erase(0, 2);
    }
    const bool isDepthInner = flags.find('k') != flags.npos, isTransposed = flags.find('t') != flags.npos;
    // A matrix, or filters of some taps.
    const int64_t first = w.type.shape.front(), second = w.type.shape.back();
    const int64_t taps = static_cast<int64_t>(w.values<float>().size()) / (first * second);
    const PackedMatrix matrix{
        1,    isTransposed ? second : first, taps * (isTransposed ? first : second), rows, depth, unit, isDepthInner,
        parts};
    std::vector<uint16_t> expected(packed.bytes.size() / sizeof(uint16_t));
    const bool isF16 = entry.name.find("/f16@") != entry.name.npos;
    for (int64_t i = 0; i < first; ++i)
      for (int64_t tap = 0; tap < taps; ++tap)
        for (int64_t j = 0; j < second; ++j) {
          const float value = w.values<float>()[(i * taps + tap) * second + j];
          const int64_t row = isTransposed ? j : i, k = isTransposed ? (taps - 1 - tap) * first + i : tap * second + j;
          for (int64_t part = 0; uint16_t bits : partsOf(value, isF16, parts))
            expected[matrix.indexOf(0, row, k, part++)] = bits;
        }
    ASSERT_EQ(packed.values<uint16_t>().size(), expected.size());
    size_t wrong = 0;
    for (size_t i = 0; i < expected.size(); ++i)
      wrong += packed.values<uint16_t>()[i] != expected[i];
    EXPECT_EQ(wrong, 0u) << "of " << expected.size();
  }

  std::optional<ProgramText> text;
  std::unique_ptr<Session> session;
};

} // namespace

TEST_P(PackedWeights, FollowTheirParameters) {
  EXPECT_GE(expectPacked(), 1);
  step();
  expectPacked();
  HostTensor w = *session->state("first.weight");
  for (size_t i = 0; i < w.values<float>().size(); ++i)
    w.values<float>()[i] = static_cast<float>(i % 101) / 97 - 0.5f;
  ASSERT_TRUE(session->setState("first.weight", w).ok());
  expectPacked();
  for (int i = 0; i < 3; ++i)
    step();
  EXPECT_NE(session->state("first.weight")->bytes, w.bytes);
  expectPacked();
}

/// f16 is two bf16 of each element, where there is enough work for splitting it. Emulated tiles take seconds to
/// compile, so that most are in the long form.
static std::vector<std::tuple<Layers, const char *, const char *>> cases() {
  std::vector<std::tuple<Layers, const char *, const char *>> all = {
      {{40, 331, 65}, "mixed_bfloat16", "amx-bf16"},      {{48, 63, 1}, "mixed_bfloat16", "amx-bf16"},
      {{128, 331, 257}, "mixed_float16", "amx-bf16"},     {{8, 16, 24, true}, "mixed_bfloat16", "avx512bf16"},
      {{8, 9, 33, true}, "mixed_bfloat16", "avx512bf16"}, {{8, 32, 64, true}, "mixed_bfloat16", "amx-bf16"}};
  if (!std::getenv("HALFSTEP_LONG"))
    return all;
  for (const Layers &layers : {Layers{64, 64, 96}, Layers{128, 1, 70}, Layers{33, 257, 300}}) {
    for (const char *level : {"amx-bf16", "amx-fp16"})
      all.emplace_back(layers, "mixed_bfloat16", level);
    all.emplace_back(layers, "mixed_float16", "amx-fp16");
  }
  for (const Layers &layers : {Layers{5, 7, 96, true}, Layers{16, 64, 32, true}})
    for (const char *level : {"amx-bf16", "amx-fp16"})
      for (const char *policy : {"mixed_bfloat16", "mixed_float16"})
        all.emplace_back(layers, policy, level);
  for (const Layers &layers : {Layers{192, 700, 300}, Layers{130, 512, 512}})
    all.emplace_back(layers, "mixed_float16", "amx-bf16");
  return all;
}

INSTANTIATE_TEST_SUITE_P(Sizes, PackedWeights, testing::ValuesIn(cases()));
