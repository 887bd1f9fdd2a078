// Ldmatrix, stmatrix, wmma.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/SIMT/LaneText.h"
#include "Devices/SIMT/NVVMRunner.h"
#include "mp/Numerics/Float.h"

#include <gtest/gtest.h>

#include <numeric>

using namespace mp;
using namespace mp::test;

namespace {

/// `%row`: where lane l's row of 16 bytes begins in shared memory; rows of matrices in turn, lane 8 m + r row r of
/// matrix m. Lanes beyond the matrices point to row 0.
std::string rowAddress(unsigned matrices) {
  return R"(
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %rows = llvm.mlir.constant()" +
         std::to_string(8 * matrices) + R"( : i32) : i32
    %in = llvm.urem %lane, %rows : i32
    %sixteen = llvm.mlir.constant(16 : i32) : i32
    %offset = llvm.mul %in, %sixteen : i32
    %shared = llvm.mlir.addressof @mp_shared : !llvm.ptr<3>
    %row = llvm.getelementptr %shared[%offset] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
  )";
}

/// Lane l copies 16 bytes from element l of buffer 0 to shared memory, and back to buffer `to`.
const std::string kFill = R"(
    %l = nvvm.read.ptx.sreg.laneid : i32
    %from = llvm.getelementptr %b0[%l] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xi32>
    %sh = llvm.mlir.addressof @mp_shared : !llvm.ptr<3>
    %into = llvm.getelementptr %sh[%l] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<4xi32>
    %quad = llvm.load %from : !llvm.ptr<1> -> vector<4xi32>
    llvm.store %quad, %into : vector<4xi32>, !llvm.ptr<3>
    nvvm.barrier
)";

std::string attributes(bool transposed) {
  return std::string("layout = #nvvm.mma_layout<") + (transposed ? "col" : "row") +
         ">, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>";
}

/// 4 matrices of 8 x 8, all elements different.
std::vector<uint16_t> matrices() {
  std::vector<uint16_t> values(256);
  std::iota(values.begin(), values.end(), 1000);
  return values;
}

struct MatrixCase {
  unsigned count;
  bool transposed;
};

class MatrixMove : public testing::TestWithParam<MatrixCase> {};

/// PTX ISA, figure of ldmatrix: lane l holds elements 2 (l % 4) and the next of row l / 4 of each matrix.
TEST_P(MatrixMove, LoadGivesEachLaneItsElements) {
  const auto [count, transposed] = GetParam();
  const std::string type = count == 1 ? "i32" : structOf(count, "i32");
  const std::string store = count == 1 ? storeWord("%d", 1, "i32") : storeStruct("%d", 1, count, "i32", type);
  NVVMRunner kernel(kernelText(2, kFill + rowAddress(count) +
                                      "%d = nvvm.ldmatrix %row {num = " + std::to_string(count) + " : i32, " +
                                      attributes(transposed) + "} : (!llvm.ptr<3>) -> " + type + "\n" + store));
  ASSERT_TRUE(kernel.ok()) << kernel.errors;
  std::vector<GlobalBuffer> buffers = {GlobalBuffer::of(matrices()), GlobalBuffer::zeros<uint32_t>(32 * count)};
  Status ran = kernel.run(buffers, {32, 1, 512});
  ASSERT_TRUE(ran.ok()) << ran.message();
  const std::vector<uint16_t> from = matrices(), found = buffers[1].as<uint16_t>();
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned matrix = 0; matrix < count; ++matrix)
      for (unsigned half = 0; half < 2; ++half) {
        const unsigned row = lane / 4, column = lane % 4 * 2 + half;
        const unsigned at = transposed ? 8 * column + row : 8 * row + column;
        EXPECT_EQ(found[(lane * count + matrix) * 2 + half], from[64 * matrix + at]) << lane << " " << matrix;
      }
}

