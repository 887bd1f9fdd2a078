// Reductions of columns, on a GPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads of a block are a rectangle: neighbours take neighbouring vectors of one row, each line of them its own
// rows. Lines of one warp are combined pairwise by shuffles, what the warps make is through shared memory, one after
// another; lines of a warp and more pairwise through shared memory. So the schedule fixes the order.

#include "Codegen/Emit/Reduce.h"
#include "Codegen/NVVM/GPUThreadGroup.h"
#include "Codegen/NVVM/Roots.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace mp;

namespace {

/// One root in one block; `sized`, unless it is null, has the columns of its one matrix, which must walk evenly.
struct Columns {
  GPUFunction &f;
  const ColumnRoot &root;
  Value sized;
  Elements values;
  int64_t width = 1, perLine = 1, lines = 1;
  bool isEven = false;
  Value line, position, matrix, firstRow;

  Columns(GPUFunction &f, const ColumnRoot &root, Value sized)
      : f(f), root(root), sized(sized), values(f.makeElements()) {}

  /// Columns of a block: no more than fill the matrix, or one vector.
  static int64_t columnsOf(const ColumnRoot &root, ColumnScheduleAttr schedule) {
    const auto all = static_cast<int64_t>(llvm::PowerOf2Ceil(std::max<int64_t>(root.columns, 1)));
    return std::min(schedule.getColumns(), std::max(all, schedule.getVector()));
  }

  LogicalResult emit(ColumnScheduleAttr schedule, Value block) {
    const int64_t own = columnsOf(root, schedule);
    f.bindInputs(values);
    FailureOr<bool> even = prepareColumns(f, values, root);
    if (failed(even))
      return failure();
    isEven = *even;
    width = isEven ? std::gcd(root.columns, schedule.getVector()) : 1;
    perLine = own / width;
    if (perLine > f.threads || f.threads % perLine != 0)
      return f.kernel.emitOpError("takes ")
             << perLine << " threads for a line of columns, which do not divide the " << f.threads << " of its block";
    lines = f.threads / perLine;
    matrix = firstRow = values.zero;
    if (root.matrices != 1) {
      const int64_t blocks = root.blocksOfMatrix(own);
      matrix = f.div(block, blocks);
      block = f.rem(block, blocks);
      firstRow = f.mul(matrix, root.rows);
    }
    position = f.rem(f.thread, perLine);
    line = f.div(f.thread, perLine);

    // Columns beyond the last are those of the last thread again, and nobody stores them.
    const bool isFull = !sized && root.columns % own == 0;
    Value columns = sized ? sized : f.i64(root.columns);
    Value asked = f.add(f.mul(block, own), f.mul(position, width));
    Value column = isFull ? asked : f.min(asked, f.sub(columns, f.i64(width)));
    FailureOr<Value> sum = sumOfLine(column);
    if (failed(sum))
      return failure();
    Value combined = combineLines(*sum);
    Value stores = arith::CmpIOp::create(f.b, arith::CmpIPredicate::eq, line, f.i64(0));
    if (!isFull)
      stores = arith::AndIOp::create(f.b, stores, f.isBelow(asked, columns));
    return f.when(stores, [&] {
      Elements::Scope scope(values);
      return finishColumns(f, values, root, combined, values.inRow(matrix, root.columns, column, width, isEven));
    });
  }

private:
  Lanes lanesOf(Value row, Value column) {
    if (!sized)
      return values.inRow(root.numberOf(f, values, matrix, firstRow, row), root.columns, column, width, isEven);
    // Rows are multiples of the width apart.
    return {values.zero, 1, f.add(f.b.createOrFold<arith::MulIOp>(row, sized), column), 1, width};
  }

  /// What this thread's line makes of rows line, line + lines, ...
  FailureOr<Value> sumOfLine(Value column) {
    Value input = root.op->getOperand(0);
    ReductionFormInterface op = root.op;
    Value start = splat(f.b, op.buildIdentity(f.b), width);
    // So many rows from `row` on, all of which are asked for before one is added up.
    auto next = [&](Value row, int64_t count, ValueRange soFar) -> FailureOr<SmallVector<Value>> {
      Elements::Scope scope(values);
      SmallVector<Value> read;
      for (int64_t number = 0; number < count; ++number) {
        FailureOr<Value> value = values.at(input, lanesOf(f.add(row, f.i64(number * lines)), column));
        if (failed(value))
          return failure();
        read.push_back(*value);
      }
      Value sum = soFar[0];
      for (Value value : read)
        sum = op.combine(f.b, sum, op.buildTerm(f.b, value));
      return SmallVector<Value>{sum};
    };
    // Steps of several rows of each line, what is left of them, and the last rows, which not every line has.
    const int64_t together = rowsTogether(), step = together * lines;
    const int64_t steps = root.rows / step * step, whole = root.rows / lines * lines;
    auto sum = f.forEach(values.zero, f.i64(steps), step, ValueRange{start},
                         [&](Value row, ValueRange soFar) { return next(f.add(line, row), together, soFar); });
    if (succeeded(sum) && steps != whole)
      sum = next(f.add(line, f.i64(steps)), (whole - steps) / lines, *sum);
    if (succeeded(sum) && whole != root.rows)
      sum = f.forEach(f.add(line, f.i64(whole)), f.i64(root.rows), lines, *sum,
                      [&](Value row, ValueRange soFar) { return next(row, 1, soFar); });
    if (failed(sum))
      return failure();
    return sum->front();
  }

