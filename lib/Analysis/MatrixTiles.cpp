// What the tiles of a matrix product take of a chip.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Analysis/MatrixTiles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mp;

// In the order of the enum.
static constexpr MatrixInstructionInfo kInstructions[] = {
    // instruction, what it needs, depth, copies of lhs and rhs, other registers, f16, bf16, f32, f64, pairs
    {MatrixInstruction::Wmma16x16x16, ChipFeature::Wmma, 16, 2, 2, 20, true, false, false, false, false},
    {MatrixInstruction::Mma16x8x8, ChipFeature::MmaM16N8K8, 16, 1, 1, 30, true, false, false, false, true},
    {MatrixInstruction::Mma16x8x16, ChipFeature::MmaM16N8K16, 16, 1, 1, 32, true, true, false, false, true},
    {MatrixInstruction::Mma16x8x8TF32, ChipFeature::TF32, 8, 1, 1, 40, false, false, true, false, true},
    {MatrixInstruction::Fma, std::nullopt, 1, 8, 4, 20, true, true, true, true, false},
};

const MatrixInstructionInfo &mp::infoOf(MatrixInstruction instruction) {
  return kInstructions[static_cast<size_t>(instruction)];
}

static bool multiplies(const MatrixInstructionInfo &info, Type element) {
  return element.isF16() ? info.f16 : element.isBF16() ? info.bf16 : element.isF32() ? info.f32 : info.f64;
}

static bool hasInstruction(const Chip &chip, const MatrixInstructionInfo &info) {
  return !info.feature || chip.has(*info.feature);
}

MatrixInstruction mp::chooseInstruction(const Chip &chip, Type element, bool allowTF32) {
  // The latest that the chip has, plain arithmetic where it has none.
  for (const MatrixInstructionInfo &info : llvm::reverse(ArrayRef(kInstructions).drop_back()))
    if (hasInstruction(chip, info) && multiplies(info, element) && (!element.isF32() || allowTF32))
      return info.instruction;
  return MatrixInstruction::Fma;
}

namespace {

/// An operand as it lies in memory, and what of its other dimension than k a block takes.
struct OperandShape {
  int64_t block;
  bool isKMajor, isComputed;
  int64_t run; ///< neighbours in memory
};

} // namespace

static OperandShape lhsOf(MmaScheduleAttr schedule, const Contraction &product) {
  return {schedule.getBlockM(), product.lhsMap.isAlongDepth(), product.computesLhs, product.lhsMap.getRun()};
}

static OperandShape rhsOf(MmaScheduleAttr schedule, const Contraction &product) {
  return {schedule.getBlockN(), product.rhsMap.isAlongDepth(), product.computesRhs, product.rhsMap.getRun()};
}

/// The shortest of aligned chunks that cp.async brings; of shorter ones there would be too many.
static constexpr int64_t kLeastAsyncBytes = 8;

/// Why cp.async, which moves aligned chunks as they are, cannot bring an operand to `tile`.
static std::string explainStaged(const SharedTile &tile, const OperandShape &operand, Type element) {
  if (operand.isComputed)
    return "ops in front of it are computed on the way";
  if (operand.run * tile.elementBytes % kLeastAsyncBytes != 0)
    return "its rows of " + std::to_string(operand.run) + " elements are not aligned to " +
           std::to_string(kLeastAsyncBytes) + " bytes";
  if (tile.outerMajor == operand.isKMajor)
    return "it is transposed on the way";
  if (tile.elementBytes * 8 != element.getIntOrFloatBitWidth())
    return "it is converted on the way";
  return "";
}

static SharedTile tileOf(MmaScheduleAttr schedule, const OperandShape &operand, Type element, Type sum) {
  const bool isFma = schedule.getInstruction() == MatrixInstruction::Fma;
  const int64_t bytes = (isFma ? sum : element).getIntOrFloatBitWidth() / 8;
  SharedTile tile;
  tile.elementBytes = bytes;
  // Lanes of plain arithmetic read neighbours in the outer dimension; matrix instructions take either order.
  tile.outerMajor = isFma || !operand.isKMajor;
  tile.rows = tile.outerMajor ? schedule.getBlockK() : operand.block;
  tile.columns = tile.outerMajor ? operand.block : schedule.getBlockK();
  // ldmatrix has an address for each row. wmma.load knows pitches only, and 32-bit columns are read word by word: 8
  // words more in each row put four rows of eight into different banks.
  const bool isWmma = schedule.getInstruction() == MatrixInstruction::Wmma16x16x16;
  const bool isSingle = !isFma && tile.outerMajor && bytes == 4;
  tile.swizzled = !isFma && !isWmma && !isSingle;
  tile.pitch = tile.columns + (tile.swizzled ? 0 : (isSingle ? 2 : 1) * Chip::kAccessBytes / bytes);
  tile.staged = explainStaged(tile, operand, element);
  tile.width = std::gcd(operand.run, Chip::kAccessBytes / bytes);
  return tile;
}

