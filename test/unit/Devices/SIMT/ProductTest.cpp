// A block of a matrix product, and how long it takes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/SIMT/NVVMRunner.h"
#include "mp/Numerics/Float.h"

#include <gtest/gtest.h>

#include <ctime>
#include <sstream>

using namespace mp;
using namespace mp::test;

namespace {

/// Text of a kernel, op by op; every value has a name of its own.
class Writer {
public:
  std::string constant(int value) { return define("llvm.mlir.constant(" + std::to_string(value) + " : i32) : i32"); }
  std::string binary(const std::string &op, const std::string &a, const std::string &b) {
    return define("llvm." + op + " " + a + ", " + b + " : i32");
  }
  std::string add(const std::string &a, const std::string &b) { return binary("add", a, b); }
  std::string mul(const std::string &a, int factor) { return binary("mul", a, constant(factor)); }
  std::string div(const std::string &a, int by) { return binary("udiv", a, constant(by)); }
  std::string rem(const std::string &a, int by) { return binary("urem", a, constant(by)); }
  std::string at(const std::string &base, const std::string &bytes, int space) {
    const std::string type = "!llvm.ptr<" + std::to_string(space) + ">";
    return define("llvm.getelementptr " + base + "[" + bytes + "] : (" + type + ", i32) -> " + type + ", i8");
  }
  std::string define(const std::string &op) {
    const std::string name = "%x" + std::to_string(used++);
    text << name << " = " << op << "\n";
    return name;
  }
  void line(const std::string &op) { text << op << "\n"; }

