// Checks that moved into products.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a gradient that a product makes is finite is known tile by tile. Batches that share their right factor are
// rows of one product, so that a tile may be of two matrices: every flag is written, and says what the evaluator says.

#include "Agreement/ProgramText.h"

#include "mp/Devices/CPU/CPUDevice.h"
#include "mp/Devices/SIMT/SIMTDevice.h"
#include "mp/Runtime/Core/Session.h"

#include <gtest/gtest.h>

#include <limits>
#include <ostream>

using namespace mp;

namespace {

struct CheckedProduct {
  std::string name;
  std::vector<int64_t> lhs, rhs, result;
  std::string flags = "";

  friend std::ostream &operator<<(std::ostream &out, const CheckedProduct &product) { return out << product.name; }
};

std::string tensor(const std::vector<int64_t> &shape, const std::string &type) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + type + ">";
}

std::string textOf(const CheckedProduct &p, const std::string &type) {
  const std::string a = tensor(p.lhs, type), b = tensor(p.rhs, type), c = tensor(p.result, type),
                    wide = tensor(p.result, "f32");
  const bool isWide = type == "f32";
  return "func.func @infer(%a: " + a + " {mp.input = \"a\"}, %b: " + b + " {mp.input = \"b\"}) -> (" + c +
         " {mp.output = \"g\"}, tensor<i32> {mp.output = \"bad\"}) attributes {mp.program = \"infer\"} {\n" +
         "%g = mp.matmul %a, %b " + p.flags + " acc f32 : " + a + ", " + b + " -> " + c + "\n" +
         (isWide ? "" : "%w = mp.cast %g : " + c + " -> " + wide + "\n") + "%bad = mp.check_finite " +
         (isWide ? "%g" : "%w") + " {names = [\"w\"]} : " + wide + "\nreturn %g, %bad : " + c + ", tensor<i32>\n}\n";
}

/// What is said of the gradient in a run for each of `badElements`, the element of lhs that is infinite (-1: none is).
ErrorOr<std::vector<int32_t>> checkOn(const CheckedProduct &p, const std::string &type, const std::string &chip,
                                      const std::vector<int64_t> &badElements) {
  CompileOptions options;
  options.training = false;
  options.specialize.batch = 0;
  options.target = chip.empty() ? "cpu" : "simt";
  options.chips = {chip};
  options.reportAccesses = !chip.empty();
  options.autocast.policy = "float32";
  ErrorOr<std::shared_ptr<const LoadedExecutable>> file = ProgramText(textOf(p, type)).load(options);
  if (!file)
    return file.status();
  DeviceOptions simulated;
  simulated.simulation.bounds = simulated.simulation.uninitialized = true;
  ErrorOr<std::unique_ptr<Device>> device = chip.empty() ? createCPUDevice() : createSIMTDevice(simulated);
  if (!device)
    return device.status();
  ErrorOr<std::unique_ptr<Session>> session = Session::create(*file, std::move(*device));
  if (!session)
    return session.status();
  const ElementType element = *parseElementName(type);
  std::vector<int32_t> found;
  for (int64_t badAt : badElements) {
    HostTensor a = *zeroTensor(makeType(element, p.lhs)), b = *zeroTensor(makeType(element, p.rhs));
    for (uint64_t i = 0; i < b.count(); ++i)
      storeElement(b.bytes, element, i, 1);
    if (badAt >= 0)
      storeElement(a.bytes, element, badAt, std::numeric_limits<double>::infinity());
    ErrorOr<NamedTensors> results = (*session)->run("infer", {{"a", a}, {"b", b}});
    if (!results)
      return results.status();
    found.push_back((*results)[1].tensor.values<int32_t>()[0]);
  }
  return found;
}

class GradientCheck : public testing::TestWithParam<CheckedProduct> {};

} // namespace

TEST_P(GradientCheck, SeesEveryElement) {
  const CheckedProduct &product = GetParam();
  int64_t elements = 1;
  for (int64_t size : product.lhs)
    elements *= size;
  const std::vector<int64_t> badElements = {-1, 0, elements / 2, elements - 1, -1};
  for (const char *type : {"f32", "f16"})
    for (const char *chip : {"", "sm_70", "sm_80"}) {
      const ErrorOr<std::vector<int32_t>> found = checkOn(product, type, chip, badElements);
      ASSERT_TRUE(found.ok()) << type << " on " << chip << ": " << found.message();
      EXPECT_EQ(*found, (std::vector<int32_t>{-1, 0, 0, 0, -1})) << type << " on " << chip;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Products, GradientCheck,
    testing::Values(CheckedProduct{"OneColumn", {32, 61, 3}, {1, 3}, {32, 61, 1}, "transpose_rhs"},
                    CheckedProduct{"SharedFactor", {5, 33, 16}, {16, 40}, {5, 33, 40}},
                    CheckedProduct{"SharedFactorOfTwoBatches", {2, 3, 70, 16}, {16, 24}, {2, 3, 70, 24}},
                    CheckedProduct{"SharedFactorTransposed", {3, 16, 61}, {16, 40}, {3, 61, 40}, "transpose_lhs"},
                    CheckedProduct{"OwnFactors", {3, 61, 16}, {3, 16, 40}, {3, 61, 40}},
                    CheckedProduct{"OneMatrix", {130, 16}, {16, 70}, {130, 70}}),
    [](const testing::TestParamInfo<CheckedProduct> &info) { return info.param.name; });
