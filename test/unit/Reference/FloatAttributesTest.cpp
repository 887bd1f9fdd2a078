// What definitions say of float attributes is what the evaluator computes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every case of every op in bf16, once with a number in the place of an attribute and once with what bf16 has for it:
// the bits are the same where the attribute is a value of the element type, and differ somewhere where the op computes
// with it in f32.

#include "Reference/OpFunction.h"
#include "Reference/Program.h"

#include "mp/IR/MP.h"

#include "mlir/IR/Verifier.h"

#include <gtest/gtest.h>

#include <map>

using namespace mp;

namespace {

/// Half way between two of bf16, and the even one of these.
struct Number {
  double value, inBF16;
};
constexpr Number kNumbers[] = {{0.501953125, 0.5}, {1.00390625, 1.0}, {257.0, 256.0}, {-257.0, -256.0}};

/// The elements of all results with this number in the attribute; nothing where the op does not take it.
std::optional<std::vector<double>> evaluateWith(Program &program, mlir::Operation *op, llvm::StringRef name,
                                                double value, const std::vector<Tensor> &operands) {
  op->setAttr(name, mlir::FloatAttr::get(mlir::Float64Type::get(op->getContext()), value));
  if (failed(mlir::verify(op)))
    return std::nullopt;
  llvm::FailureOr<std::vector<Tensor>> results = evaluate(program.func(), operands);
  if (failed(results)) {
    ADD_FAILURE() << program.errors();
    return std::nullopt;
  }
  std::vector<double> elements;
  for (const Tensor &result : *results)
    if (isFloat(result.type.element))
      llvm::append_range(elements, result.reals());
  return elements;
}

TEST(FloatAttributes, AreWhatDefinitionsSay) {
  struct Seen {
    bool isElement, isRounded = true;
    unsigned compared = 0;
  };
  std::map<std::string, Seen> attributes; // "mp.clamp min"
  for (const OpCase &use : opCases()) {
    if (use.large || !use.isTyped())
      continue;
    SCOPED_TRACE(use.op + ": " + use.name);
    Program program(functionOf(instantiate(use, ElementType::BF16)));
    ASSERT_TRUE(program.isParsed()) << program.errors();
    mlir::Operation *op = &program.func().getBody().front().front();
    auto precise = llvm::cast<PrecisionOpInterface>(op);
    if (precise.getPrecisionCategory() == PrecisionCategory::Fixed)
      continue;
    if (op->hasTrait<OpTrait::GivesFirstOperand>())
      continue; // its attributes are the gradient's
    const std::vector<Tensor> operands = fillOperands(use, ElementType::BF16);
    for (mlir::NamedAttribute attribute : llvm::to_vector(op->getAttrDictionary())) {
      const llvm::StringRef name = attribute.getName();
      if (!llvm::isa<mlir::FloatAttr>(attribute.getValue()))
        continue;
      const bool isElement = llvm::is_contained(precise.getElementAttributes(), name);
      Seen &seen = attributes.try_emplace(use.op + " " + name.str(), Seen{isElement}).first->second;
      for (const Number &number : kNumbers) {
        const auto own = evaluateWith(program, op, name, number.value, operands);
        const auto rounded = evaluateWith(program, op, name, number.inBF16, operands);
        if (!own || !rounded)
          continue;
        ++seen.compared;
        seen.isRounded &= *own == *rounded;
      }
      op->setAttr(name, attribute.getValue());
    }
  }
  for (const auto &[name, seen] : attributes) {
    EXPECT_GT(seen.compared, 0u) << name;
    EXPECT_EQ(seen.isRounded, seen.isElement) << name;
  }
  EXPECT_GT(attributes.size(), 20u);
}

} // namespace
