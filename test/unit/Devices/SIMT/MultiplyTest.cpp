// Mma.sync.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fragments are filled and read here by the formulas of PTX ISA 9.7.14 (as of version 8.7) as they stand there, by
// index of element, and the product is compared with a plain one. Data are small integers, different everywhere, so
// that sums are exact.

#include "Devices/SIMT/LaneText.h"
#include "Devices/SIMT/NVVMRunner.h"
#include "mp/Numerics/Float.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace mp;
using namespace mp::test;

namespace {

struct Element {
  int row, column;
};

/// One shape of mma.sync, as the ISA's page of its fragments has it.
struct MmaCase {
  const char *name;
  int k;
  const char *operandType, *accumulatorType; // PTX
  int elementsOfA, elementsOfB;
  Element (*a)(int lane, int i);
  Element (*b)(int lane, int i);
};

// "groupID = %laneid >> 2; threadID_in_group = %laneid % 4"
int group(int lane) { return lane >> 2; }
int inGroup(int lane) { return lane % 4; }

// "Matrix Fragments for mma.m16n8k8" with f16 and bf16.
Element a8(int lane, int i) { return {i < 2 ? group(lane) : group(lane) + 8, inGroup(lane) * 2 + (i & 1)}; }
Element b8(int lane, int i) { return {inGroup(lane) * 2 + i, group(lane)}; }
// "Matrix Fragments for mma.m16n8k8" with tf32.
Element a8tf32(int lane, int i) {
  return {i == 0 || i == 2 ? group(lane) : group(lane) + 8, i < 2 ? inGroup(lane) : inGroup(lane) + 4};
}
Element b8tf32(int lane, int i) { return {i == 0 ? inGroup(lane) : inGroup(lane) + 4, group(lane)}; }
// "Matrix Fragments for mma.m16n8k4" with tf32.
Element a4(int lane, int i) { return {i == 0 ? group(lane) : group(lane) + 8, inGroup(lane)}; }
Element b4(int lane, int) { return {inGroup(lane), group(lane)}; }
// "Matrix Fragments for mma.m16n8k16" with f16 and bf16.
Element a16(int lane, int i) {
  return {(0 <= i && i < 2) || (4 <= i && i < 6) ? group(lane) : group(lane) + 8,
          i < 4 ? inGroup(lane) * 2 + (i & 1) : inGroup(lane) * 2 + (i & 1) + 8};
}
Element b16(int lane, int i) {
  return {i < 2 ? inGroup(lane) * 2 + (i & 1) : inGroup(lane) * 2 + (i & 1) + 8, group(lane)};
}
// All: "row = groupID for ci where i < 2, groupID + 8 for i >= 2; col = threadID_in_group * 2 + (i & 0x1)".
Element accumulator(int lane, int i) { return {i < 2 ? group(lane) : group(lane) + 8, inGroup(lane) * 2 + (i & 1)}; }

const MmaCase kCases[] = {
    {"m16n8k8_f16_f32", 8, "f16", "f32", 4, 2, a8, b8},
    {"m16n8k8_f16_f16", 8, "f16", "f16", 4, 2, a8, b8},
    {"m16n8k16_f16_f32", 16, "f16", "f32", 8, 4, a16, b16},
    {"m16n8k16_f16_f16", 16, "f16", "f16", 8, 4, a16, b16},
    {"m16n8k8_bf16_f32", 8, "bf16", "f32", 4, 2, a8, b8},
    {"m16n8k16_bf16_f32", 16, "bf16", "f32", 8, 4, a16, b16},
    {"m16n8k8_tf32_f32", 8, "tf32", "f32", 4, 2, a8tf32, b8tf32},
    {"m16n8k4_tf32_f32", 4, "tf32", "f32", 2, 1, a4, b4},
};

bool isNarrow(const std::string &type) { return type == "f16" || type == "bf16"; }

uint32_t bitsOf(const std::string &type, double value) {
  return type == "f16" ? encodeF16(value) : type == "bf16" ? encodeBF16(value) : encode(value, kF32);
}

/// Words of a fragment for each lane, from a matrix by rows.
std::vector<uint32_t> fill(const std::string &type, int elements, Element (*locate)(int, int),
                           const std::vector<double> &matrix, int columns) {
  std::vector<uint32_t> words;
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < elements; ++i) {
      const Element at = locate(lane, i);
      const uint32_t bits = bitsOf(type, matrix[at.row * columns + at.column]);
      if (isNarrow(type) && i % 2)
        words.back() |= bits << 16;
      else
        words.push_back(bits);
    }
  return words;
}