/// What ldmatrix took apart stmatrix puts together.
TEST_P(MatrixMove, StoreUndoesLoad) {
  const auto [count, transposed] = GetParam();
  const std::string type = count == 1 ? "i32" : structOf(count, "i32"), number = std::to_string(count);
  std::string sources, types, extracts;
  for (unsigned index = 0; index < count; ++index) {
    const std::string name = count == 1 ? "%d" : "%w" + std::to_string(index);
    if (count > 1)
      extracts += name + " = llvm.extractvalue %d[" + std::to_string(index) + "] : " + type + "\n";
    sources += ", " + name;
    types += ", i32";
  }
  const std::string zero = R"(
    nvvm.barrier
    %zero = llvm.mlir.constant(dense<0> : vector<4xi32>) : vector<4xi32>
    llvm.store %zero, %into : vector<4xi32>, !llvm.ptr<3>
    nvvm.barrier
  )";
  const std::string back = R"(
    nvvm.barrier
    %result = llvm.load %into : !llvm.ptr<3> -> vector<4xi32>
    %to = llvm.getelementptr %b1[%l] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xi32>
    llvm.store %result, %to : vector<4xi32>, !llvm.ptr<1>
  )";
  NVVMRunner kernel(kernelText(2, kFill + rowAddress(count) + "%d = nvvm.ldmatrix %row {num = " + number + " : i32, " +
                                      attributes(transposed) + "} : (!llvm.ptr<3>) -> " + type + "\n" + extracts +
                                      zero + "nvvm.stmatrix %row" + sources + " {" + attributes(transposed) +
                                      "} : !llvm.ptr<3>" + types + "\n" + back));
  ASSERT_TRUE(kernel.ok()) << kernel.errors;
  std::vector<GlobalBuffer> buffers = {GlobalBuffer::of(matrices()), GlobalBuffer::zeros<uint32_t>(128)};
  Status ran = kernel.run(buffers, {32, 1, 512});
  ASSERT_TRUE(ran.ok()) << ran.message();
  const std::vector<uint16_t> from = matrices(), found = buffers[1].as<uint16_t>();
  for (unsigned index = 0; index < 256; ++index)
    EXPECT_EQ(found[index], index < 64 * count ? from[index] : 0) << index;
}

INSTANTIATE_TEST_SUITE_P(All, MatrixMove,
                         testing::Values(MatrixCase{1, false}, MatrixCase{2, false}, MatrixCase{4, false},
                                         MatrixCase{1, true}, MatrixCase{2, true}, MatrixCase{4, true}));

} // namespace