/// No f16 arithmetic but that of matrix units: sums in f32 are within every bound of those in f16.
static Type sumOf(MatrixInstruction instruction, Type acc) {
  return instruction == MatrixInstruction::Fma && acc.isF16() ? Float32Type::get(acc.getContext()) : acc;
}

MatrixTiles::MatrixTiles(MmaScheduleAttr schedule, const Contraction &product)
    : schedule(schedule), element(product.element), sum(sumOf(schedule.getInstruction(), product.acc)), passed(sum),
      info(infoOf(schedule.getInstruction())), lhs(tileOf(schedule, lhsOf(schedule, product), element, sum)),
      rhs(tileOf(schedule, rhsOf(schedule, product), element, sum)) {}

static constexpr int64_t kLeastEpilogueRows = 16;

int64_t MatrixTiles::epilogueRows() const {
  const int64_t warps = schedule.getWarpsM() * schedule.getWarpsN();
  int64_t rows = schedule.getWarpM();
  while (rows > kLeastEpilogueRows && warps * rows * epiloguePitch() * passedBytes() > ringBytes())
    rows /= 2;
  return rows;
}

int64_t MatrixTiles::sharedBytes() const {
  return std::max(ringBytes(), schedule.getWarpsM() * schedule.getWarpsN() * epilogueBytes());
}

static constexpr int64_t kWord = 4;

int64_t MatrixTiles::sumRegisters() const {
  return schedule.getWarpM() * schedule.getWarpN() * sumBytes() / kWord / Chip::kWarp;
}

int64_t MatrixTiles::fragmentRegisters() const {
  const int64_t bytes =
      schedule.getWarpM() * info.lhsCopies * lhs.elementBytes + schedule.getWarpN() * info.rhsCopies * rhs.elementBytes;
  return bytes * info.depth / kWord / Chip::kWarp;
}

/// Of a tile that passes through registers: one for each word. Where elements come one by one each has its own, and
/// each operand some for edges.
int64_t MatrixTiles::registersOnTheWay(const SharedTile &tile, const Chip &chip) const {
  constexpr int64_t kEdges = 8;
  if (isAsync(tile, chip))
    return 0;
  const int64_t elements = llvm::divideCeil(tile.rows * tile.columns, schedule.getThreads());
  if (tile.width * tile.elementBytes < kWord || tile.width == 1)
    return elements * std::max<int64_t>(tile.elementBytes / kWord, 1) + kEdges;
  return elements * tile.elementBytes / kWord;
}

int64_t MatrixTiles::registers(const Chip &chip) const {
  constexpr int64_t kAddresses = 32;
  const int64_t wanted = sumRegisters() + 2 * fragmentRegisters() + registersOnTheWay(lhs, chip) +
                         registersOnTheWay(rhs, chip) + kAddresses;
  return std::min(wanted, Chip::kRegistersPerThread);
}

int64_t MatrixTiles::leastRegisters(const Chip &chip) const {
  return sumRegisters() + fragmentRegisters() + registersOnTheWay(lhs, chip) + registersOnTheWay(rhs, chip) +
         info.otherRegisters;
}

std::string mp::explainIllegal(const MatrixTiles &tiles, const Chip &chip) {
  std::string why;
  llvm::raw_string_ostream out(why);
  const StringRef name = stringifyMatrixInstruction(tiles.info.instruction);
  if (!hasInstruction(chip, tiles.info))
    out << "the instruction " << name << ", which " << chip.name << " does not have";
  else if (!multiplies(tiles.info, tiles.element))
    out << "operands of " << tiles.element << ", which the instruction " << name << " does not multiply";
  else if (tiles.sharedBytes() > chip.sharedBytesPerBlock)
    out << tiles.sharedBytes() << " bytes of shared memory in a block; " << chip.name << " has "
        << chip.sharedBytesPerBlock;
  return why;
}

std::string mp::explainCrowded(const MatrixTiles &tiles, const Chip &chip) {
  std::string why;
  llvm::raw_string_ostream out(why);
  const int64_t registers = tiles.leastRegisters(chip), threads = tiles.schedule.getThreads();
  if (registers > Chip::kRegistersPerThread)
    out << "about " << registers << " registers in a thread; there are " << Chip::kRegistersPerThread;
  else if (registers * threads > Chip::kRegistersPerMultiprocessor)
    out << "about " << registers << " registers in each of " << threads << " threads; a multiprocessor has "
        << Chip::kRegistersPerMultiprocessor;
  return why;
}
