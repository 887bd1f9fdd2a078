// Gradients of what is read in pieces.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model reads pieces of one parameter: slices with steps, along some dimensions or all, flipped, by constant indices,
// of the parameter or of what it is moved to, that overlap or not. Its loss is the sum of all of them, each element
// with a weight of its own: an element's gradient is the sum of the weights of what reads it. What reads it is found by
// evaluating the pieces on the numbers of the elements. Weights are small integers, so that every sum is exact.

#include "Reference/Program.h"

#include "mp/IR/Program.h"
#include "mp/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

using namespace mp;

namespace {

using Shape = std::vector<int64_t>;

int64_t volumeOf(const Shape &shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
}

/// "tensor<3x5x$T>"
std::string typeOf(const Shape &shape) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + "$T>";
}

std::string withElement(std::string text, const std::string &element) {
  for (size_t at = text.find("$T"); at != std::string::npos; at = text.find("$T", at))
    text.replace(at, 2, element);
  return text;
}

/// Ops that move elements of %x, and the results that are the pieces.
struct Reads {
  explicit Reads(Shape shape) : whole(std::move(shape)) {}

  Shape whole;
  std::string ops;
  std::vector<std::pair<std::string, Shape>> pieces;

  std::string add(const std::string &op, const std::string &value, const Shape &from, const std::string &clause,
                  const Shape &to, const std::string &types = "") {
    const std::string name = "%v" + std::to_string(count++);
    ops += "  " + name + " = " + op + " " + value + clause + " : " + typeOf(from) + types + " -> " + typeOf(to) + "\n";
    return name;
  }

  struct Range {
    int64_t start, limit, stride = 1;
    int64_t size() const { return (limit - start + stride - 1) / stride; }
  };
  std::string slice(const std::string &value, const Shape &from, const std::vector<Range> &ranges, Shape &to) {
    std::string clause;
    to.clear();
    for (const Range &range : ranges) {
      clause += (clause.empty() ? " [" : ", ") + std::to_string(range.start) + ":" + std::to_string(range.limit) + ":" +
                std::to_string(range.stride);
      to.push_back(range.size());
    }
    return add("mp.slice", value, from, clause + "]", to);
  }
  void slice(const std::vector<Range> &ranges) {
    Shape to;
    const std::string name = slice("%x", whole, ranges, to);
    pieces.emplace_back(name, to);
  }

private:
  int count = 0;
};
using Range = Reads::Range;

/// The pieces as outputs of a program on indices.
std::string indexText(const Reads &reads) {
  std::string values, types;
  for (const auto &[name, shape] : reads.pieces) {
    values += (values.empty() ? "" : ", ") + name;
    types += (types.empty() ? "" : ", ") + typeOf(shape);
  }
  return withElement("func.func @f(%x: " + typeOf(reads.whole) + ") -> (" + types + ") {\n" + reads.ops + "  return " +
                         values + " : " + types + "\n}\n",
                     "i64");
}

std::string modelText(const Reads &reads) {
  std::string signature = "%x: " + typeOf(reads.whole) + " {mp.parameter = \"x\", mp.initializer = #mp.zeros}", body,
              loss;
  for (size_t i = 0; i < reads.pieces.size(); ++i) {
    const auto &[name, shape] = reads.pieces[i];
    const std::string number = std::to_string(i), type = typeOf(shape);
    signature += ", %w" + number + ": " + type + " {mp.input = \"w" + number + "\"}";
    std::string dimensions;
    for (size_t d = 0; d < shape.size(); ++d)
      dimensions += (d ? ", " : "") + std::to_string(d);
    body += "  %p" + number + " = mp.mul " + name + ", %w" + number + " : " + type + ", " + type + " -> " + type +
            "\n" + "  %s" + number + " = mp.reduce_sum %p" + number + " dimensions [" + dimensions + "] : " + type +
            " -> tensor<$T>\n";
    const std::string sum = i == 0 ? "%s0" : "%l" + number;
    if (i != 0)
      body += "  " + sum + " = mp.add " + loss + ", %s" + number + " : tensor<$T>, tensor<$T> -> tensor<$T>\n";
    loss = sum;
  }
  return withElement("func.func @model(" + signature +
                         ") -> (tensor<$T> {mp.loss}) attributes {mp.program = \"model\"} {\n" + reads.ops + body +
                         "  return " + loss + " : tensor<$T>\n}\n",
                     "f64");
}

std::vector<Tensor> weightsOf(const Reads &reads) {
  std::mt19937_64 random(7);
  std::vector<Tensor> weights;
  for (const auto &[name, shape] : reads.pieces) {
    std::vector<double> values(static_cast<size_t>(volumeOf(shape)));
    for (double &value : values)
      value = static_cast<double>(random() % 9) - 4;
    weights.push_back(reals(ElementType::F64, shape, values));
  }
  return weights;
}

