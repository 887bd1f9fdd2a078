// Products by units of processors against the evaluator's models of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AMX/EmulatedTiles.h"
#include "Codegen/KernelRunner.h"
#include "Codegen/Product.h"
#include "Codegen/Values.h"
#include "Reference/Program.h"

#include "mp/Reference/Evaluator.h"
#include <gtest/gtest.h>

#include <optional>

using namespace mp;
using namespace mp::test;

namespace {

/// A unit, a type that it multiplies, and how big operands are.
struct Case {
  ProductUnit unit;
  const char *type, *level;
  float scale;
};

class UnitModels : public testing::TestWithParam<Case> {
protected:
  void SetUp() override {
    const TileSource source = findTiles(*findCPULevel(GetParam().level));
    if (source == TileSource::Nothing)
      GTEST_SKIP() << "this processor lacks instructions of " << GetParam().level;
    if (source == TileSource::Emulation)
      emulated.emplace();
  }

  std::optional<EmulatedTiles> emulated;
};

} // namespace

static Tensor tensorOf(std::vector<int64_t> shape, ElementType type, size_t count, uint32_t seed, float scale) {
  std::vector<double> values;
  for (float value : randomFloats(count, seed))
    values.push_back(double(value) * scale);
  return Tensor::ofReals(makeType(type, std::move(shape)), values);
}

static Buffer bufferOf(const Tensor &tensor) { return {{tensor.bytes.begin(), tensor.bytes.end()}}; }

// The same text, on both: every bit.
TEST_P(UnitModels, HaveTheBitsOfTheirUnits) {
  const auto &[unit, type, level, scale] = GetParam();
  const ElementType element = std::string(type) == "f16" ? ElementType::F16 : ElementType::BF16;
  const std::string instruction = unit == ProductUnit::Dot ? "dot" : "amx";
  const std::string schedule = ", block_k = 32, tile_n = 32, vector = 16, instruction = " + instruction;
  for (Product p : {Product{33, 64, 64, false, false, true}, Product{38, 35, 75, true, false, true},
                    Product{17, 40, 99, false, true, false, 2}}) {
    p.schedule = (unit == ProductUnit::Dot ? "block_m = 8, block_n = 32, tile_m = 4"
                                           : "block_m = 32, block_n = 32, tile_m = 32") +
                 schedule;
    const std::string text = p.text(type, "f32", "f32");
    const int64_t batch = p.batches();
    auto shapeOf = [&](int64_t rows, int64_t columns) {
      return p.batch ? std::vector<int64_t>{p.batch, rows, columns} : std::vector<int64_t>{rows, columns};
    };
    const std::vector<Tensor> arguments = {
        tensorOf(p.transposeLhs ? shapeOf(p.k, p.m) : shapeOf(p.m, p.k), element, batch * p.m * p.k, 1, scale),
        tensorOf(p.transposeRhs ? shapeOf(p.n, p.k) : shapeOf(p.k, p.n), element, batch * p.k * p.n, 2, scale),
        tensorOf({p.n}, ElementType::F32, p.n, 3, scale * scale)};
    KernelRunner kernel(text, *findCPULevel(level));
    ASSERT_TRUE(kernel.ok()) << kernel.errors;
    const std::vector<Buffer> ours =
        kernel.run({bufferOf(arguments[0]), bufferOf(arguments[1]), bufferOf(arguments[2])});
    Program program(text);
    ASSERT_TRUE(program.isParsed()) << program.errors();
    auto model = evaluate(program.func(), arguments, {.unit = unit});
    auto ordered = evaluate(program.func(), arguments, {.exactAccumulator = true});
    ASSERT_TRUE(succeeded(model) && succeeded(ordered)) << program.errors();
    EXPECT_EQ(ours.at(0).bytes, bufferOf(model->front()).bytes) << p;
    EXPECT_NE(ours.at(0).bytes, bufferOf(ordered->front()).bytes) << "the order of sums makes no difference";
  }
}

INSTANTIATE_TEST_SUITE_P(Units, UnitModels,
                         testing::Values(Case{ProductUnit::Dot, "bf16", "avx512bf16", 1},
                                         Case{ProductUnit::Dot, "bf16", "avx512bf16", 0x1p-63f},
                                         Case{ProductUnit::AMX, "bf16", "amx-bf16", 1},
                                         Case{ProductUnit::AMX, "bf16", "amx-bf16", 0x1p-63f},
                                         Case{ProductUnit::AMX, "f16", "amx-fp16", 1},
                                         Case{ProductUnit::AMX, "f16", "amx-fp16", 0x1p-15f}));