  std::ostringstream text;

private:
  int used = 0;
};

constexpr int kTile = 128, kK = 512, kStep = 32, kRowBytes = kStep * 2, kTileBytes = kTile * kRowBytes;
constexpr int kMs = 4, kNs = 4, kSums = kMs * kNs * 4; // a warp's 64 x 32 in instructions of 16 x 8

/// `%s0: f32, ...` and the like for the sums that a loop carries.
std::string sums(const std::string &name, bool typed) {
  std::string text;
  for (int index = 0; index < kSums; ++index)
    text += (index ? ", %" : "%") + name + std::to_string(index) + (typed ? ": f32" : "");
  return text;
}

std::string types() {
  std::string text;
  for (int index = 0; index < kSums; ++index)
    text += index ? ", f32" : "f32";
  return text;
}

std::vector<std::string> loadMatrix(Writer &w, const std::string &address, int count) {
  std::string type = "!llvm.struct<(i32";
  for (int index = 1; index < count; ++index)
    type += ", i32";
  type += ")>";
  const std::string loaded =
      w.define("nvvm.ldmatrix " + address + " {num = " + std::to_string(count) +
               " : i32, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = "
               "#nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> " +
               type);
  std::vector<std::string> words;
  for (int index = 0; index < count; ++index)
    words.push_back(w.define("llvm.bitcast " +
                             w.define("llvm.extractvalue " + loaded + "[" + std::to_string(index) + "] : " + type) +
                             " : i32 to vector<2xf16>"));
  return words;
}

/// 256 threads: d [128 x 128] = a [128 x 512] times the transpose of b [128 x 512], f16 to f32. Steps of 32 in k
/// through shared memory by cp.async; 8 warps of 64 x 32.
std::string productText() {
  Writer w;
  const std::string tid = w.define("nvvm.read.ptx.sreg.tid.x : i32"), lane = w.rem(tid, 32), warp = w.div(tid, 32);
  const std::string shared = w.define("llvm.mlir.addressof @mp_shared : !llvm.ptr<3>");
  const std::string warpRow = w.mul(w.div(warp, 4), 64), warpColumn = w.mul(w.rem(warp, 4), 32);
  const std::string zero = w.constant(0), last = w.constant(kK / kStep);
  w.line("%zero = llvm.mlir.constant(0.0 : f32) : f32");
  std::string zeros;
  for (int index = 0; index < kSums; ++index)
    zeros += ", %zero";
  w.line("llvm.br ^loop(" + zero + zeros + " : i32, " + types() + ")");
  w.line("^loop(%step: i32, " + sums("s", true) + "):");
  // Chunks of 16 bytes: 4 in a row, 512 in a tile.
  for (int part = 0; part < 4; ++part) {
    const std::string chunk = w.add(tid, w.constant(part % 2 * 256));
    const std::string row = w.div(chunk, 4), column = w.mul(w.rem(chunk, 4), 16);
    const std::string to = w.add(w.add(w.mul(row, kRowBytes), column), w.constant(part / 2 * kTileBytes));
    const std::string from = w.add(w.add(w.mul(row, kK * 2), column), w.mul("%step", kRowBytes));
    w.line("nvvm.cp.async.shared.global " + w.at(shared, to, 3) + ", " + w.at(part < 2 ? "%b0" : "%b1", from, 1) +
           ", 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>");
  }
  w.line("nvvm.cp.async.commit.group\nnvvm.cp.async.wait.group 0\nnvvm.barrier");
  std::vector<std::string> current;
  for (int index = 0; index < kSums; ++index)
    current.push_back("%s" + std::to_string(index));
  for (int half = 0; half < kStep / 16; ++half) {
    std::vector<std::vector<std::string>> as, bs;
    for (int m = 0; m < kMs; ++m) {
      const std::string row = w.add(w.add(warpRow, w.constant(16 * m)), w.rem(lane, 16));
      const std::string column = w.add(w.mul(w.div(lane, 16), 16), w.constant(32 * half));
      as.push_back(loadMatrix(w, w.at(shared, w.add(w.mul(row, kRowBytes), column), 3), 4));
    }
    for (int n = 0; n < kNs; ++n) {
      const std::string row = w.add(w.add(warpColumn, w.constant(8 * n)), w.rem(lane, 8));
      const std::string column = w.add(w.mul(w.rem(w.div(lane, 8), 2), 16), w.constant(32 * half + kTileBytes));
      bs.push_back(loadMatrix(w, w.at(shared, w.add(w.mul(row, kRowBytes), column), 3), 2));
    }
    for (int m = 0; m < kMs; ++m)
      for (int n = 0; n < kNs; ++n) {
        std::string *c = &current[(m * kNs + n) * 4];
        const std::string type = "!llvm.struct<(f32, f32, f32, f32)>";
        const std::string d = w.define(
            "nvvm.mma.sync A[" + as[m][0] + ", " + as[m][1] + ", " + as[m][2] + ", " + as[m][3] + "] B[" + bs[n][0] +
            ", " + bs[n][1] + "] C[" + c[0] + ", " + c[1] + ", " + c[2] + ", " + c[3] +
            "] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k "
            "= 16>} : (vector<2xf16>, vector<2xf16>, f32) -> " +
            type);
        for (int index = 0; index < 4; ++index)
          c[index] = w.define("llvm.extractvalue " + d + "[" + std::to_string(index) + "] : " + type);
      }
  }
  w.line("nvvm.barrier");
  const std::string next = w.add("%step", w.constant(1));
  const std::string more = w.define("llvm.icmp \"ult\" " + next + ", " + last + " : i32");
  std::string carried;
  for (const std::string &sum : current)
    carried += (carried.empty() ? "" : ", ") + sum;
  w.line("llvm.cond_br " + more + ", ^loop(" + next + ", " + carried + " : i32, " + types() + "), ^end(" + carried +
         " : " + types() + ")");
  w.line("^end(" + sums("r", true) + "):");
  for (int m = 0; m < kMs; ++m)
    for (int n = 0; n < kNs; ++n)
      for (int index = 0; index < 4; ++index) {
        const std::string row = w.add(w.add(warpRow, w.constant(16 * m + index / 2 * 8)), w.div(lane, 4));
        const std::string column = w.add(w.add(warpColumn, w.constant(8 * n + index % 2)), w.mul(w.rem(lane, 4), 2));
        w.line("llvm.store %r" + std::to_string((m * kNs + n) * 4 + index) + ", " +
               w.at("%b2", w.mul(w.add(w.mul(row, kTile), column), 4), 1) + " : f32, !llvm.ptr<1>");
      }
  return kernelText(3, w.text.str());
}

double processorSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

struct ProductCase {
  const char *name;
  bool checks;
  MatrixArithmetic arithmetic;
  double seconds; // of processor time, at most
};

class Product : public testing::TestWithParam<ProductCase> {};

TEST_P(Product, IsRightAndInTime) {
  NVVMRunner kernel(productText(), {GetParam().checks});
  ASSERT_TRUE(kernel.ok()) << kernel.errors;
  const auto number = [](int index, int factor, int modulus) { return index * factor % modulus - modulus / 2; };
  std::vector<uint16_t> a(kTile * kK), b(kTile * kK);
  for (int index = 0; index < kTile * kK; ++index) {
    a[index] = encodeF16(number(index, 7, 13));
    b[index] = encodeF16(number(index, 5, 11));
  }
  std::vector<GlobalBuffer> buffers = {GlobalBuffer::of(a), GlobalBuffer::of(b),
                                       GlobalBuffer::zeros<float>(kTile * kTile)};
  buffers[0].isWritable = buffers[1].isWritable = false;
  buffers[2].isInitialized = false;
  SIMTOptions options;
  options.arithmetic = GetParam().arithmetic;
  options.races = options.uninitialized = options.bounds = GetParam().checks;
  options.seed = GetParam().checks ? 9 : 0;
  const double before = processorSeconds();
  Status ran = kernel.run(buffers, {256, 1, 2 * kTileBytes}, options);
  const double seconds = processorSeconds() - before;
  ASSERT_TRUE(ran.ok()) << ran.message();
  const std::vector<float> d = buffers[2].as<float>();
  for (int row = 0; row < kTile; ++row)
    for (int column = 0; column < kTile; ++column) {
      int expected = 0;
      for (int k = 0; k < kK; ++k)
        expected += number(row * kK + k, 7, 13) * number(column * kK + k, 5, 11);
      ASSERT_EQ(d[row * kTile + column], expected) << row << ", " << column;
    }
  RecordProperty("seconds", std::to_string(seconds));
  std::printf("%s: %.3f s\n", GetParam().name, seconds);
  EXPECT_LT(seconds, GetParam().seconds);
}

INSTANTIATE_TEST_SUITE_P(All, Product,
                         testing::Values(ProductCase{"plain", false, MatrixArithmetic::NearestEven, 0.2},
                                         ProductCase{"hardware", false, MatrixArithmetic::HardwareLike, 0.5},
                                         ProductCase{"checked", true, MatrixArithmetic::NearestEven, 1}),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
