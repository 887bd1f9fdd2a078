// Every op in front of every kind of kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each op computes is read by one op that a kernel is made around: by rows, by columns, along a dimension in the
// middle, by a product, an attention, a window, by what reads it whole. In each dimension, on each device, the result
// is the evaluator's. Some pairs are tried in f32, others on each device; all of them, and f16, with HALFSTEP_LONG.

#include "Agreement/Machine.h"
#include "Agreement/ProgramText.h"

#include "mp/Numerics/Float.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <regex>
#include <set>

using namespace mp;

namespace {

using Shape = std::vector<int64_t>;

const Machine kMachines[] = {{"cpu", ""}, {"simt", "sm_80"}};

std::string typeOf(const Shape &shape, const std::string &element) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + element + ">";
}

/// What reads a value: its text with {v} for the value, {t} for its type and {r} for that of the result.
struct Reader {
  std::string name, text;
  Shape result;
};

std::vector<Reader> alongDimensions(const Shape &shape) {
  std::vector<Reader> readers;
  for (size_t i = 0; i < shape.size(); ++i) {
    const std::string number = std::to_string(i);
    Shape rest = shape, once = shape;
    rest.erase(rest.begin() + static_cast<ptrdiff_t>(i));
    once[i] = 1;
    readers.push_back({"max", "mp.reduce_max {v} dimensions [" + number + "] : {t} -> {r}", rest});
    readers.push_back({"cumsum", "mp.cumsum {v} dimension " + number + " : {t}", shape});
    std::string ranges;
    for (size_t j = 0; j < shape.size(); ++j)
      ranges += (j ? ", " : "") + std::string(j == i ? "0:1" : ":");
    readers.push_back({"slice", "mp.slice {v} [" + ranges + "] : {t} -> {r}", once});
  }
  return readers;
}

/// All that may read a value of this shape.
std::vector<Reader> readersOf(const Shape &shape) {
  std::vector<Reader> readers = alongDimensions(shape);
  const size_t rank = shape.size();
  readers.push_back({"softmax", "mp.softmax {v} : {t}", shape});
  readers.push_back({"log_softmax", "mp.log_softmax {v} : {t}", shape});
  readers.push_back({"l2_normalize", "mp.l2_normalize {v} : {t}", shape});
  if (rank < 2)
    return readers;
  Shape transposed = shape, square = shape;
  std::swap(transposed[rank - 1], transposed[rank - 2]);
  square[rank - 1] = shape[rank - 2];
  std::string permutation;
  for (size_t i = 0; i < rank; ++i)
    permutation += (i ? ", " : "") + std::to_string(i + 2 < rank ? i : i + 2 == rank ? i + 1 : i - 1);
  readers.push_back({"transpose", "mp.transpose {v} permutation [" + permutation + "] : {t} -> {r}", transposed});
  readers.push_back({"product", "mp.matmul {v}, {v} transpose_rhs acc f32 : {t}, {t} -> {r}", square});
  if (rank == 2)
    readers.push_back(
        {"loss", "mp.softmax_cross_entropy {v}, {l} : {t}, tensor<" + std::to_string(shape[0]) + "xi32> -> {r}", {}});
  if (rank == 4)
    readers.push_back({"pooling", "mp.max_pool {v} {window = [1, 1]} : {t} -> {r}", shape});
  return readers;
}

/// One op in front of another.
struct Pair {
  const OpCase *front;
  Reader reader;
};

std::string replaced(const std::string &text, const std::string &pattern, const std::string &by) {
  return std::regex_replace(text, std::regex(pattern), by);
}

/// Pairs as one program "infer", as CaseProgram has it.
class PairProgram {
public:
  void add(const Pair &pair, ElementType element) {
    const std::string i = std::to_string(count++), prefix = "c" + i + "_";
    const OpInstance instance = instantiate(*pair.front, element);
    std::vector<Tensor> operands = fillOperands(*pair.front, element);
    for (size_t j = 0; j < operands.size(); ++j) {
      const std::string name = prefix + std::to_string(j);
      signature +=
          (signature.empty() ? "%" : ", %") + name + ": " + instance.operands[j] + " {mp.input = \"" + name + "\"}";
      inputs.push_back({name, std::move(operands[j])});
    }
    const std::string value = "%f" + i + (instance.results.size() == 1 ? "" : "#0"), &type = instance.results.front();
    const std::string result = typeOf(pair.reader.result, elementName(element));
    body += "  " + replaced(replaced(instance.statement, "%([0-9]+)", "%" + prefix + "$1"), "%r\\b", "%f" + i) + "\n";
    std::string reader = pair.reader.text;
    if (reader.find("{l}") != std::string::npos) {
      const int64_t rows = parseTensorType(type).shape.front();
      body += "  %l" + i + " = mp.constant dense<0> : tensor<" + std::to_string(rows) + "xi32>\n";
    }
    for (auto [name, by] : {std::pair("\\{v\\}", value), {"\\{t\\}", type}, {"\\{r\\}", result}, {"\\{l\\}", "%l" + i}})
      reader = replaced(reader, name, by);
    body += "  %r" + i + " = " + reader + "\n";
    const std::string separator = returned.empty() ? "" : ", ";
    returned += separator + "%r" + i;
    types += separator + result;
    results += separator + result + " {mp.output = \"r" + i + "\"}";
  }

  std::string text() const {
    return "func.func @infer(" + signature + ") -> (" + results + ") attributes {mp.program = \"infer\"} {\n" + body +
           "  return " + returned + " : " + types + "\n}\n";
  }

  NamedTensors inputs;

private:
  size_t count = 0;
  std::string signature, body, returned, types, results;
};

