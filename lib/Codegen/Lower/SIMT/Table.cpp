// The NVVM ops that kernels may contain.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Lower/SIMT/Table.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include <cstddef>

using namespace mlir;
using namespace mp;

// Operands that an op may leave out

static Value constant(OpBuilder &b, Operation *op, int64_t value) {
  return LLVM::ConstantOp::create(b, op->getLoc(), b.getI32Type(), b.getI32IntegerAttr(value));
}

/// The operand, or a constant where the op has none.
static Value given(OpBuilder &b, Operation *op, Value operand, int64_t otherwise) {
  return operand ? operand : constant(b, op, otherwise);
}

static SmallVector<Value> barrierOperands(Operation *op, OpBuilder &b) {
  auto barrier = cast<NVVM::BarrierOp>(op);
  return {given(b, op, barrier.getBarrierId(), 0), given(b, op, barrier.getNumberOfThreads(), 0),
          given(b, op, barrier.getReductionPredicate(), 0)};
}

static SmallVector<Value> wholeBlockOperands(Operation *op, OpBuilder &b) {
  return {constant(b, op, 0), constant(b, op, 0), constant(b, op, 0)};
}

static SmallVector<Value> arriveOperands(Operation *op, OpBuilder &b) {
  auto arrive = cast<NVVM::BarrierArriveOp>(op);
  return {given(b, op, arrive.getBarrierId(), 0), arrive.getNumberOfThreads()};
}

static SmallVector<Value> electOperands(Operation *op, OpBuilder &b) {
  return {given(b, op, cast<NVVM::ElectSyncOp>(op).getMembermask(), -1)};
}

static SmallVector<Value> copyOperands(Operation *op, OpBuilder &b) {
  auto copy = cast<NVVM::CpAsyncOp>(op);
  return {copy.getDst(), copy.getSrc(), given(b, op, copy.getCpSize(), copy.getSize())};
}

static SmallVector<Value> fragmentStoreOperands(Operation *op, OpBuilder &) {
  auto store = cast<NVVM::WMMAStoreOp>(op);
  SmallVector<Value> operands = {store.getPtr(), store.getStride()};
  llvm::append_range(operands, store.getArgs());
  return operands;
}

// Immediates

template <typename Enum> static uint32_t word(Enum value) { return static_cast<uint32_t>(value); }

static SiteImmediates barrierImmediates(Operation *op) {
  auto reduction = cast<NVVM::BarrierOp>(op).getReductionOp();
  return {reduction ? word(*reduction) : ~0u};
}
static SiteImmediates wholeBlockImmediates(Operation *) { return {~0u}; }
static SiteImmediates shuffleImmediates(Operation *op) { return {word(cast<NVVM::ShflOp>(op).getKind())}; }
static SiteImmediates voteImmediates(Operation *op) { return {word(cast<NVVM::VoteSyncOp>(op).getKind())}; }
static SiteImmediates reduceImmediates(Operation *op) { return {word(cast<NVVM::ReduxOp>(op).getKind())}; }
static SiteImmediates copyImmediates(Operation *op) { return {cast<NVVM::CpAsyncOp>(op).getSize()}; }
static SiteImmediates waitImmediates(Operation *op) { return {cast<NVVM::CpAsyncWaitGroupOp>(op).getN()}; }

static SiteImmediates loadMatrixImmediates(Operation *op) {
  auto load = cast<NVVM::LdMatrixOp>(op);
  return {load.getNum(), load.getLayout() == NVVM::MMALayout::col};
}

static SiteImmediates storeMatrixImmediates(Operation *op) {
  auto store = cast<NVVM::StMatrixOp>(op);
  return {static_cast<uint32_t>(store.getSources().size()), store.getLayout() == NVVM::MMALayout::col};
}

static std::optional<SimulatorElement> elementOf(NVVM::MMATypes type) {
  switch (type) {
  case NVVM::MMATypes::f16:
    return SimulatorElement::F16;
  case NVVM::MMATypes::bf16:
    return SimulatorElement::BF16;
  case NVVM::MMATypes::tf32:
    return SimulatorElement::TF32;
  case NVVM::MMATypes::f32:
    return SimulatorElement::F32;
  default:
    return std::nullopt;
  }
}