/// A kernel that multiplies what its lanes load from buffers 0, 1 and 2 into buffer 3.
std::string multiplyText(const MmaCase &form) {
  const bool isF16 = std::string(form.operandType) == "f16", sumsF16 = std::string(form.accumulatorType) == "f16";
  const std::string word = isF16 ? "vector<2xf16>" : "i32", sum = sumsF16 ? "vector<2xf16>" : "f32";
  const unsigned perWord = isNarrow(form.operandType) ? 2 : 1, sums = sumsF16 ? 2 : 4;
  const unsigned a = form.elementsOfA / perWord, b = form.elementsOfB / perWord;
  const std::string types = isF16 ? ""
                                  : "multiplicandAPtxType = #nvvm.mma_type<" + std::string(form.operandType) +
                                        ">, multiplicandBPtxType = #nvvm.mma_type<" + form.operandType + ">, ";
  return kernelText(4, loadWords("fa", 0, a, word, a) + loadWords("fb", 1, b, word, b) +
                           loadWords("fc", 2, sums, sum, sums) + "%d = nvvm.mma.sync A[" + list("fa", a) + "] B[" +
                           list("fb", b) + "] C[" + list("fc", sums) + "] {" + types +
                           "layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = "
                           "16, n = 8, k = " +
                           std::to_string(form.k) + ">} : (" + word + ", " + word + ", " + sum + ") -> " +
                           structOf(sums, sum) + "\n" + storeStruct("%d", 3, sums, sum, structOf(sums, sum)));
}

/// d = a * b + c on the simulated device, matrices by rows.
std::vector<double> multiply(const MmaCase &form, const std::vector<double> &a, const std::vector<double> &b,
                             const std::vector<double> &c, const SIMTOptions &options, const char *chip = "sm_80") {
  NVVMRunner kernel(multiplyText(form));
  EXPECT_TRUE(kernel.ok()) << kernel.errors;
  const std::string sums = form.accumulatorType;
  std::vector<GlobalBuffer> buffers = {GlobalBuffer::of(fill(form.operandType, form.elementsOfA, form.a, a, form.k)),
                                       GlobalBuffer::of(fill(form.operandType, form.elementsOfB, form.b, b, 8)),
                                       GlobalBuffer::of(fill(sums, 4, accumulator, c, 8)),
                                       GlobalBuffer::zeros<uint32_t>(sums == "f16" ? 64 : 128)};
  Status ran = kernel.run(buffers, {32}, options, chip);
  EXPECT_TRUE(ran.ok()) << ran.message();
  std::vector<double> d(128);
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 4; ++i) {
      const Element at = accumulator(lane, i);
      d[at.row * 8 + at.column] = sums == "f16" ? decodeF16(buffers[3].as<uint16_t>()[lane * 4 + i])
                                                : double(buffers[3].as<float>()[lane * 4 + i]);
    }
  return d;
}

std::vector<double> numbers(size_t count, int factor, int modulus) {
  std::vector<double> values(count);
  for (size_t index = 0; index < count; ++index) {
    const int value = static_cast<int>(index * factor % modulus) - modulus / 2;
    values[index] = value;
  }
  return values;
}

class Multiply : public testing::TestWithParam<MmaCase> {};