std::vector<double> expectedGradient(const Reads &reads, const std::vector<Tensor> &weights) {
  Program program(indexText(reads));
  EXPECT_TRUE(program.func()) << program.errors() << indexText(reads);
  std::vector<int64_t> numbers(static_cast<size_t>(volumeOf(reads.whole)));
  std::iota(numbers.begin(), numbers.end(), 0);
  std::vector<double> gradient(numbers.size(), 0.0);
  llvm::FailureOr<std::vector<Tensor>> places =
      evaluate(program.func(), {integers(ElementType::I64, reads.whole, numbers)});
  EXPECT_TRUE(succeeded(places)) << program.errors();
  for (size_t i = 0; succeeded(places) && i < weights.size(); ++i) {
    const std::vector<double> own = weights[i].reals();
    const std::vector<int64_t> from = (*places)[i].integers();
    for (size_t j = 0; j < own.size(); ++j)
      gradient[static_cast<size_t>(from[j])] += own[j];
  }
  return gradient;
}

/// What the training step of `reads` is made of.
struct Size {
  int64_t ops = 0, elements = 0;
};

/// Checks the gradient's values; the size of the step that computes it.
Size expectGradient(const Reads &reads) {
  Program program(modelText(reads));
  if (!program.func("model")) {
    ADD_FAILURE() << program.errors() << modelText(reads);
    return {};
  }
  mlir::PassManager passes(program.getContext());
  passes.addPass(createAutodiffPass());
  EXPECT_TRUE(succeeded(passes.run(program.getModule()))) << program.errors();
  mlir::func::FuncOp step = program.func("train_step");
  const std::vector<Tensor> weights = weightsOf(reads);
  std::vector<Tensor> arguments = {
      reals(ElementType::F64, reads.whole, std::vector<double>(volumeOf(reads.whole), 1.0))};
  arguments.insert(arguments.end(), weights.begin(), weights.end());
  llvm::FailureOr<std::vector<Tensor>> results = evaluate(step, arguments);
  EXPECT_TRUE(succeeded(results)) << program.errors();
  if (succeeded(results))
    EXPECT_EQ(results->back().reals(), expectedGradient(reads, weights)) << modelText(reads);
  Size size;
  step.walk([&](mlir::Operation *op) {
    ++size.ops;
    for (mlir::Value result : op->getResults())
      size.elements += llvm::cast<mlir::RankedTensorType>(result.getType()).getNumElements();
  });
  return size;
}

/// A range of a dimension, whole, one element, or anything, with steps now and then.
Range randomRange(std::mt19937_64 &random, int64_t size) {
  const auto below = [&](int64_t limit) { return static_cast<int64_t>(random() % static_cast<uint64_t>(limit)); };
  switch (below(4)) {
  case 0:
    return {0, size};
  case 1: {
    const int64_t at = below(size);
    return {at, at + 1};
  }
  default: {
    const int64_t start = below(size);
    return {start, start + 1 + below(size - start), below(3) == 0 ? 1 + below(4) : 1};
  }
  }
}

/// A piece of what `%x` is moved to, by random ops.
void addRandomPiece(Reads &reads, std::mt19937_64 &random) {
  Shape shape = reads.whole, to;
  std::string value = "%x";
  const size_t last = shape.size() - 1;
  const std::string lastDimension = " dimensions [" + std::to_string(last) + "]";
  switch (random() % 6) {
  case 0:
    value = reads.add("mp.flip", value, shape, lastDimension, shape);
    break;
  case 1: {
    const Shape flat = {volumeOf(shape)};
    value = reads.add("mp.reshape", value, shape, "", flat);
    shape = flat;
    break;
  }
  case 2: { // by indices, in steps or in no order, and some twice
    const int64_t first = static_cast<int64_t>(random() % 2), step = static_cast<int64_t>(random() % 3) - 1;
    std::string indices;
    for (int64_t i = 0; i < 3; ++i) {
      const int64_t at = random() % 2 ? first + 2 * std::abs(step) : (step < 0 ? 2 - i : first + i * step);
      indices += (i ? ", " : "") + std::to_string(std::min(at, shape.front() - 1));
    }
    const std::string name = "%i" + std::to_string(reads.pieces.size());
    reads.ops += "  " + name + " = mp.constant dense<[" + indices + "]> : tensor<3xi32>\n";
    to = shape;
    to.front() = 3;
    value = reads.add("mp.gather", value + ", " + name + " dimension 0", shape, "", to, ", tensor<3xi32>");
    shape = to;
    break;
  }
  default:
    break;
  }
  std::vector<Range> ranges;
  for (int64_t size : shape)
    ranges.push_back(randomRange(random, size));
  value = reads.slice(value, shape, ranges, to);
  if (random() % 4 == 0)
    value = reads.add("mp.flip", value, to, " dimensions [0]", to);
  reads.pieces.emplace_back(value, to);
}

