// Cases made into text and tensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OpCases/OpCases.h"

#include <cassert>
#include <cmath>
#include <numeric>
#include <random>

using namespace mp;

static void replaceAll(std::string &text, const std::string &from, const std::string &to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

static std::string withElement(std::string text, ElementType element) {
  replaceAll(text, "$T", elementName(element));
  replaceAll(text, "$A", element == ElementType::F64 ? "f64" : "f32");
  return text;
}

bool OpCase::isTyped() const {
  auto isOpen = [](const std::string &type) { return type.find('$') != std::string::npos; };
  for (const Operand &operand : operands)
    if (isOpen(operand.type))
      return true;
  for (const std::string &result : results)
    if (isOpen(result))
      return true;
  return false;
}

std::string OpInstance::result(size_t index) const {
  return results.size() == 1 ? "%r" : "%r#" + std::to_string(index);
}

OpInstance mp::instantiate(const OpCase &use, ElementType element) {
  OpInstance instance;
  std::string text = withElement(use.text, element);
  for (size_t i = 0; i < use.operands.size(); ++i) {
    instance.operands.push_back("tensor<" + withElement(use.operands[i].type, element) + ">");
    replaceAll(text, "{" + std::to_string(i) + "}", instance.operands.back());
  }
  for (const std::string &result : use.results)
    instance.results.push_back("tensor<" + withElement(result, element) + ">");
  replaceAll(text, "{r}", instance.results.front());
  instance.statement = (use.results.size() == 1 ? "%r = " : "%r:" + std::to_string(use.results.size()) + " = ") + text;
  return instance;
}

TensorTypeT mp::parseTensorType(std::string text) {
  if (text.starts_with("tensor<"))
    text = text.substr(7, text.size() - 8);
  TensorTypeT type;
  for (size_t x = text.find('x'); x != std::string::npos; x = text.find('x')) {
    type.shape.push_back(std::stoll(text.substr(0, x)));
    text = text.substr(x + 1);
  }
  std::optional<ElementType> element = parseElementName(text);
  assert(element && "the table names element types");
  type.element = *element;
  return type;
}

static std::vector<double> realsFor(Fill fill, size_t count, size_t operand, std::mt19937_64 &random) {
  std::uniform_real_distribution<double> magnitude(0.1, 2.0), positive(0.25, 3.0);
  std::vector<double> values;
  for (size_t i = 0; i < count; ++i)
    values.push_back(fill == Fill::Positive ? positive(random) : (random() & 1 ? 1 : -1) * magnitude(random));
  if (fill == Fill::Separated) {
    std::vector<int64_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), -static_cast<int64_t>(count / 2));
    std::shuffle(numbers.begin(), numbers.end(), random);
    for (size_t i = 0; i < count; ++i)
      values[i] = 0.1 * numbers[i] + 0.03 * operand;
  }
  if (fill == Fill::Fraction)
    for (double &value : values)
      value *= 0.4;
  if (fill == Fill::Tiny)
    for (double &value : values)
      value *= 1e-6;
  if (fill == Fill::Whole)
    for (double &value : values)
      value = std::copysign(std::ceil(2 * std::abs(value)), value);
  if (fill == Fill::Overflow && count != 0)
    values[count / 2] = INFINITY;
  return values;
}

static int64_t integerFor(Fill fill, ElementType element, size_t index, std::mt19937_64 &random) {
  auto between = [&](int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random); };
  switch (fill) {
  case Fill::Labels:
    return between(0, 4);
  case Fill::Flags:
    return index == 0 ? 1 : between(0, 1);
  case Fill::Rng:
    return index == 0 ? 0x123456789abcdef : 7;
  case Fill::Clean:
    return element == ElementType::I32 && index == 0 ? -1 : 0;
  case Fill::Bad:
    return 0;
  case Fill::Positive:
    return between(1, 40);
  default:
    return element == ElementType::UI8 ? between(0, 40) : between(-20, 20);
  }
}

std::vector<Tensor> mp::fillOperands(const OpCase &use, ElementType element, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Tensor> tensors;
  for (size_t operand = 0; operand < use.operands.size(); ++operand) {
    TensorTypeT type = parseTensorType(withElement(use.operands[operand].type, element));
    const Fill fill = use.operands[operand].fill;
    const size_t count = *elementCount(type);
    if (isFloat(type.element)) {
      tensors.push_back(Tensor::ofReals(std::move(type), realsFor(fill, count, operand, random)));
      continue;
    }
    std::vector<int64_t> values;
    for (size_t i = 0; i < count; ++i)
      values.push_back(integerFor(fill, type.element, i, random));
    tensors.push_back(Tensor::ofIntegers(std::move(type), values));
  }
  return tensors;
}