/// Fragments by ldmatrix meet those of mma.sync: a row-major A [16 x 16] by x4, a B of which row n lies at n ([8 x 16])
/// by x2. Rows r and r + 8 of A's halves are matrices 0 to 3 in the order of mma's words.
TEST(Matrix, LoadFeedsMultiply) {
  const std::string text = R"(
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %c8 = llvm.mlir.constant(8 : i32) : i32
    %c15 = llvm.mlir.constant(15 : i32) : i32
    %c16 = llvm.mlir.constant(16 : i32) : i32
    %c32 = llvm.mlir.constant(32 : i32) : i32
    %c512 = llvm.mlir.constant(512 : i32) : i32
    %c7 = llvm.mlir.constant(7 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %sh = llvm.mlir.addressof @mp_shared : !llvm.ptr<3>
    %into = llvm.getelementptr %sh[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<4xi32>
    %from = llvm.getelementptr %b0[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xi32>
    nvvm.cp.async.shared.global %into, %from, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    %half = llvm.and %lane, %c15 : i32
    %half2 = llvm.add %half, %c32 : i32
    %into2 = llvm.getelementptr %sh[%half2] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<4xi32>
    %from2 = llvm.getelementptr %b1[%half] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xi32>
    %isLow = llvm.icmp "ult" %lane, %c16 : i32
    llvm.cond_br %isLow, ^copy, ^go
  ^copy:
    nvvm.cp.async.shared.global %into2, %from2, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    llvm.br ^go
  ^go:
    nvvm.cp.async.commit.group
    nvvm.cp.async.wait.group 0
    nvvm.barrier
    %row = llvm.and %lane, %c15 : i32
    %rowOffset = llvm.mul %row, %c32 : i32
    %right = llvm.udiv %lane, %c16 : i32
    %rightOffset = llvm.mul %right, %c16 : i32
    %offset = llvm.add %rowOffset, %rightOffset : i32
    %pa = llvm.getelementptr %sh[%offset] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %a = nvvm.ldmatrix %pa {num = 4 : i32, ATTRIBUTES} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
    %n = llvm.and %lane, %c7 : i32
    %nOffset = llvm.mul %n, %c32 : i32
    %eighth = llvm.udiv %lane, %c8 : i32
    %side = llvm.and %eighth, %c1 : i32
    %sideOffset = llvm.mul %side, %c16 : i32
    %o1 = llvm.add %nOffset, %sideOffset : i32
    %o2 = llvm.add %o1, %c512 : i32
    %pb = llvm.getelementptr %sh[%o2] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %bm = nvvm.ldmatrix %pb {num = 2 : i32, ATTRIBUTES} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32)>
    %a0i = llvm.extractvalue %a[0] : !llvm.struct<(i32, i32, i32, i32)>
    %a1i = llvm.extractvalue %a[1] : !llvm.struct<(i32, i32, i32, i32)>
    %a2i = llvm.extractvalue %a[2] : !llvm.struct<(i32, i32, i32, i32)>
    %a3i = llvm.extractvalue %a[3] : !llvm.struct<(i32, i32, i32, i32)>
    %b0i = llvm.extractvalue %bm[0] : !llvm.struct<(i32, i32)>
    %b1i = llvm.extractvalue %bm[1] : !llvm.struct<(i32, i32)>
    %a0 = llvm.bitcast %a0i : i32 to vector<2xf16>
    %a1 = llvm.bitcast %a1i : i32 to vector<2xf16>
    %a2 = llvm.bitcast %a2i : i32 to vector<2xf16>
    %a3 = llvm.bitcast %a3i : i32 to vector<2xf16>
    %bb0 = llvm.bitcast %b0i : i32 to vector<2xf16>
    %bb1 = llvm.bitcast %b1i : i32 to vector<2xf16>
    %z = llvm.mlir.constant(0.0 : f32) : f32
    %d = nvvm.mma.sync A[%a0, %a1, %a2, %a3] B[%bb0, %bb1] C[%z, %z, %z, %z]
      {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 16>}
      : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
  )";
  std::string body = text;
  for (size_t at = body.find("ATTRIBUTES"); at != std::string::npos; at = body.find("ATTRIBUTES"))
    body.replace(at, 10, attributes(false));
  NVVMRunner kernel(kernelText(3, body + storeStruct("%d", 2, 4, "f32", structOf(4, "f32"))));
  ASSERT_TRUE(kernel.ok()) << kernel.errors;
  std::vector<uint16_t> a(256), b(128);
  const auto numberA = [](int i) { return i * 7 % 13 - 6; };
  const auto numberB = [](int i) { return i * 5 % 11 - 5; };
  for (int i = 0; i < 256; ++i)
    a[i] = encodeF16(numberA(i));
  for (int i = 0; i < 128; ++i)
    b[i] = encodeF16(numberB(i));
  SIMTOptions options;
  options.seed = 3;
  options.races = options.uninitialized = options.bounds = true;
  std::vector<GlobalBuffer> buffers = {GlobalBuffer::of(a), GlobalBuffer::of(b), GlobalBuffer::zeros<float>(128)};
  Status ran = kernel.run(buffers, {32, 1, 768}, options);
  ASSERT_TRUE(ran.ok()) << ran.message();
  const std::vector<float> d = buffers[2].as<float>();
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 4; ++i) {
      const int row = lane / 4 + (i < 2 ? 0 : 8), column = lane % 4 * 2 + i % 2;
      int expected = 0;
      for (int k = 0; k < 16; ++k)
        expected += numberA(row * 16 + k) * numberB(column * 16 + k);
      EXPECT_EQ(d[lane * 4 + i], expected) << row << ", " << column;
    }
}