static SiteImmediates multiplyImmediates(Operation *op) {
  auto mma = cast<NVVM::MmaOp>(op);
  return {static_cast<uint32_t>(mma.getShape().getK()), word(*elementOf(*mma.getMultiplicandAPtxType())),
          word(*elementOf(mma.accumPtxType())), word(*elementOf(mma.resultPtxType()))};
}

static SiteImmediates fragmentLoadImmediates(Operation *op) {
  auto load = cast<NVVM::WMMALoadOp>(op);
  return {word(load.getFrag()), load.getLayout() == NVVM::MMALayout::col, word(*elementOf(load.getEltype()))};
}

static SiteImmediates fragmentStoreImmediates(Operation *op) {
  auto store = cast<NVVM::WMMAStoreOp>(op);
  return {store.getLayout() == NVVM::MMALayout::col, word(*elementOf(store.getEltype()))};
}

/// A C or D fragment of wmma m16n16k16 is 4 words of two f16 or 8 of f32.
static SimulatorElement accumulatorOf(size_t words) {
  return words == 4 ? SimulatorElement::F16 : SimulatorElement::F32;
}

static SiteImmediates fragmentMultiplyImmediates(Operation *op) {
  auto mma = cast<NVVM::WMMAMmaOp>(op);
  return {mma.getLayoutA() == NVVM::MMALayout::col, mma.getLayoutB() == NVVM::MMALayout::col,
          word(accumulatorOf(mma.getArgs().size() - 16)),
          word(accumulatorOf(cast<LLVM::LLVMStructType>(mma.getRes().getType()).getBody().size()))};
}

static SiteImmediates convertImmediates(Operation *op) {
  return {cast<NVVM::ConvertFloatToTF32Op>(op).getRnd() == NVVM::FPRoundingMode::RNA};
}

// Forms that are not simulated

template <typename Op> static std::string rejectUnaligned(Operation *op) {
  return cast<Op>(op).getAligned() ? "" : "only the aligned form is simulated";
}

static std::string rejectReduce(Operation *op) {
  return op->getResult(0).getType().isInteger(32) ? "" : "only integers are reduced";
}

template <typename Op> static std::string rejectMatrix(Operation *op) {
  auto matrix = cast<Op>(op);
  const bool known = matrix.getEltType() == NVVM::LdStMatrixEltType::B16 && matrix.getShape().getM() == 8 &&
                     matrix.getShape().getN() == 8;
  return known ? "" : "only 8x8 matrices of 16 bits are simulated";
}

/// The shapes and types of mma.sync, PTX ISA 9.7.14, "Matrix multiply-accumulate operation using mma instruction".
static std::string rejectMultiply(Operation *op) {
  using NVVM::MMATypes;
  struct Form {
    int k;
    MMATypes operands, c, d;
  };
  static constexpr Form kForms[] = {
      {8, MMATypes::f16, MMATypes::f32, MMATypes::f32},  {8, MMATypes::f16, MMATypes::f16, MMATypes::f16},
      {16, MMATypes::f16, MMATypes::f32, MMATypes::f32}, {16, MMATypes::f16, MMATypes::f16, MMATypes::f16},
      {8, MMATypes::bf16, MMATypes::f32, MMATypes::f32}, {16, MMATypes::bf16, MMATypes::f32, MMATypes::f32},
      {4, MMATypes::tf32, MMATypes::f32, MMATypes::f32}, {8, MMATypes::tf32, MMATypes::f32, MMATypes::f32},
  };
  auto mma = cast<NVVM::MmaOp>(op);
  const NVVM::MMAShapeAttr shape = mma.getShape();
  const bool isLaidOut = mma.getLayoutA() == NVVM::MMALayout::row && mma.getLayoutB() == NVVM::MMALayout::col;
  if (isLaidOut && shape.getM() == 16 && shape.getN() == 8 && mma.getMultiplicandAPtxType() &&
      mma.getMultiplicandAPtxType() == mma.getMultiplicandBPtxType())
    for (const Form &form : kForms)
      if (form.k == shape.getK() && form.operands == *mma.getMultiplicandAPtxType() && form.c == mma.accumPtxType() &&
          form.d == mma.resultPtxType())
        return "";
  return "only m16n8 of f16, bf16 and tf32, row by column, is simulated";
}

template <typename Op> static std::string rejectShape(Op op) {
  return op.getM() == 16 && op.getN() == 16 && op.getK() == 16 ? "" : "only m16n16k16 is simulated";
}