/// Checks that a step of twice as many pieces has about twice the ops and elements.
void expectLinear(const std::function<Reads(int64_t)> &make) {
  const Size once = expectGradient(make(16)), twice = expectGradient(make(32)), four = expectGradient(make(64));
  EXPECT_LE(four.ops - twice.ops, 2.2 * static_cast<double>(twice.ops - once.ops));
  EXPECT_LE(four.elements - twice.elements, 2.2 * static_cast<double>(twice.elements - once.elements));
}

} // namespace

TEST(GradientSums, ofRandomPieces) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    Shape shape;
    for (size_t i = 0; i < 1 + seed % 4; ++i)
      shape.push_back(1 + static_cast<int64_t>(random() % (seed % 4 == 0 ? 40 : 7)));
    Reads reads(shape);
    const size_t pieces = 1 + random() % 12;
    while (reads.pieces.size() < pieces)
      addRandomPiece(reads, random);
    expectGradient(reads);
  }
}

TEST(GradientSums, growWithTheNumberOfPieces) {
  // Along each dimension, and of several at once.
  for (size_t dimension = 0; dimension < 3; ++dimension)
    expectLinear([&](int64_t count) {
      Shape shape(3, 4);
      shape[dimension] = count;
      Reads reads(shape);
      for (int64_t i = 0; i < count; ++i) {
        std::vector<Range> ranges(3, Range{0, 4});
        ranges[dimension] = {i, i + 1};
        reads.slice(ranges);
      }
      return reads;
    });
  expectLinear([](int64_t count) {
    Reads reads({4, count / 4});
    for (int64_t i = 0; i < count; ++i)
      reads.slice({{i % 4, i % 4 + 1}, {i / 4, i / 4 + 1}});
    return reads;
  });
  // With room between them, every so many, and windows that overlap.
  expectLinear([](int64_t count) {
    Reads reads({3, 5 * count});
    for (int64_t i = 0; i < count; ++i)
      reads.slice({{0, 3}, {5 * i + 1, 5 * i + 3}});
    return reads;
  });
  expectLinear([](int64_t count) {
    Reads reads({3, 5 * count});
    for (int64_t i = 0; i < count; ++i)
      reads.slice({{0, 3}, {i, 4 * count + i + 1, count}});
    return reads;
  });
  expectLinear([](int64_t count) {
    Reads reads({3, count + 7});
    for (int64_t i = 0; i < count; ++i)
      reads.slice({{0, 3}, {i, i + 8}});
    return reads;
  });
  // One and the same, again and again, of something large.
  expectLinear([](int64_t count) {
    Reads reads({1000});
    for (int64_t i = 0; i < count; ++i)
      reads.slice({{1, 3}});
    return reads;
  });
}

TEST(GradientSums, areOfOneProductWhereFactorsAreSmall) {
  const auto model = [](const std::string &rows) {
    const std::string h = "tensor<" + rows + "x8xf64>", z = "tensor<" + rows + "x8xf64>";
    return "func.func @model(%h: " + h +
           " {mp.input = \"h\"}, %w: tensor<8x8xf64> {mp.parameter = \"w\", mp.initializer = #mp.zeros}) "
           "-> (tensor<f64> {mp.loss}) attributes {mp.program = \"model\"} {\n"
           "  %a = mp.matmul %h, %w acc f64 : " +
           h + ", tensor<8x8xf64> -> " + z +
           "\n"
           "  %b = mp.matmul %a, %w acc f64 : " +
           z + ", tensor<8x8xf64> -> " + z +
           "\n"
           "  %c = mp.matmul %b, %w acc f64 : " +
           z + ", tensor<8x8xf64> -> " + z +
           "\n"
           "  %s = mp.reduce_sum %c dimensions [0, 1] : " +
           z +
           " -> tensor<f64>\n"
           "  return %s : tensor<f64>\n}\n";
  };
  for (auto [rows, products] : {std::pair("2", 6), std::pair("8", 8)}) {
    Program program(model(rows));
    ASSERT_TRUE(program.func("model")) << program.errors();
    mlir::PassManager passes(program.getContext());
    passes.addPass(createAutodiffPass());
    ASSERT_TRUE(succeeded(passes.run(program.getModule())));
    int found = 0;
    program.func("train_step").walk([&](MatmulOp) { ++found; });
    EXPECT_EQ(found, products) << "of " << rows << " rows";
  }
}