namespace {

struct WmmaCase {
  const char *layoutA, *layoutB, *sums, *layoutC;
};

class Wmma : public testing::TestWithParam<WmmaCase> {};

/// Which lane holds what is nobody's business: from memory to memory it is the product.
TEST_P(Wmma, IsThePlainProduct) {
  const WmmaCase &form = GetParam();
  const std::string h = "vector<2xf16>", f8 = structOf(8, h), sums = form.sums;
  const unsigned count = sums == "f16" ? 4 : 8;
  const std::string sumWord = sums == "f16" ? h : "f32", sumStruct = structOf(count, sumWord);
  const auto shape = [](const std::string &layout, const std::string &type) {
    return "{m = 16 : i32, n = 16 : i32, k = 16 : i32, layout = #nvvm.mma_layout<" + layout +
           ">, eltype = #nvvm.mma_type<" + type + ">";
  };
  const auto extract = [](const std::string &name, unsigned n, const std::string &type) {
    std::string text;
    for (unsigned i = 0; i < n; ++i)
      text += "%" + name + std::to_string(i) + " = llvm.extractvalue %" + name + "[" + std::to_string(i) +
              "] : " + type + "\n";
    return text;
  };
  std::string types, stored;
  for (unsigned i = 0; i < 16; ++i)
    types += h + ", ";
  for (unsigned i = 0; i < count; ++i)
    types += (i ? ", " : "") + sumWord, stored += ", " + sumWord;
  const std::string body = "%s24 = llvm.mlir.constant(24 : i32) : i32\n%s16 = llvm.mlir.constant(16 : i32) : i32\n"
                           "%fa = nvvm.wmma.load %b0, %s24 " +
                           shape(form.layoutA, "f16") + ", frag = #nvvm.mma_frag<a>} : (!llvm.ptr<1>) -> " + f8 +
                           "\n%fb = nvvm.wmma.load %b1, %s16 " + shape(form.layoutB, "f16") +
                           ", frag = #nvvm.mma_frag<b>} : (!llvm.ptr<1>) -> " + f8 +
                           "\n%c = nvvm.wmma.load %b2, %s16 " + shape(form.layoutC, sums) +
                           ", frag = #nvvm.mma_frag<c>} : (!llvm.ptr<1>) -> " + sumStruct + "\n" +
                           extract("fa", 8, f8) + extract("fb", 8, f8) + extract("c", count, sumStruct) +
                           "%d = nvvm.wmma.mma " + list("fa", 8) + ", " + list("fb", 8) + ", " + list("c", count) +
                           " {m = 16 : i32, n = 16 : i32, k = 16 : i32, layoutA = #nvvm.mma_layout<" + form.layoutA +
                           ">, layoutB = #nvvm.mma_layout<" + form.layoutB +
                           ">, eltypeA = #nvvm.mma_type<f16>, eltypeB = #nvvm.mma_type<" + sums + ">} : (" + types +
                           ") -> " + sumStruct + "\n" + extract("d", count, sumStruct) + "nvvm.wmma.store %b3, %s16, " +
                           list("d", count) + " " + shape(form.layoutC, sums) + "} : !llvm.ptr<1>" + stored + "\n";
  NVVMRunner kernel(kernelText(4, body));
  ASSERT_TRUE(kernel.ok()) << kernel.errors;

  const auto number = [](int i, int factor, int modulus) { return i * factor % modulus - modulus / 2; };
  std::vector<uint16_t> a(16 * 24), b(256), half(256);
  std::vector<float> single(256);
  for (int i = 0; i < 16 * 24; ++i)
    a[i] = encodeF16(number(i, 7, 13));
  for (int i = 0; i < 256; ++i) {
    b[i] = encodeF16(number(i, 5, 11));
    single[i] = number(i, 3, 101);
    half[i] = encodeF16(single[i]);
  }
  const bool isHalf = sums == "f16";
  std::vector<GlobalBuffer> buffers = {GlobalBuffer::of(a), GlobalBuffer::of(b),
                                       isHalf ? GlobalBuffer::of(half) : GlobalBuffer::of(single),
                                       GlobalBuffer::zeros<uint32_t>(isHalf ? 128 : 256)};
  Status ran = kernel.run(buffers, {32}, {}, "sm_70");
  ASSERT_TRUE(ran.ok()) << ran.message();
  const auto at = [](const char *layout, int row, int column, int stride) {
    return std::string(layout) == "row" ? row * stride + column : column * stride + row;
  };
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 16; ++column) {
      const int c = at(form.layoutC, row, column, 16);
      int expected = number(c, 3, 101);
      for (int k = 0; k < 16; ++k)
        expected += number(at(form.layoutA, row, k, 24), 7, 13) * number(at(form.layoutB, k, column, 16), 5, 11);
      EXPECT_EQ(isHalf ? decodeF16(buffers[3].as<uint16_t>()[c]) : buffers[3].as<float>()[c], expected)
          << row << ", " << column;
    }
}

INSTANTIATE_TEST_SUITE_P(All, Wmma,
                         testing::Values(WmmaCase{"row", "col", "f32", "row"}, WmmaCase{"row", "row", "f32", "col"},
                                         WmmaCase{"col", "row", "f32", "row"}, WmmaCase{"col", "col", "f32", "row"},
                                         WmmaCase{"row", "col", "f16", "row"}, WmmaCase{"col", "row", "f16", "col"}));

} // namespace