static std::string rejectFragmentLoad(Operation *op) {
  auto load = cast<NVVM::WMMALoadOp>(op);
  const bool isAccumulator = load.getFrag() == NVVM::MMAFrag::c;
  const bool known =
      load.getEltype() == NVVM::MMATypes::f16 || (isAccumulator && load.getEltype() == NVVM::MMATypes::f32);
  return known ? rejectShape(load) : "only f16 operands with f16 and f32 accumulators are simulated";
}

static std::string rejectFragmentStore(Operation *op) {
  auto store = cast<NVVM::WMMAStoreOp>(op);
  const bool known = store.getEltype() == NVVM::MMATypes::f16 || store.getEltype() == NVVM::MMATypes::f32;
  return known ? rejectShape(store) : "only f16 and f32 accumulators are simulated";
}

static std::string rejectFragmentMultiply(Operation *op) {
  auto mma = cast<NVVM::WMMAMmaOp>(op);
  return mma.getEltypeA() == NVVM::MMATypes::f16 ? rejectShape(mma) : "only f16 operands are simulated";
}

static std::string rejectConvert(Operation *op) {
  auto convert = cast<NVVM::ConvertFloatToTF32Op>(op);
  const bool known = convert.getRnd() == NVVM::FPRoundingMode::RNA && !convert.getRelu() &&
                     convert.getSat() == NVVM::SaturationMode::NONE;
  return known ? "" : "only the rounding rna is simulated";
}

// The table

static constexpr NVVMRow sreg(StringRef op, size_t field) {
  return {op, NVVMRow::Form::Register, static_cast<uint32_t>(field)};
}
static constexpr NVVMRow fence(StringRef op) { return {op, NVVMRow::Form::Fence}; }

#define MP_FIELD(name) offsetof(SimulatorContext, name)

