// Cases of ops as a program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OpCases/CaseProgram.h"

#include <algorithm>
#include <ranges>
#include <regex>
#include <set>

using namespace mp;

static std::string prefixed(const std::string &statement, size_t number) {
  const std::string i = std::to_string(number);
  const std::string operands = std::regex_replace(statement, std::regex("%([0-9]+)"), "%c" + i + "_$1");
  return std::regex_replace(operands, std::regex("%r\\b"), "%r" + i);
}

void CaseProgram::add(const std::vector<const OpCase *> &cases, ElementType element, bool broadcasts) {
  for (const OpCase *use : cases) {
    const std::string i = std::to_string(count);
    const OpInstance instance = instantiate(*use, element);
    std::vector<Tensor> operands = fillOperands(*use, element);
    for (size_t j = 0; j < operands.size(); ++j) {
      const std::string name = "c" + i + "_" + std::to_string(j);
      signature +=
          (signature.empty() ? "%" : ", %") + name + ": " + instance.operands[j] + " {mp.input = \"" + name + "\"}";
      inputList.push_back({name, std::move(operands[j])});
    }
    body += "  " + prefixed(instance.statement, count) + "\n";
    for (size_t j = 0; j < instance.results.size(); ++j) {
      const std::string separator = returned.empty() ? "" : ", ", number = std::to_string(j);
      std::string value = prefixed(instance.result(j), count), type = instance.results[j];
      if (broadcasts) {
        const std::string rows = "tensor<3x" + type.substr(std::string("tensor<").size());
        body += "  %b" + i + "_" + number + " = mp.broadcast " + value + " : " + type + " -> " + rows + "\n";
        value = "%b" + i + "_" + number;
        type = rows;
      }
      returned += separator + value;
      types += separator + type;
      results += separator + type + " {mp.output = \"r" + i + "_" + number + "\"}";
    }
    ++count;
  }
}

std::string CaseProgram::text() const {
  return "func.func @infer(" + signature + ") -> (" + results + ") attributes {mp.program = \"infer\"} {\n" + body +
         "  return " + returned + " : " + types + "\n}\n";
}

CaseProgram CaseProgram::with(NamedTensors inputs) const {
  CaseProgram other = *this;
  other.inputList = std::move(inputs);
  return other;
}

bool mp::usesBF16(const OpCase &use, ElementType element) {
  auto isIt = [](const std::string &type) { return type.find("bf16") != std::string::npos; };
  return element == ElementType::BF16 || isIt(use.text) || std::any_of(use.results.begin(), use.results.end(), isIt) ||
         std::any_of(use.operands.begin(), use.operands.end(),
                     [&](const Operand &operand) { return isIt(operand.type); });
}

static bool usesF64(const OpCase &use) {
  auto isF64 = [](const std::string &type) { return type.find("f64") != std::string::npos; };
  return std::ranges::any_of(use.operands, [&](const Operand &operand) { return isF64(operand.type); }) ||
         std::ranges::any_of(use.results, isF64);
}

std::vector<const OpCase *> mp::nativeCases(const std::string &op) {
  std::vector<const OpCase *> cases;
  for (const OpCase &use : opCases())
    if (use.op == op && !usesF64(use))
      cases.push_back(&use);
  return cases;
}

/// Whether the text of a case says what holds for its sizes only.
static bool statesSizes(const std::string &text) {
  auto has = [&](const char *what) { return text.find(what) != std::string::npos; };
  const bool hasWindows =
      (has("window = [") && !has("window = [1, 1]}")) || (has("window [") && !has("window [1, 1] "));
  const bool needsBatch = has("mp.batch_norm ") || has("mp.batch_norm_grad ");
  const bool countsElements = has("mp.slice ") || has("mp.pad ") || has("mp.concat ") || has("mp.top_k ") ||
                              has("mp.split ") || has("mp.tile ") || has("mp.max_pool_with_indices ") ||
                              has("mp.recenter_squares ") || has(" starts "); // one more than pixels
  return hasWindows || needsBatch || countsElements ||
         std::ranges::any_of(std::initializer_list<const char *>{"dense<[", "padding", "groups"}, has);
}

static std::string withSizesOfOne(const std::string &type) {
  return std::regex_replace(type, std::regex("[0-9]+x"), "1x");
}

const std::vector<OpCase> &mp::singleElementCases() {
  static const std::vector<OpCase> singles = [] {
    std::vector<OpCase> cases;
    std::set<std::string> known;
    for (const std::string &op : opsWithCases())
      for (OpCase use : std::views::transform(nativeCases(op), [](const OpCase *each) { return *each; })) {
        std::string key = use.text;
        for (Operand &operand : use.operands) {
          if (operand.fill != Fill::Rng)
            operand.type = withSizesOfOne(operand.type);
          if (operand.fill == Fill::Labels)
            operand.fill = Fill::Bad; // the one class that there is
          key += operand.type;
        }
        for (std::string &result : use.results) {
          result = use.op == "mp.advance" ? use.operands.front().type : withSizesOfOne(result);
          key += result;
        }
        if (!statesSizes(use.text) && known.insert(key).second)
          cases.push_back(std::move(use));
      }
    return cases;
  }();
  return singles;
}

std::vector<std::string> mp::opsWithCases() {
  std::set<std::string> ops;
  for (const OpCase &use : opCases())
    ops.insert(use.op);
  return {ops.begin(), ops.end()};
}
