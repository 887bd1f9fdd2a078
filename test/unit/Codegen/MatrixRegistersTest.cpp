// The estimate of registers against ptxas.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By an estimate the scheduler refuses products for which a thread has too few registers. Here products on both sides
// of that border are made all the same, and assembled: what is taken spills nothing, what is refused spills. Of all
// orders of operands, which the estimate does not look at, one that spills is enough for a refusal.

#include "Codegen/PTXCompiler.h"

#include "mp/Analysis/MatrixTiles.h"
#include "mp/IR/MP.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <cstdlib>

using namespace mp;
using namespace mp::test;

namespace {

/// An instruction on a chip, and what it multiplies.
struct Unit {
  std::string chip, type, instruction;
};

const Unit kSm70 = {"sm_70", "f16", "wmma.m16n16k16"};
const Unit kSm75 = {"sm_75", "f16", "mma.m16n8k8"};
const Unit kSm80 = {"sm_80", "f16", "mma.m16n8k16"};
const Unit kTF32 = {"sm_80", "f32", "mma.m16n8k8.tf32"};

struct Blocks {
  int m, n, k, warpsM, warpsN, stages;
};

/// Rows that are multiples of 16 bytes, and rows that are none and go through registers one element at a time.
constexpr int kEven = 1024, kOdd = 1023;

/// A product of square matrices with a schedule.
struct Scheduled {
  Unit unit;
  Blocks blocks;
  int size;
  std::string flags;

  std::string text() const {
    const std::string rows = std::to_string(size), tensor = "tensor<" + rows + "x" + rows + "x" + unit.type + ">";
    const std::string schedule = "block_m = " + std::to_string(blocks.m) + ", block_n = " + std::to_string(blocks.n) +
                                 ", block_k = " + std::to_string(blocks.k) +
                                 ", warps_m = " + std::to_string(blocks.warpsM) +
                                 ", warps_n = " + std::to_string(blocks.warpsN) +
                                 ", stages = " + std::to_string(blocks.stages) + ", instruction = " + unit.instruction;
    const std::string types = tensor + ", " + tensor;
    return "func.func @f(%a: " + tensor + ", %b: " + tensor + ") -> " + tensor +
           " {\n%z = mp.kernel \"k\" (%x = %a, %y = %b) schedule(#mp.mma<" + schedule + ">) : (" + types + ") -> " +
           tensor + " {\n%0 = mp.matmul %x, %y " + flags + " acc f32 : " + types + " -> " + tensor +
           "\nmp.yield %0 : " + tensor + "\n}\nreturn %z : " + tensor + "\n}\n";
  }
};

/// Why the scheduler refuses the product; empty where it takes it.
std::string explainRefusal(const Scheduled &product) {
  mlir::MLIRContext context;
  context.loadDialect<MPDialect, mlir::func::FuncDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(product.text(), &context);
  std::string why;
  module->walk([&](MatmulOp matmul) {
    auto schedule = mlir::cast<MmaScheduleAttr>(matmul->getParentOfType<KernelOp>().getScheduleAttr());
    const MatrixTiles tiles(schedule, matmul.getContraction());
    EXPECT_EQ(explainIllegal(tiles, *findChip(product.unit.chip)), "") << product.text();
    why = explainCrowded(tiles, *findChip(product.unit.chip));
  });
  return why;
}

int64_t spillsOf(const Scheduled &product) {
  PTXCompiler ptx(product.text(), product.unit.chip);
  EXPECT_TRUE(ptx.ok()) << ptx.errors;
  const std::optional<int64_t> spilled = ptx.spilledBytes();
  EXPECT_TRUE(spilled) << ptx.assemble();
  return spilled.value_or(0);
}

const std::vector<std::string> kOrders = {"", "transpose_lhs", "transpose_rhs", "transpose_lhs transpose_rhs"};

/// Compares the scheduler's word for a schedule with what ptxas makes of it in these orders of operands.
void expectRefusal(bool isRefused, const Unit &unit, const Blocks &blocks, int size,
                   const std::vector<std::string> &orders) {
  int64_t most = 0;
  for (const std::string &flags : orders) {
    const Scheduled product{unit, blocks, size, flags};
    const std::string why = explainRefusal(product);
    EXPECT_EQ(!why.empty(), isRefused) << product.text() << why;
    const int64_t spilled = spillsOf(product);
    EXPECT_TRUE(isRefused || spilled == 0) << product.text() << "spills " << spilled << " bytes";
    most = std::max(most, spilled);
  }
  EXPECT_TRUE(!isRefused || most > 0) << "is refused and spills nothing: " << Scheduled{unit, blocks, size, ""}.text();
}

/// The order that takes most as a rule, and all of them in the long form.
std::vector<std::string> orders() {
  return std::getenv("HALFSTEP_LONG") ? kOrders : std::vector<std::string>{"transpose_lhs"};
}

} // namespace

TEST(MatrixRegisters, WhatIsTakenSpillsNothing) {
  // Operands by cp.async take none.
  for (const Blocks &blocks : {Blocks{256, 128, 64, 4, 2, 3}, Blocks{128, 256, 64, 2, 4, 3},
                               Blocks{128, 128, 32, 2, 2, 4}, Blocks{256, 64, 32, 4, 1, 3}})
    expectRefusal(false, kSm80, blocks, kEven, orders());
  expectRefusal(false, kTF32, {256, 128, 16, 4, 2, 3}, kOdd, orders());
  expectRefusal(false, kSm75, {128, 128, 64, 2, 2, 2}, kEven, orders());
  expectRefusal(false, kSm75, {256, 128, 32, 4, 2, 2}, kOdd, orders());
  expectRefusal(false, kSm70, {64, 256, 32, 1, 4, 2}, kEven, orders());
}

TEST(MatrixRegisters, WhatIsRefusedSpills) {
  expectRefusal(true, kSm80, {256, 128, 32, 4, 2, 3}, kOdd, orders());
  expectRefusal(true, kSm80, {256, 128, 32, 2, 2, 3}, kEven, orders());
  expectRefusal(true, kTF32, {128, 128, 32, 2, 2, 3}, kOdd, orders());
  expectRefusal(true, kSm75, {128, 128, 32, 2, 2, 2}, kOdd, orders());
  expectRefusal(true, kSm75, {128, 64, 64, 2, 1, 2}, kEven, orders());
  expectRefusal(true, kSm70, {256, 128, 32, 4, 2, 2}, kOdd, orders());
}