ErrorOr<NamedTensors> runProgram(const PairProgram &program, const Machine &machine) {
  CompileOptions options;
  options.training = false;
  options.target = machine.target;
  if (!machine.chip.empty())
    options.chips = {machine.chip};
  options.reportAccesses = machine.isGPU();
  options.autocast.policy = "float32";
  ErrorOr<std::shared_ptr<const LoadedExecutable>> file = ProgramText(program.text()).load(options);
  return file ? runOn(*file, program.inputs, machine, 1) : file.status();
}

/// Elements whose errors are within some roundings of the largest.
void expectNear(const HostTensor &found, const HostTensor &expected, double relative) {
  ASSERT_EQ(found.type, expected.type);
  double largest = 0;
  for (uint64_t i = 0; i < expected.count(); ++i)
    if (double value = std::abs(elementAt(expected, i)); std::isfinite(value))
      largest = std::max(largest, value);
  for (uint64_t i = 0; i < expected.count(); ++i) {
    const double a = elementAt(found, i), b = elementAt(expected, i);
    if (a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= relative * largest)
      continue;
    ADD_FAILURE() << "element " << i << ": the device has " << a << ", the evaluator " << b;
    return;
  }
}

void expectAgreement(const Machine &machine, const std::vector<Pair> &pairs, ElementType element) {
  PairProgram program;
  for (const Pair &pair : pairs)
    program.add(pair, element);
  const ErrorOr<NamedTensors> found = runProgram(program, machine);
  if (!found && pairs.size() > 1) { // one by one, to say which
    for (const Pair &pair : pairs)
      expectAgreement(machine, {pair}, element);
    return;
  }
  ASSERT_TRUE(found.ok()) << found.message() << program.text();
  const ErrorOr<NamedTensors> expected = runProgram(program, kEvaluator);
  ASSERT_TRUE(expected.ok()) << expected.message() << program.text();
  const double relative = element == ElementType::F32 ? 1e-4 : 2e-2;
  for (size_t i = 0; i < pairs.size(); ++i) {
    SCOPED_TRACE(pairs[i].front->op + " (" + pairs[i].front->name + ") in front of " + pairs[i].reader.text);
    expectNear((*found)[i].tensor, (*expected)[i].tensor, relative);
  }
}

/// Whether a value of this case can be read in all these ways: floats of some elements.
bool isRead(const Machine &machine, const OpCase &use, ElementType element) {
  if (!use.isTyped() || use.op == "mp.matmul_parts" || (machine.isGPU() && use.op == "mp.conv_filter_grad_parts"))
    return false;
  const TensorTypeT type = parseTensorType(instantiate(use, element).results.front());
  const bool isEmpty = std::ranges::any_of(type.shape, [](int64_t size) { return size == 0; });
  return type.element == element && !type.shape.empty() && type.shape.size() <= 5 && !isEmpty;
}

/// What is read in the ways of reader `number`: all cases with HALFSTEP_LONG, else some of those that differ in more
/// than sizes, others for each reader and machine, and always those of an op that reads some operands whole and others
/// not.
std::vector<const OpCase *> frontsOf(const Machine &machine, size_t number, ElementType element) {
  static constexpr size_t kEvery = 16;
  const bool isLong = std::getenv("HALFSTEP_LONG") != nullptr;
  std::vector<const OpCase *> fronts;
  std::set<std::string> known;
  size_t count = number * 5 + (machine.isGPU() ? kEvery / 2 : 0);
  for (const std::string &op : opsWithCases())
    for (const OpCase *use : nativeCases(op)) {
      if (!isRead(machine, *use, element))
        continue;
      const size_t rank = parseTensorType(instantiate(*use, element).results.front()).shape.size();
      const bool isNew = !use->large && known.insert(std::to_string(rank) + use->text).second;
      if (isLong || (isNew && (++count % kEvery == 0 || op == "mp.scatter_add")))
        fronts.push_back(use);
    }
  return fronts;
}

std::vector<std::string> readerNames() {
  std::set<std::string> names;
  for (const Shape &shape : {Shape{2, 3}, Shape{2, 3, 4, 5}})
    for (const Reader &reader : readersOf(shape))
      names.insert(reader.name);
  return {names.begin(), names.end()};
}

class InFront : public testing::TestWithParam<std::tuple<Machine, std::string>> {};

} // namespace

TEST_P(InFront, ofWhatReadsIt) {
  const auto &[machine, name] = GetParam();
  const std::vector<std::string> names = readerNames();
  const auto number = static_cast<size_t>(std::ranges::find(names, name) - names.begin());
  std::vector<ElementType> elements = {ElementType::F32};
  if (std::getenv("HALFSTEP_LONG"))
    elements.push_back(ElementType::F16);
  for (ElementType element : elements) {
    std::vector<Pair> pairs;
    for (const OpCase *front : frontsOf(machine, number, element))
      for (const Reader &reader : readersOf(parseTensorType(instantiate(*front, element).results.front()).shape))
        if (reader.name == name)
          pairs.push_back({front, reader});
    static constexpr size_t kTogether = 32;
    for (size_t first = 0; first < pairs.size(); first += kTogether)
      expectAgreement(machine,
                      {pairs.begin() + static_cast<ptrdiff_t>(first),
                       pairs.begin() + static_cast<ptrdiff_t>(std::min(first + kTogether, pairs.size()))},
                      element);
  }
}

static std::string nameOf(const testing::TestParamInfo<std::tuple<Machine, std::string>> &info) {
  const auto &[machine, name] = info.param;
  return name + "_" + machine.target;
}

INSTANTIATE_TEST_SUITE_P(Readers, InFront,
                         testing::Combine(testing::ValuesIn(kMachines), testing::ValuesIn(readerNames())), nameOf);
