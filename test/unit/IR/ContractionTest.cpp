// What each op of role contraction says that it is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/IR/MP.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <set>

using namespace mp;

namespace {

/// A use of an op and the sizes of its contraction: `batch` products [m x k] x [k x n].
struct Case {
  const char *name, *lhs, *rhs, *text, *result;
  int64_t batch, m, n, k;
  bool takesParts = false;
  int64_t granule = 0;
};

const Case kCases[] = {
    {"matmul", "5x7xf16", "7x3xf16", "mp.matmul %lhs, %rhs acc f32", "5x3xf16", 1, 5, 3, 7, true},
    {"matmul_transposed", "7x5xf32", "3x7xf32", "mp.matmul %lhs, %rhs transpose_lhs transpose_rhs acc f32", "5x3xf32",
     1, 5, 3, 7, true},
    {"matmul_of_batches", "2x5x7xf32", "2x7x3xf32", "mp.matmul %lhs, %rhs acc f32", "2x5x3xf32", 2, 5, 3, 7, true},
    {"matmul_sharing_rhs", "2x5x7xf32", "7x3xf32", "mp.matmul %lhs, %rhs acc f32", "2x5x3xf32", 1, 10, 3, 7, true},
    // m: pixels of all images; n: filters; k: taps and channels.
    {"conv", "2x6x5x4xf16", "8x3x2x4xf16", "mp.conv %lhs, %rhs acc f32", "2x4x4x8xf16", 1, 2 * 4 * 4, 8, 3 * 2 * 4},
    {"conv_of_groups", "2x6x5x4xf16", "8x3x2x2xf16", "mp.conv %lhs, %rhs acc f32 {groups = 2}", "2x4x4x8xf16", 2,
     2 * 4 * 4, 4, 3 * 2 * 2},
    // m: pixels of all images; n: channels; k: taps and filters.
    {"conv_transpose", "2x4x4x8xf16", "8x3x2x4xf16", "mp.conv_transpose %lhs, %rhs acc f32", "2x6x5x4xf16", 1,
     2 * 6 * 5, 4, 3 * 2 * 8},
    // The image is rhs. m: filters; n: taps and channels; k: pixels of all results.
    {"conv_filter_grad", "2x6x5x4xf16", "2x4x4x8xf16", "mp.conv_filter_grad %lhs, %rhs acc f32", "8x3x2x4xf16", 1, 8,
     3 * 2 * 4, 2 * 4 * 4, true, 4 * 4},
};

class Contractions : public testing::TestWithParam<Case> {
protected:
  Contractions() {
    context.loadDialect<MPDialect, mlir::func::FuncDialect>();
    auto type = [](const char *text) { return "tensor<" + std::string(text) + ">"; };
    const Case &use = GetParam();
    const std::string text = "func.func @f(%lhs: " + type(use.lhs) + ", %rhs: " + type(use.rhs) + ") -> " +
                             type(use.result) + " { %0 = " + use.text + " : " + type(use.lhs) + ", " + type(use.rhs) +
                             " -> " + type(use.result) + "\n return %0 : " + type(use.result) + "}";
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    if (module)
      module->walk([&](ContractionOpInterface found) { op = found; });
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  ContractionOpInterface op;
};

TEST_P(Contractions, HaveTheSizesOfTheirOperands) {
  ASSERT_TRUE(op);
  const Case &use = GetParam();
  const Contraction found = op.getContraction();
  EXPECT_EQ((std::vector{found.batch, found.m, found.n, found.k}), (std::vector{use.batch, use.m, use.n, use.k}));
  EXPECT_EQ(found.takesParts, use.takesParts);
  EXPECT_EQ(found.granule, use.granule);
  EXPECT_EQ(found.parts, 1);
}

// Without padding and strides no product is left out, and every element is a factor of one.
TEST_P(Contractions, ReadEveryElement) {
  ASSERT_TRUE(op);
  const Contraction found = op.getContraction();
  auto expectAll = [&](const IndexMap &map, mlir::Value operand, int64_t rows) {
    std::set<int64_t> read;
    for (int64_t batch = 0; batch < found.batch; ++batch)
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t k = 0; k < found.k; ++k)
          if (std::optional<int64_t> element = map.find(batch, row, k))
            read.insert(*element);
    const int64_t count = typeOf(operand).getNumElements();
    EXPECT_EQ(static_cast<int64_t>(read.size()), count);
    EXPECT_EQ(*read.rbegin(), count - 1);
  };
  expectAll(found.lhsMap, op.getLhs(), found.m);
  expectAll(found.rhsMap, op.getRhs(), found.n);
}

INSTANTIATE_TEST_SUITE_P(Ops, Contractions, testing::ValuesIn(kCases),
                         [](const testing::TestParamInfo<Case> &info) { return std::string(info.param.name); });

} // namespace