ArrayRef<NVVMRow> mp::nvvmTable() {
  using enum SimulatorEntry;
  constexpr auto call = NVVMRow::Form::Call;
  static constexpr NVVMRow kTable[] = {
      // PTX ISA 10, special registers. Grids, clusters and blocks have one dimension.
      sreg("nvvm.read.ptx.sreg.tid.x", MP_FIELD(thread)),
      sreg("nvvm.read.ptx.sreg.tid.y", MP_FIELD(zero)),
      sreg("nvvm.read.ptx.sreg.tid.z", MP_FIELD(zero)),
      sreg("nvvm.read.ptx.sreg.ntid.x", MP_FIELD(threads)),
      sreg("nvvm.read.ptx.sreg.ntid.y", MP_FIELD(one)),
      sreg("nvvm.read.ptx.sreg.ntid.z", MP_FIELD(one)),
      sreg("nvvm.read.ptx.sreg.ctaid.x", MP_FIELD(block)),
      sreg("nvvm.read.ptx.sreg.ctaid.y", MP_FIELD(zero)),
      sreg("nvvm.read.ptx.sreg.ctaid.z", MP_FIELD(zero)),
      sreg("nvvm.read.ptx.sreg.nctaid.x", MP_FIELD(blocks)),
      sreg("nvvm.read.ptx.sreg.nctaid.y", MP_FIELD(one)),
      sreg("nvvm.read.ptx.sreg.nctaid.z", MP_FIELD(one)),
      sreg("nvvm.read.ptx.sreg.cluster.ctaid.x", MP_FIELD(clusterBlock)),
      sreg("nvvm.read.ptx.sreg.cluster.ctaid.y", MP_FIELD(zero)),
      sreg("nvvm.read.ptx.sreg.cluster.ctaid.z", MP_FIELD(zero)),
      sreg("nvvm.read.ptx.sreg.cluster.nctaid.x", MP_FIELD(clusterBlocks)),
      sreg("nvvm.read.ptx.sreg.cluster.nctaid.y", MP_FIELD(one)),
      sreg("nvvm.read.ptx.sreg.cluster.nctaid.z", MP_FIELD(one)),
      sreg("nvvm.read.ptx.sreg.clusterid.x", MP_FIELD(cluster)),
      sreg("nvvm.read.ptx.sreg.clusterid.y", MP_FIELD(zero)),
      sreg("nvvm.read.ptx.sreg.clusterid.z", MP_FIELD(zero)),
      sreg("nvvm.read.ptx.sreg.nclusterid.x", MP_FIELD(clusters)),
      sreg("nvvm.read.ptx.sreg.nclusterid.y", MP_FIELD(one)),
      sreg("nvvm.read.ptx.sreg.nclusterid.z", MP_FIELD(one)),
      sreg("nvvm.read.ptx.sreg.cluster.ctarank", MP_FIELD(clusterBlock)),
      sreg("nvvm.read.ptx.sreg.cluster.nctarank", MP_FIELD(clusterBlocks)),
      sreg("nvvm.read.ptx.sreg.laneid", MP_FIELD(lane)),
      sreg("nvvm.read.ptx.sreg.warpid", MP_FIELD(warp)),
      sreg("nvvm.read.ptx.sreg.nwarpid", MP_FIELD(warps)),
      sreg("nvvm.read.ptx.sreg.warpsize", MP_FIELD(warpSize)),
      sreg("nvvm.read.ptx.sreg.lanemask.eq", MP_FIELD(laneMaskEq)),
      sreg("nvvm.read.ptx.sreg.lanemask.le", MP_FIELD(laneMaskLe)),
      sreg("nvvm.read.ptx.sreg.lanemask.lt", MP_FIELD(laneMaskLt)),
      sreg("nvvm.read.ptx.sreg.lanemask.ge", MP_FIELD(laneMaskGe)),
      sreg("nvvm.read.ptx.sreg.lanemask.gt", MP_FIELD(laneMaskGt)),
      sreg("nvvm.read.ptx.sreg.dynamic.smem.size", MP_FIELD(sharedBytes)),

      // PTX ISA 9.7.13, synchronization.
      {"nvvm.barrier0", call, 0, Barrier, nullptr, wholeBlockImmediates, wholeBlockOperands},
      {"nvvm.barrier", call, 0, Barrier, nullptr, barrierImmediates, barrierOperands},
      {"nvvm.barrier.arrive", call, 0, BarrierArrive, nullptr, nullptr, arriveOperands},
      {"nvvm.bar.warp.sync", call, 0, SyncWarp},
      {"nvvm.cluster.arrive", call, 0, ClusterArrive, rejectUnaligned<NVVM::ClusterArriveOp>},
      {"nvvm.cluster.wait", call, 0, ClusterWait, rejectUnaligned<NVVM::ClusterWaitOp>},
      {"nvvm.nanosleep", call, 0, Sleep},
      {"nvvm.vote.sync", call, 0, Vote, nullptr, voteImmediates},
      {"nvvm.elect.sync", call, 0, Elect, nullptr, nullptr, electOperands},
      {"nvvm.redux.sync", call, 0, Reduce, rejectReduce, reduceImmediates},
      fence("nvvm.memory.barrier"),

      // PTX ISA 9.7.9, data movement and conversion.
      {"nvvm.shfl.sync", call, 0, Shuffle, nullptr, shuffleImmediates},
      {"nvvm.cp.async.shared.global", call, 0, AsyncCopy, nullptr, copyImmediates, copyOperands},
      {"nvvm.cp.async.commit.group", call, 0, AsyncCommit},
      {"nvvm.cp.async.wait.group", call, 0, AsyncWait, nullptr, waitImmediates},
      {"nvvm.convert.float.to.tf32", call, 0, ConvertTF32, rejectConvert, convertImmediates},

      // PTX ISA 9.7.14, warp-level matrix instructions.
      {"nvvm.ldmatrix", call, 0, LoadMatrix, rejectMatrix<NVVM::LdMatrixOp>, loadMatrixImmediates},
      {"nvvm.stmatrix", call, 0, StoreMatrix, rejectMatrix<NVVM::StMatrixOp>, storeMatrixImmediates},
      {"nvvm.mma.sync", call, 0, Multiply, rejectMultiply, multiplyImmediates},
      {"nvvm.wmma.load", call, 0, FragmentLoad, rejectFragmentLoad, fragmentLoadImmediates},
      {"nvvm.wmma.store", call, 0, FragmentStore, rejectFragmentStore, fragmentStoreImmediates, fragmentStoreOperands},
      {"nvvm.wmma.mma", call, 0, FragmentMultiply, rejectFragmentMultiply, fragmentMultiplyImmediates},
  };
  return kTable;
}

const NVVMRow *mp::findRow(Operation *op) {
  for (const NVVMRow &row : nvvmTable())
    if (op->getName().getStringRef() == row.op)
      return &row;
  return nullptr;
}