TEST_P(Multiply, IsThePlainProduct) {
  const MmaCase &form = GetParam();
  const std::vector<double> a = numbers(16 * form.k, 7, 13), b = numbers(8 * form.k, 5, 11), c = numbers(128, 3, 101);
  for (MatrixArithmetic arithmetic : {MatrixArithmetic::NearestEven, MatrixArithmetic::HardwareLike}) {
    SIMTOptions options;
    options.arithmetic = arithmetic;
    options.seed = 5;
    const std::vector<double> d = multiply(form, a, b, c, options);
    for (int row = 0; row < 16; ++row)
      for (int column = 0; column < 8; ++column) {
        double expected = c[row * 8 + column];
        for (int step = 0; step < form.k; ++step)
          expected += a[row * form.k + step] * b[step * 8 + column];
        EXPECT_EQ(d[row * 8 + column], expected) << row << ", " << column;
      }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Multiply, testing::ValuesIn(kCases),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace

/// The first element of d for the given first row of a (b is all ones) and c.
static double dot(const MmaCase &form, const std::vector<double> &row, double c, const SIMTOptions &options,
                  const char *chip) {
  std::vector<double> a(16 * form.k), b(8 * form.k, 1), sums(128);
  std::copy(row.begin(), row.end(), a.begin());
  sums[0] = c;
  return multiply(form, a, b, sums, options, chip)[0];
}

TEST(MultiplyArithmetic, RoundsEverySumToNearestEven) {
  const MmaCase &form = kCases[2];
  SIMTOptions options;
  // 2^-24 is half of the last place of 1: a tie, to even, twice lost; 3 * 2^-24 above 1 goes up.
  const double tiny = std::ldexp(1, -24);
  EXPECT_EQ(dot(form, {tiny, tiny}, 1, options, "sm_80"), 1);
  EXPECT_EQ(dot(form, {3 * tiny}, 1, options, "sm_80"), 1 + 4 * tiny);
}

TEST(MultiplyArithmetic, CutsAsEachGenerationDoes) {
  const MmaCase &form = kCases[2];
  SIMTOptions options;
  options.arithmetic = MatrixArithmetic::HardwareLike;
  const double tiny = std::ldexp(1, -24);
  // With no bits below the last place everything under it is lost; with one, two halves make a whole.
  EXPECT_EQ(dot(form, {tiny, tiny}, 1, options, "sm_70"), 1);
  EXPECT_EQ(dot(form, {tiny, tiny}, 1, options, "sm_80"), 1 + 2 * tiny);
  EXPECT_EQ(dot(form, {3 * tiny}, 1, options, "sm_80"), 1 + 2 * tiny);
  // Eight products at once on sm_80, sixteen on sm_90.
  std::vector<double> apart(16);
  apart[0] = apart[8] = tiny;
  EXPECT_EQ(dot(form, apart, 1, options, "sm_80"), 1);
  EXPECT_EQ(dot(form, apart, 1, options, "sm_90"), 1 + 2 * tiny);
  // Truncation is toward zero.
  EXPECT_EQ(dot(form, {-tiny}, -1, options, "sm_70"), -1);
  EXPECT_EQ(dot(form, {-3 * tiny}, -1, options, "sm_80"), -1 - 2 * tiny);
}

TEST(MultiplyArithmetic, KeepsInfinityAndNaN) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (MatrixArithmetic arithmetic : {MatrixArithmetic::NearestEven, MatrixArithmetic::HardwareLike}) {
    SIMTOptions options;
    options.arithmetic = arithmetic;
    EXPECT_EQ(dot(kCases[2], {infinity}, 1, options, "sm_80"), infinity);
    EXPECT_TRUE(std::isnan(dot(kCases[2], {infinity}, -infinity, options, "sm_80")));
    EXPECT_EQ(dot(kCases[3], {65504, 65504}, 0, options, "sm_80"), infinity);
  }
}
