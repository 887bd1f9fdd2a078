// What a GPU kernel may not contain.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Lower/SIMT/Table.h"
#include "Devices/SIMT/NVVMRunner.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include <gtest/gtest.h>

using namespace mp;
using namespace mp::test;

namespace {

struct Refusal {
  const char *body, *message;
};

class Refused : public testing::TestWithParam<Refusal> {};

TEST_P(Refused, WithAReason) {
  NVVMRunner kernel(kernelText(1, GetParam().body));
  EXPECT_FALSE(kernel.ok());
  EXPECT_NE(kernel.errors.find(GetParam().message), std::string::npos) << kernel.errors;
}

INSTANTIATE_TEST_SUITE_P(
    All, Refused,
    testing::Values(
        Refusal{"nvvm.setmaxregister increase 128", "'nvvm.setmaxregister' op is not in the table of NVVM ops"},
        Refusal{"nvvm.inline_ptx \"bar.sync 0;\"", "'nvvm.inline_ptx' op is not in the table"},
        Refusal{"llvm.inline_asm \"nop\", \"\" : () -> ()", "inline assembly has no meaning"},
        Refusal{"%x = llvm.mlir.constant(0 : i32) : i32\n"
                "llvm.call_intrinsic \"llvm.nvvm.barrier.cta.sync.aligned.all\"(%x) : (i32) -> ()",
                "an NVVM intrinsic by name"},
        Refusal{"llvm.call @k(%b0) : (!llvm.ptr<1>) -> ()", "a GPU kernel calls no function"},
        Refusal{"%x = llvm.mlir.constant(0.0 : f32) : f32\n"
                "%y = llvm.atomicrmw fadd %b0, %x monotonic : !llvm.ptr<1>, f32",
                "no kernel has atomics on floats"},
        Refusal{"%x = llvm.mlir.constant(0.0 : f16) : f16\n%y = llvm.fadd %x, %x : f16", "arithmetic in f16 or bf16"},
        Refusal{"%x = arith.constant 0 : i32", "is not lowered: only llvm and nvvm ops may be left"},
        Refusal{"%x = llvm.mlir.constant(0 : i32) : i32\n"
                "%y = nvvm.wmma.load %b0, %x {m = 32 : i32, n = 8 : i32, k = 16 : i32, layout = #nvvm.mma_layout<row>, "
                "eltype = #nvvm.mma_type<f16>, frag = #nvvm.mma_frag<a>} : (!llvm.ptr<1>) -> "
                "!llvm.struct<(vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, "
                "vector<2xf16>, vector<2xf16>, vector<2xf16>)>",
                "only m16n16k16 is simulated"},
        Refusal{"%x = llvm.mlir.constant(0 : i32) : i32\n"
                "%y = nvvm.mma.sync A[%x] B[%x] C[%x, %x] {layoutA = #nvvm.mma_layout<row>, layoutB = "
                "#nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<s8>, multiplicandBPtxType = "
                "#nvvm.mma_type<s8>, intOverflowBehavior = #nvvm.mma_int_overflow<satfinite>, shape = #nvvm.shape<m = "
                "8, n = 8, k = 16>} : (i32, i32, i32) -> !llvm.struct<(i32, i32)>",
                "only m16n8 of f16, bf16 and tf32"}));

} // namespace

TEST(Table, HasEachOpOnceAndOnlyOpsThatThereAre) {
  mlir::MLIRContext context;
  context.loadDialect<mlir::NVVM::NVVMDialect>();
  std::set<std::string> names;
  for (const NVVMRow &row : nvvmTable()) {
    EXPECT_TRUE(names.insert(row.op.str()).second) << row.op.str();
    EXPECT_TRUE(mlir::OperationName(row.op, &context).isRegistered()) << row.op.str();
  }
}

TEST(Verify, SaysAllThatIsWrong) {
  NVVMRunner kernel(kernelText(0, "nvvm.setmaxregister increase 128\nnvvm.inline_ptx \"bar.sync 0;\""));
  EXPECT_NE(kernel.errors.find("nvvm.setmaxregister"), std::string::npos);
  EXPECT_NE(kernel.errors.find("nvvm.inline_ptx"), std::string::npos);
}