  /// Rows of a thread that are under way at once: as many as fill so many bytes of registers.
  int64_t rowsTogether() {
    constexpr int64_t kMostBytes = 128, kMostRows = 16;
    int64_t bytes = 0;
    llvm::SetVector<Value> sources;
    appendSources(root.op->getOperand(0), sources);
    for (Value value : sources)
      if (isa<BlockArgument>(value) && typeOf(value).getNumElements() > root.columns)
        bytes += width * memoryBytes(typeOf(value).getElementType());
    const int64_t most = std::clamp<int64_t>(kMostBytes / std::max<int64_t>(bytes, 1), 1, kMostRows);
    return std::min(most, std::max<int64_t>(root.rows / lines, 1));
  }

  /// What all lines of this warp make, which all lanes of one position have.
  Value combineInWarp(Value own) {
    ReductionFormInterface op = root.op;
    for (int64_t lanes = perLine; lanes < Chip::kWarp; lanes *= 2) {
      SmallVector<Value> others;
      for (int64_t lane = 0; lane < width; ++lane)
        others.push_back(f.shuffleXor(width == 1 ? own : Value(vector::ExtractOp::create(f.b, own, lane)), lanes));
      Value other = width == 1 ? others.front() : vector::FromElementsOp::create(f.b, own.getType(), others);
      own = op.combine(f.b, own, other);
    }
    return own;
  }

  /// What all warps make, in the threads of line 0, one warp after another.
  Value combineWarps(Value own) {
    ReductionFormInterface op = root.op;
    const int64_t warps = f.threads / Chip::kWarp;
    if (warps == 1)
      return own;
    Type type = laneType(own.getType());
    const unsigned alignment = type.getIntOrFloatBitWidth() / 8 * static_cast<unsigned>(width & -width);
    Value memory = f.allocateShared(type, warps * perLine * width);
    auto addressOf = [&](Value warp) {
      return f.offset(memory, type, f.mul(f.add(f.mul(warp, perLine), position), width));
    };
    (void)f.when(f.isBelow(f.lane, f.i64(perLine)), [&] {
      LLVM::StoreOp::create(f.b, own, addressOf(f.div(f.thread, Chip::kWarp)), alignment);
      return success();
    });
    f.barrier();
    for (int64_t warp = 1; warp < warps; ++warp)
      own = op.combine(f.b, own, LLVM::LoadOp::create(f.b, own.getType(), addressOf(f.i64(warp)), alignment));
    return own;
  }

  /// What all lines make, in the threads of line 0.
  Value combineLines(Value own) {
    if (lines == 1)
      return own;
    if (perLine < Chip::kWarp && llvm::isPowerOf2_64(perLine))
      return combineWarps(combineInWarp(own));
    Type type = laneType(own.getType());
    const unsigned alignment = type.getIntOrFloatBitWidth() / 8 * static_cast<unsigned>(width & -width);
    Value memory = f.allocateShared(type, f.threads * width);
    auto addressOf = [&](Value thread) { return f.offset(memory, type, f.mul(thread, width)); };
    Value at = addressOf(f.thread);
    // A number of lines that is no power of two leaves one over now and then.
    for (int64_t left = lines; left > 1; left = (left + 1) / 2) {
      const int64_t half = (left + 1) / 2;
      LLVM::StoreOp::create(f.b, own, at, alignment);
      f.barrier();
      Value hasOther = f.isBelow(f.add(line, f.i64(half)), f.i64(left));
      Value other = f.offset(at, type, arith::SelectOp::create(f.b, hasOther, f.i64(half * perLine * width), f.i64(0)));
      Value theirs = LLVM::LoadOp::create(f.b, own.getType(), other, alignment);
      own = arith::SelectOp::create(f.b, hasOther, ReductionFormInterface(root.op).combine(f.b, own, theirs), own);
      f.barrier();
    }
    return own;
  }
};

} // namespace

FailureOr<int64_t> mp::emitGPUColumn(GPUFunction &f, ColumnScheduleAttr schedule) {
  FailureOr<SmallVector<ColumnRoot>> columns = findColumnRoots(f);
  if (failed(columns))
    return failure();
  SmallVector<Root> roots = llvm::map_to_vector(*columns, [&](const ColumnRoot &root) {
    const int64_t own = Columns::columnsOf(root, schedule);
    std::string kind = std::to_string(root.rows) + " rows, accesses of " +
                       std::to_string(std::gcd(root.columns, schedule.getVector())) + ", blocks of " +
                       std::to_string(own);
    if (root.matrices != 1)
      kind += ", " + std::to_string(root.matrices) + " matrices of " + std::to_string(root.columns) + " columns";
    return Root{root.results, root.columns, root.matrices * root.blocksOfMatrix(own), kind};
  });
  return forRoots(f, roots, [&](unsigned root, Value size, Value block) {
    // Those of several matrices that are alike have columns alike, too.
    const ColumnRoot &own = (*columns)[root];
    return Columns(f, own, own.matrices == 1 ? size : Value()).emit(schedule, block);
  });
}
